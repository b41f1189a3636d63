package embedded

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
)

// nearby is how many entries a cursor steps over before it seeks: a step costs about a tenth of a seek. If that was in vain, it seeks at once the
// next times, as many as vain: the next row is mostly as long as this one.
const (
	nearby = 4
	vain   = 8
)

// distance is what a cursor knows of how far it is to targets of one kind: how often it should seek them at once.
type distance int

// cursor moves forward over the entries of an iterator.
type cursor struct {
	it *pebble.Iterator
	// within keeps a seek inside the row that it names, for which Pebble can ask its bloom filters.
	within bool
	valid  bool
	// key is the current entry's, until the cursor moves.
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

// advance moves to the first entry at or behind target. The targets of a row ascend, so that nothing is left out.
func (c *cursor) advance(target []byte, d *distance) {
	for range nearby {
		if !c.before(target) {
			return
		}
		if *d > 0 {
			*d--
			c.seek(target)
			return
		}
		c.next()
	}
	if c.before(target) {
		*d = vain
		c.seek(target)
	}
}

func (c *cursor) before(target []byte) bool { return c.valid && bytes.Compare(c.key, target) < 0 }

func (c *cursor) in(prefix []byte) bool { return c.valid && bytes.HasPrefix(c.key, prefix) }

// firstRow moves to the first entry of the first row, or of the last one if reversed.
func (r *reader) firstRow(reversed bool) bool {
	if reversed {
		r.at(r.it.Last())
	} else {
		r.at(r.it.First())
	}
	return r.enterRow(reversed)
}

// nextRow moves to the first entry of the row that follows, or that comes before if reversed.
func (r *reader) nextRow(reversed bool) bool {
	if reversed {
		r.at(r.it.SeekLT(r.rowKey))
	} else if r.in(r.rowKey) || !r.valid {
		r.behind = append(r.behind[:0], r.rowKey...)
		r.advance(behind(r.behind), &r.toRow)
	}
	return r.enterRow(reversed)
}

func (r *reader) enterRow(reversed bool) bool {
	if !r.valid {
		return false
	}
	r.rowKey = append(r.rowKey[:0], r.key[:split(r.key)]...)
	if reversed {
		r.seek(r.rowKey)
	}
	return r.valid
}
