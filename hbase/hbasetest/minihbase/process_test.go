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

// parentVariable makes this program one that starts a process, prints its id and waits to be killed.
const parentVariable = "MINIHBASE_TEST_PARENT"

func TestMain(m *testing.M) {
	if log := os.Getenv(parentVariable); log != "" {
		p, err := startProcess(log, "sleep", "600")
		fmt.Println(p.pid, err)
		select {}
	}
	os.Exit(Main(m))
}

func TestProcess(t *testing.T) {
	t.Run("a process dies with the program that started it", func(t *testing.T) {
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
				t.Fatalf("process %d is still there", pid)
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	t.Run("a process that can't be started is an error", func(t *testing.T) {
		if _, err := startProcess(filepath.Join(t.TempDir(), "log"), "no-such-command"); err == nil {
			t.Error("there is none")
		}
	})
	t.Run("killing one that has ended does nothing", func(t *testing.T) {
		p, err := startProcess(filepath.Join(t.TempDir(), "log"), "true")
		if err != nil {
			t.Fatal(err)
		}
		<-p.done
		p.kill()
	})
}

// running is false for a process that has ended, even if no one has waited for it.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestLog(t *testing.T) {
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
		if !strings.HasSuffix(tail, fmt.Sprint("line ", 2*tailLines-1)) || strings.Contains(tail, fmt.Sprintf("line %d\n", tailLines-1)) {
			t.Error(tail)
		}
	})
	t.Run("the master is up when its line is whole, in however many pieces it comes", func(t *testing.T) {
		for _, piece := range []string{readyLine[:5], readyLine[5:]} {
			fmt.Fprint(log, piece)
			select {
			case <-log.initialized:
				t.Error("it is up too early")
			default:
			}
		}
		fmt.Fprintln(log, " 2.4sec")
		<-log.initialized
	})
}

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := lock(ctx, name); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lock that is taken: got %v", err)
	}
	unlock()
	again, err := lock(t.Context(), name)
	if err != nil {
		t.Fatalf("a lock that was given back: got %v", err)
	}
	again()
}
