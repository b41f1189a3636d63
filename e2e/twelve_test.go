package e2e

import (
	"testing"

	"twibase/transfer"
)

func TestSmoke(t *testing.T) {
	w := newWorld(t, given(t), transfer.Options{})
	w.check(t, stranger, `{users(first:20){nodes{id name followers(first:20){nodes{id name twits(first:3){nodes{id content}}}}}}}`, nil)
}
