package minihbase

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
)

// StoreVariable is the environment variable with the URL of a running HBase. Tables have unique
// names, so test programs can share it.
const StoreVariable = "TWIBASE_TEST_HBASE"

var (
	// The JVM's second compiler takes half of the CPU time.
	shortLived = []string{"-XX:TieredStopAtLevel=1"}
	// The master waits for this time, by default 150 ms, to send a region server several procedures
	// together.
	impatient = []string{"-Dhbase.procedure.remote.dispatcher.delay.msec=5"}
)

var shared struct {
	sync.Mutex
	hbase *HBase
	dir   string
	err   error
}

// ForTest returns the URL in [StoreVariable], or that of this test program's HBase, which the first
// call starts. Without Java or Maven, it calls [Missing]; with -short, it skips the test. TestMain
// must end with [Main].
func ForTest(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs an HBase: run without -short")
	}
	if url := os.Getenv(StoreVariable); url != "" {
		return url
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.hbase == nil && shared.err == nil {
		if shared.dir, shared.err = os.MkdirTemp("", "minihbase-"); shared.err == nil {
			shared.hbase, shared.err = start(context.Background(), shared.dir, shortLived, impatient, nil)
		}
	}
	switch {
	case shared.err == nil:
	case errors.Is(shared.err, ErrMissing):
		Missing(t, shared.err)
	default:
		t.Fatal(shared.err)
	}
	return shared.hbase.URL()
}

// Missing skips a test that needs something not installed, or fails it if CI is set.
func Missing(t testing.TB, reason any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// Slow skips a test that takes up to a minute, unless CI is set.
func Slow(t testing.TB) {
	t.Helper()
	if os.Getenv("CI") == "" {
		t.Skip("slow: runs where the variable CI is set, as by make test")
	}
}

// Main runs tests and kills their HBase. If they fail, it prints the end of HBase's log.
func Main(m *testing.M) int {
	status := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.hbase != nil {
		if status != 0 {
			os.Stderr.WriteString(shared.hbase.Log() + "\n")
		}
		shared.hbase.Kill()
	}
	if shared.dir != "" {
		os.RemoveAll(shared.dir)
	}
	return status
}
