package invariant

import (
	"context"

	"github.com/cespare/xxhash/v2"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// listOf is a list of an owner.
type listOf struct{ table, family, owner string }

// tally is what is known of a list: how many members it should have and has, and the sums of their hashes.
type tally struct {
	want, have       int
	wantSum, haveSum uint64
	// length is what the owner's row says, counted whether it has to say it.
	length  int
	counted bool
}

func (c *check) list(l listOf) *tally {
	t := c.lists[l]
	if t == nil {
		t = &tally{}
		c.lists[l] = t
	}
	return t
}

// expect notes that a list should have a member.
func expect[E any](c *check, l *tables.List[E], owner string, e E) {
	t := c.list(listOf{l.Table, l.Family, owner})
	t.want++
	t.wantSum += hashOf(l.Cell(e, 0))
}

func hashOf(cell hbase.Cell) uint64 {
	return xxhash.Sum64String(cell.Qualifier)*31 + xxhash.Sum64(cell.Value)
}

// length notes how long a list says that it is.
func length[E any](c *check, l *tables.List[E], owner string, n *int) {
	t := c.list(listOf{l.Table, l.Family, owner})
	t.counted = true
	if n != nil {
		t.length = *n
	}
}

// have reads all lists of a kind as a reader does, and notes their members.
func have[E any](ctx context.Context, c *check, l *tables.List[E]) error {
	for row, err := range c.store.Scan(ctx, hbase.Scan{Table: l.Table, Columns: l.Family, Page: hbase.Page{Limit: 1}}) {
		if err != nil {
			return err
		}
		owner, err := tables.OwnerOf(row.Key)
		if err != nil {
			continue // a further bucket: it is read with the first
		}
		if row.Cells[0].Family != l.Family {
			continue
		}
		err = settle.Spans(ctx, c.store, l, []string{owner}, func(s *settle.Span[E]) error {
			if _, err := s.Members(); err != nil {
				return err
			}
			t := c.list(listOf{l.Table, l.Family, owner})
			for i, cell := range s.Cells {
				if s.Covers(i) {
					t.have++
					t.haveSum += hashOf(cell)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// compare reports the lists that differ from what they should be.
func (c *check) compare() {
	for l, t := range c.lists {
		what := l.table + ":" + l.family
		switch {
		case t.want != t.have:
			c.breach(what, l.owner, "it has %d members and should have %d", t.have, t.want)
		case t.wantSum != t.haveSum:
			c.breach(what, l.owner, "it has others than the %d members that it should have", t.want)
		}
		if t.counted && t.length != t.have {
			c.breach(what, l.owner, "it has %d members, and %d are counted", t.have, t.length)
		}
	}
}
