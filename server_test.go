package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

const childVariable = "TWIBASE_TEST_CHILD"

// TestMain runs twibase in child processes.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestSIGTERMDrains(t *testing.T) {
	const delay = 2 * time.Second
	child := exec.CommandContext(t.Context(), os.Args[0],
		"serve", "--store", "embedded:", "--listen", "127.0.0.1:0", "--drain-delay", delay.String())
	child.Env = append(os.Environ(), childVariable+"=1")
	stderr, err := child.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.Process.Kill() })
	log := bufio.NewScanner(stderr)
	address := ""
	for address == "" && log.Scan() {
		var line struct{ Message, URL string }
		if err := json.Unmarshal(log.Bytes(), &line); err != nil {
			t.Fatalf("log line %q: %v", log.Text(), err)
		}
		if line.Message == "twibase is ready" {
			address = line.URL
		}
	}
	status := func(path string) int {
		t.Helper()
		response, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if got := status("/readyz"); got != http.StatusOK {
		t.Fatalf("/readyz: status %d before SIGTERM", got)
	}
	terminated := time.Now()
	if err := child.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for status("/readyz") != http.StatusServiceUnavailable {
		if time.Since(terminated) > delay {
			t.Fatal("/readyz does not fail after SIGTERM")
		}
	}
	if got := status("/graphql?query=" + url.QueryEscape("{__typename}")); got != http.StatusOK {
		t.Errorf("/graphql: status %d during the delay", got)
	}
	for log.Scan() { // until the process exits
	}
	if err := child.Wait(); err != nil {
		t.Errorf("the process ended: %v", err)
	}
	if took := time.Since(terminated); took < delay {
		t.Errorf("the process ended %v after SIGTERM, want at least %v", took, delay)
	}
}
