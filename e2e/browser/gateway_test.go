package browser

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// gateway is a twibase process built from this tree, on an embedded store in memory with the sample
// data.
type gateway struct {
	url    string
	binary string
	secret string // file
}

var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "twibase"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// build builds the binary once.
var build = sync.OnceValues(func() (binary string, err error) {
	binary = filepath.Join(folder, "twibase")
	if output, err := exec.Command("go", "build", "-o", binary, "twibase").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, output)
	}
	return binary, nil
})

// start starts a gateway with additional arguments, waits until it is ready, and stops it when the
// test ends.
func start(t *testing.T, args ...string) *gateway {
	t.Helper()
	dir := t.TempDir()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{binary: binary, secret: filepath.Join(dir, "jwt.secret")}
	if err := os.WriteFile(g.secret, []byte(strings.Repeat("browser.", 8)), 0o600); err != nil {
		t.Fatal(err)
	}
	address, metrics := free(t), free(t)
	g.url = "http://" + address

	ctx, stop := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, g.binary, append([]string{"serve", "--listen", address, "--metrics-listen", metrics,
		"--store", "embedded:", "--jwt-secret-file", g.secret}, args...)...)
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGTERM) }
	server.WaitDelay = 10 * time.Second
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		server.Wait()
		close(ended)
	}()
	ready := false
	t.Cleanup(func() {
		if ready {
			checkWatchdog(t, "http://"+metrics)
		}
		stop()
		<-ended
		if t.Failed() {
			t.Logf("the gateway's log:\n%s", &log)
		}
	})
	g.await(t, ended)
	ready = true
	return g
}

// checkWatchdog fails the test if the loaders' watchdog failed a response.
func checkWatchdog(t *testing.T, url string) {
	t.Helper()
	response, err := http.Get(url + "/metrics")
	if err != nil {
		t.Error("reading the metrics: ", err)
		return
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if !strings.Contains(string(text), "\ntwibase_loader_fallbacks_total 0\n") {
		t.Errorf("the loaders' watchdog failed responses, or /metrics is incomplete: %v\n%s", err, text)
	}
}

// await waits until the gateway is ready.
func (g *gateway) await(t *testing.T, ended <-chan struct{}) {
	t.Helper()
	timeout := time.After(time.Minute)
	for {
		response, err := http.Get(g.url + "/readyz")
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-ended:
			t.Fatal("the gateway exited")
		case <-timeout:
			t.Fatal("the gateway is not ready after a minute: ", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (g *gateway) token(t *testing.T, username string) string {
	t.Helper()
	output, err := exec.Command(g.binary, "token", username, "--jwt-secret-file", g.secret).Output()
	if err != nil {
		t.Fatal("twibase token: ", err)
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return lines[len(lines)-1]
}

// free returns an unused address of this machine.
func free(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
