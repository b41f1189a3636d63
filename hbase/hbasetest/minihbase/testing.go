package minihbase

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
)

// StoreVariable names the environment variable with the URL of a running HBase that tests take in place of one of their own. Every test
// takes names of its own for its tables, so that many test programs can share it.
const StoreVariable = "TWIBASE_TEST_HBASE"

// What the HBase of tests lacks, which lives for some seconds in which tables are made and dropped.
var (
	// shortLived keeps the JVM from compiling its code a second time, better, which takes half the processor time of such an HBase.
	shortLived = []string{"-XX:TieredStopAtLevel=1"}
	// impatient is how long the master collects what a region server is to do, each of several times for a table: 150 ms otherwise.
	impatient = []string{"-Dhbase.procedure.remote.dispatcher.delay.msec=5"}
)

var shared struct {
	sync.Mutex
	hbase *HBase
	dir   string
	err   error
}

// ForTest returns the URL of the one HBase of this test program, which it starts if it is the first to ask. Without Java or
// Maven the test is skipped, but where the variable CI is set it fails. With -short, tests without HBase run alone. The
// program's TestMain must end with [Main].
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
			shared.hbase, shared.err = start(context.Background(), shared.dir, shortLived, impatient)
		}
	}
	switch {
	case shared.err == nil:
	case errors.Is(shared.err, ErrMissing) && os.Getenv("CI") == "":
		t.Skip(shared.err)
	default:
		t.Fatal(shared.err)
	}
	return shared.hbase.URL()
}

// Slow leaves a test that takes a real HBase up to a minute to `make test`, which sets CI: the everyday `go test ./...` is to be quick.
func Slow(t testing.TB) {
	t.Helper()
	if os.Getenv("CI") == "" {
		t.Skip("slow: runs where the variable CI is set, as by make test")
	}
}

// Main runs a program's tests, ends the HBase that they started, and returns the exit status. If they failed, it prints the end of
// HBase's log.
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
