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
	"testing/synctest"
	"time"
	"twibase/logging"
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
		Message, URL, Time string
		Lines              int
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
	const asked = 10_000 // lines of more than 300 bytes; a pipe has 64 KiB
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
			for range asked / 4 {
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
		t.Fatalf("%d lines are dropped", dropped)
	}
	requests, told := 0, 0
	for told == 0 {
		switch line := next(); line.Message {
		case "request":
			requests++
		case "log lines were dropped: the reader of the log is too slow":
			told = line.Lines
		}
	}
	for requests < asked-dropped {
		if line := next(); line.Message == "request" {
			requests++
		}
	}
	if told != dropped {
		t.Errorf("%d lines are said to be dropped, and %d were", told, dropped)
	}
	ask()
	if line := next(); line.Message != "request" {
		t.Errorf("then the log has %+v", line)
	}

	for range 6000 { // more than the queue holds, and nobody reads again
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
		t.Error("it does not end")
	}
}

func TestStalledErrorReaderDoesNotStallTheExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		unread := make(unreadWriter)
		began := time.Now()
		if status := Run(t.Context(), []string{"serve", "--jwt-secret-file", "/nowhere"}, unread, unread); status != statusFailed || time.Since(began) > 2*logging.FlushTimeout {
			t.Errorf("status %d after %v", status, time.Since(began))
		}
		close(unread)
	})
}

// unreadWriter is one whose reader does not read until it is closed.
type unreadWriter chan struct{}

func (w unreadWriter) Write(b []byte) (int, error) {
	<-w
	return len(b), nil
}
