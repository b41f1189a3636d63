package command

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestStalledLogReaderDoesNotStallRequests(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	log := bufio.NewReader(r)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--store", "embedded:"}, w, w)
	}()
	next := func() (line struct {
		Message, URL string
	}) {
		text, err := log.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(text, &line)
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		return line
	}
	url := ""
	for url == "" {
		if line := next(); line.Message == "twibase is ready" {
			url = line.URL
		}
	}
	const requests = 10_000 // 300 bytes each; a pipe has 64 KiB
	client := &http.Client{Timeout: 30 * time.Second}
	get := func(path string) (body string) {
		response, err := client.Get(url + path)
		if err != nil {
			t.Error(err)
			return ""
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	ask := func() { get("/graphql?query={__typename}") }
	droppedSoFar := func() (n int) {
		_, rest, _ := strings.Cut(get("/metrics"), "\ntwibase_log_lines_dropped_total ")
		if _, err := fmt.Sscan(rest, &n); err != nil {
			t.Errorf("%v: %.100s", err, rest)
		}
		return n
	}
	before := droppedSoFar()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range requests / 4 {
				if t.Failed() {
					return
				}
				ask()
			}
		})
	}
	all.Wait()
	dropped := droppedSoFar() - before
	if dropped == 0 || t.Failed() {
		t.Fatalf("%d lines were dropped", dropped)
	}
	for requests := 0; requests < requests-dropped; {
		if line := next(); line.Message == "request" {
			requests++
		}
	}
	ask()
	if line := next(); line.Message != "request" {
		t.Errorf("next log line: %+v", line)
	}

	for range 6000 { // more than the queue holds
		ask()
	}
	began := time.Now()
	stop()
	select {
	case status := <-ended:
		if took := time.Since(began); status != 0 || took > 5*time.Second {
			t.Errorf("status %d after %v", status, took)
		}
	case <-time.After(30 * time.Second):
		t.Error("the server does not stop")
	}
}

func TestLogQueueKeepsEveryLine(t *testing.T) {
	var text strings.Builder
	q := newLogQueue(&text)
	var all sync.WaitGroup
	for writer := range 8 {
		all.Go(func() {
			for i := range queuedLines / 8 {
				fmt.Fprintf(q, "%d %d\n", writer, i)
			}
		})
	}
	all.Wait()
	q.Close()
	next := map[int]int{}
	for line := range strings.Lines(text.String()) {
		var writer, i int
		if _, err := fmt.Sscanf(line, "%d %d\n", &writer, &i); err != nil || next[writer] != i {
			t.Fatalf("got %q after %d lines of its writer: %v", line, next[writer], err)
		}
		next[writer]++
	}
	for writer := range 8 {
		if next[writer] != queuedLines/8 {
			t.Errorf("got %d lines of writer %d, want %d", next[writer], writer, queuedLines/8)
		}
	}
}
