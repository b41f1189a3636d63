//go:build linux

package minihbase

import (
	"path/filepath"
	"testing"
	"time"
)

func TestCPUCountsTheTimeOfTheProcess(t *testing.T) {
	start := func(t *testing.T, command string, args ...string) *HBase {
		p, err := startProcess(filepath.Join(t.TempDir(), "log"), command, args...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.kill)
		return &HBase{process: p}
	}
	t.Run("a running process uses CPU time", func(t *testing.T) {
		h := start(t, "sh", "-c", "while :; do :; done")
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			if used, err := h.CPU(); err != nil {
				t.Fatal(err)
			} else if used > 20*time.Millisecond {
				return
			}
		}
		t.Error("got no CPU time")
	})
	t.Run("an ended process is an error", func(t *testing.T) {
		h := start(t, "true")
		<-h.Done()
		if used, err := h.CPU(); err == nil {
			t.Errorf("got %v", used)
		}
	})
}
