package writers

import (
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // the heap of a history is small, and its garbage is large
	goleak.VerifyTestMain(m)
}
