//go:build linux

package kill

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"twibase/e2e/loadtest"
)

var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", fmt.Sprint(stores)) // they sleep most of the time
	if os.Getenv("CI") != "" {
		var err error
		if binary, err = loadtest.Program(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func command(t *testing.T, args ...string) (status int, out string) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	text, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

type gateway struct {
	binary  string
	args    []string
	address string
	metrics string // address of /metrics
	log     *os.File
	process *exec.Cmd
	exited  chan struct{}
}

func newGateway(t *testing.T, dir, store, secret string) *gateway {
	t.Helper()
	g := &gateway{binary: binary, address: freeAddress(t)}
	g.metrics = g.address
	g.args = []string{"serve", "--store", store, "--listen", g.address, "--jwt-secret-file", secret, "--dev-tokens",
		"--fanout-limit", fmt.Sprint(fanoutLimit), "--drain-delay", "0s"}
	var err error
	if g.log, err = os.Create(filepath.Join(dir, "gateway-"+strings.ReplaceAll(g.address, ":", "-")+".log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.checkWatchdog(t)
		g.kill()
		g.log.Close()
	})
	return g
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (g *gateway) start(t *testing.T) {
	t.Helper()
	g.process = exec.Command(g.binary, g.args...)
	g.process.Stdout, g.process.Stderr = g.log, g.log
	// The kernel kills the process when the thread that started it ends.
	g.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started, exited := make(chan error), make(chan struct{})
	g.exited = exited
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := g.process.Start()
		started <- err
		if err == nil {
			_ = g.process.Wait()
		}
		close(exited)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
}

func (g *gateway) awaitReady(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		select {
		case <-g.exited:
			t.Fatalf("the gateway exited: %s", g.logTail())
		default:
		}
		if status, err := get("http://" + g.address + "/readyz"); err == nil && status == 200 {
			return
		}
	}
	t.Fatalf("the gateway is not ready: %s", g.logTail())
}

func (g *gateway) kill() { g.stop(syscall.SIGKILL) }

func (g *gateway) stop(signal syscall.Signal) {
	if g.process == nil {
		return
	}
	_ = g.process.Process.Signal(signal)
	<-g.exited
	g.process = nil
}

func (g *gateway) checkWatchdog(t *testing.T) {
	t.Helper()
	if g.process == nil {
		return
	}
	if status, err := get("http://" + g.metrics + "/metrics"); err != nil || status != 200 {
		return
	}
	if n := g.metric(t, "twibase_loader_fallbacks_total"); n != 0 {
		t.Errorf("the loaders' watchdog failed %v responses", n)
	}
}

func (g *gateway) metric(t *testing.T, name string) float64 {
	response, err := httpClient.Get("http://" + g.metrics + "/metrics")
	if err != nil {
		t.Error(err)
		return 0
	}
	defer response.Body.Close()
	value, found := 0.0, false
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if text, matches := strings.CutPrefix(lines.Text(), name+" "); matches {
			value, err = strconv.ParseFloat(text, 64)
			found = err == nil
		}
	}
	if !found {
		t.Errorf("/metrics lacks %s", name)
	}
	return value
}

func (g *gateway) logTail() string {
	f, err := os.Open(g.log.Name())
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	var tail []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct{ Level string }
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Level != "info" {
			tail = append(tail, lines.Text())
		}
		tail = tail[max(0, len(tail)-10):]
	}
	return strings.Join(tail, "\n")
}
