package conformance

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"testing"

	"twibase/graph/schema"
	"twibase/hbase/hbasetest/minihbase"
)

// reference is safe for concurrent use.
type reference struct {
	mu      sync.Mutex
	in      io.Writer
	next    int
	waiting map[int]chan outcome
}

func newReference(t testing.TB, s *server) *reference {
	t.Helper()
	if _, err := os.Stat("../../node_modules/graphql"); err != nil {
		minihbase.Missing(t, "npm's graphql is missing: make build installs it")
	}
	values := httptest.NewServer(s.handler)
	command := exec.Command("node", "reference.mjs")
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	r := &reference{in: in, waiting: map[int]chan outcome{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		r.read(out)
	}()
	t.Cleanup(func() {
		in.Close()
		<-read
		if err := command.Wait(); err != nil {
			t.Error("node: ", err)
		}
		values.Close()
	})
	r.write(t, map[string]string{"sdl": schema.SDL(s.schema.Schema()), "url": values.URL})
	return r
}

func (r *reference) write(t testing.TB, message any) {
	line, err := json.Marshal(message)
	if err == nil {
		_, err = r.in.Write(append(line, '\n'))
	}
	if err != nil {
		t.Error("node does not read: ", err)
	}
}

func (r *reference) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var o outcome
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			break
		}
		r.mu.Lock()
		waiting := r.waiting[o.ID]
		delete(r.waiting, o.ID)
		r.mu.Unlock()
		waiting <- o
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, waiting := range r.waiting {
		waiting <- failure("node has ended")
	}
	r.waiting = nil
}

func (r *reference) outcome(t testing.TB, of request) outcome {
	answer := make(chan outcome, 1)
	r.mu.Lock()
	if r.waiting == nil {
		r.mu.Unlock()
		return failure("node has ended")
	}
	r.next++
	r.waiting[r.next] = answer
	r.write(t, struct {
		ID int `json:"id"`
		request
	}{r.next, of})
	r.mu.Unlock()
	return <-answer
}
