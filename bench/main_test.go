package main

import (
	"fmt"
	"os"
	"testing"

	"twibase/loaders"
)

// TestMain fails also if any batch of reads had to be sent by the loaders' fallback timer.
func TestMain(m *testing.M) {
	status := m.Run()
	if n := loaders.Fallbacks.Load(); n != 0 {
		fmt.Fprintf(os.Stderr, "the fallback timer of the loaders fired %d times\n", n)
		status = 1
	}
	os.Exit(status)
}
