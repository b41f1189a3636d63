package writers

import (
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // small heap, much garbage
	goleak.VerifyTestMain(m)
}
