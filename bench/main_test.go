package main

import (
	"fmt"
	"os"
	"testing"

	"twibase/loaders"
)

var watchdog loaders.Watchdog

func TestMain(m *testing.M) {
	status := m.Run()
	if n := watchdog.Stalls.Load(); n != 0 {
		fmt.Fprintf(os.Stderr, "the loaders' watchdog failed %d responses\n", n)
		status = 1
	}
	os.Exit(status)
}
