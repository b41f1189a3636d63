package command

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"twibase/loaders"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(exact{m}) }

// exact are tests that fail if any batch of reads had to be sent by the loaders' fallback timer.
type exact struct{ *testing.M }

func (tests exact) Run() int {
	status := tests.M.Run()
	if n := loaders.Fallbacks.Load(); n != 0 {
		fmt.Fprintf(os.Stderr, "the fallback timer of the loaders fired %d times\n", n)
		return 1
	}
	return status
}
