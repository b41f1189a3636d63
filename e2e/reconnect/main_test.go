package reconnect

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"twibase/loaders"
)

var watchdog loaders.Watchdog

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // small heap, much garbage
	status := m.Run()
	if n := watchdog.Stalls.Load(); n != 0 {
		fmt.Fprintf(os.Stderr, "the loaders' watchdog failed %d responses\n", n)
		status = 1
	}
	os.Exit(status)
}
