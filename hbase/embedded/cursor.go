package embedded

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
)

// Numbers of steps that advance takes before it seeks.
const (
	// Most families, pages and rows are the next entry or far away: with 4 steps, a scan of users
	// took 10 % more CPU time.
	nearby = 1
	// The named columns of an object are near each other: see near-columns in 'go -C bench run .
	// without'.
	nearColumn = 10
)

type cursor struct {
	it *pebble.Iterator
	// within is true if all moves stay in the target's row. Then Pebble uses its bloom filters.
	within bool
	valid  bool
	// key is valid until the cursor moves.
	key []byte
}

func (c *cursor) seek(target []byte) {
	if c.within {
		c.at(c.it.SeekPrefixGE(target))
	} else {
		c.at(c.it.SeekGE(target))
	}
}

func (c *cursor) next() { c.at(c.it.Next()) }

func (c *cursor) at(valid bool) {
	if c.valid = valid; valid {
		c.key = c.it.Key()
	}
}

// advance is a seek that never moves back.
func (c *cursor) advance(target []byte, steps int) {
	for range steps {
		if !c.before(target) {
			return
		}
		c.next()
	}
	if c.before(target) {
		c.seek(target)
	}
}

func (c *cursor) before(target []byte) bool { return c.valid && bytes.Compare(c.key, target) < 0 }

func (c *cursor) in(prefix []byte) bool { return c.valid && bytes.HasPrefix(c.key, prefix) }
