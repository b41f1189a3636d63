package minihbase

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

const parentVariable = "MINIHBASE_TEST_PARENT"

func TestMain(m *testing.M) {
	if log := os.Getenv(parentVariable); log != "" {
		p, err := startProcess(log, "sleep", "600")
		fmt.Println(p.pid, err)
		select {}
	}
	os.Exit(Main(m))
}

func TestProcessEndsWithItsParent(t *testing.T) {
	t.Run("a process ends with its parent", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skip("only Linux ends a process with its parent")
		}
		parent := exec.Command(os.Args[0])
		parent.Env = append(os.Environ(), parentVariable+"="+filepath.Join(t.TempDir(), "log"))
		out, err := parent.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		_ = parent.Process.Kill()
		_ = parent.Wait()
		var pid int
		if _, err := fmt.Sscan(line, &pid); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		deadline := time.Now().Add(10 * time.Second)
		for running(pid) {
			if time.Now().After(deadline) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				t.Fatalf("process %d is still running", pid)
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	t.Run("a missing command is an error", func(t *testing.T) {
		if _, err := startProcess(filepath.Join(t.TempDir(), "log"), "no-such-command"); err == nil {
			t.Error("got no error")
		}
	})
	t.Run("killing an ended process does nothing", func(t *testing.T) {
		p, err := startProcess(filepath.Join(t.TempDir(), "log"), "true")
		if err != nil {
			t.Fatal(err)
		}
		<-p.done
		p.kill()
	})
}

// running is false for a zombie.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestLogKeepsItsLastLines(t *testing.T) {
	log, err := createLog(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for i := range 2 * tailLines {
		fmt.Fprintf(log, "line %d\n", i)
	}
	t.Run("the tail is the last lines", func(t *testing.T) {
		tail := log.tail()
		last, earlier := fmt.Sprint("line ", 2*tailLines-1), fmt.Sprintf("line %d\n", tailLines-1)
		if !strings.HasSuffix(tail, last) || strings.Contains(tail, earlier) {
			t.Error(tail)
		}
	})
	t.Run("the master is up when its line is complete", func(t *testing.T) {
		for _, piece := range []string{readyLine[:5], readyLine[5:]} {
			fmt.Fprint(log, piece)
			select {
			case <-log.initialized:
				t.Error("initialized before the end of the line")
			default:
			}
		}
		fmt.Fprintln(log, " 2.4sec")
		<-log.initialized
	})
}

func TestLockIsExclusive(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := Lock(ctx, name); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("locked: got %v, want DeadlineExceeded", err)
	}
	unlock()
	again, err := Lock(t.Context(), name)
	if err != nil {
		t.Fatalf("unlocked: got %v", err)
	}
	again()
}
