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
	"strings"
	"syscall"
	"testing"
	"time"
)

// binary is the program that is killed.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "twibase-kill-")
	if err != nil {
		panic(err)
	}
	flag.Parse()
	// The stores wait more than they work.
	_ = flag.Set("test.parallel", fmt.Sprint(stores))
	status := 1
	defer func() {
		os.RemoveAll(dir)
		os.Exit(status)
	}()
	if os.Getenv("CI") != "" {
		binary = filepath.Join(dir, "twibase")
		if out, err := exec.Command("go", "build", "-o", binary, "twibase").CombinedOutput(); err != nil {
			fmt.Println(string(out))
			return
		}
	}
	status = m.Run()
}

// gateway is a server of its own process.
type gateway struct {
	args    []string
	address string
	log     *os.File
	process *exec.Cmd
	ended   chan struct{}
}

// newGateway returns one that will serve a store, always at the same address.
func newGateway(t *testing.T, dir, store, secret string) *gateway {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	g := &gateway{address: l.Addr().String()}
	g.args = []string{"serve", "--store", store, "--listen", g.address, "--jwt-secret-file", secret, "--dev-tokens", "--fanout-limit", fmt.Sprint(fanoutLimit)}
	if g.log, err = os.Create(filepath.Join(dir, "gateway-"+strings.ReplaceAll(g.address, ":", "-")+".log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.untimed(t)
		g.kill()
		g.log.Close()
	})
	return g
}

// start starts it, and does not wait until it answers.
func (g *gateway) start(t *testing.T) {
	t.Helper()
	g.process = exec.Command(binary, g.args...)
	g.process.Stdout, g.process.Stderr = g.log, g.log
	// It dies with us, however that comes; the kernel goes by the thread that started it, which therefore lives as long.
	g.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started, ended := make(chan error), make(chan struct{})
	g.ended = ended
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := g.process.Start()
		started <- err
		if err == nil {
			_ = g.process.Wait()
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
}

// untimed fails if it runs, answers, and had to send a batch of reads by the loaders' fallback timer.
func (g *gateway) untimed(t *testing.T) {
	t.Helper()
	if g.process == nil {
		return
	}
	if status, err := get("http://" + g.address + "/metrics"); err != nil || status != 200 {
		return
	}
	if n := g.metric(t, "twibase_loader_fallbacks_total"); n != 0 {
		t.Errorf("the fallback timer of the loaders fired %v times", n)
	}
}

// kill ends it at once.
func (g *gateway) kill() { g.end(syscall.SIGKILL) }

func (g *gateway) end(signal syscall.Signal) {
	if g.process == nil {
		return
	}
	_ = g.process.Process.Signal(signal)
	<-g.ended
	g.process = nil
}

// await waits until it answers.
func (g *gateway) await(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		select {
		case <-g.ended:
			t.Fatalf("the gateway ended by itself: %s", g.tail())
		default:
		}
		if status, err := get("http://" + g.address + "/readyz"); err == nil && status == 200 {
			return
		}
	}
	t.Fatalf("the gateway is not ready: %s", g.tail())
}

// tail are the last lines of its log that are more than information.
func (g *gateway) tail() string {
	f, err := os.Open(g.log.Name())
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	var last []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct{ Level string }
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Level != "info" {
			last = append(last, lines.Text())
		}
		last = last[max(0, len(last)-10):]
	}
	return strings.Join(last, "\n")
}

// run runs the program to its end.
func command(t *testing.T, args ...string) (status int, out string) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	text, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}
