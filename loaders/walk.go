package loaders

import (
	"cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// How many buckets are read in one round at most.
const stretch = 32

// How many of a directory are looked up at a time: a page that is far behind the beginning needs its own, and mostly the next.
const (
	far  = 2
	wide = 256
)

// near is how many columns of bucket 0 a backward walk reads beside the directory. If there are fewer it needs no other round, as of most lists; of a list of
// several buckets they are read for nothing.
const near = 256

// walk is where the reading of one owner's list has got to.
type walk[E any] struct {
	page  Page[E]
	round round           // what the next one reads
	width int             // by how many Gets
	known []tables.Bucket // those that are to be read, ascending: a stretch of the directory
	stop  string          // of the bucket that was read last
	ahead int             // how many may be read in the next round
	// Of the last round: how many buckets were in the window from their beginning on, and how many members they had there.
	whole, met int
	// before is the beginning of a bucket in which a backward walk found nobody, and rest are those before the one that it reads then.
	before string
	rest   []tables.Bucket
	done   bool
}

// round is what a round reads.
type round int

const (
	buckets  round = iota // the first of those that are known; beside bucket 0, if it may be far behind, the directory too
	lookup                // the directory; backwards the beginning of bucket 0, too
	lookback              // the directory up to a bucket in which there was nobody
	probe                 // of the last of those that are known, whether anybody is in them
)

// beginning is all that is known of a directory before it was looked at.
var beginning = []tables.Bucket{{}}

// begin sets out.
func (s *walk[E]) begin(w Window) {
	*s = walk[E]{known: beginning, width: w.width(), ahead: 1}
	if w.Backward {
		s.round = lookup
	}
}

// next returns the k-th Get of a round.
func (l List[E]) next(m *memory, owner string, s *walk[E], w Window, k int) hbase.Get {
	switch {
	case s.round == lookback:
		return l.of.DirectoryTo(owner, s.before)
	case s.round == lookup && w.Backward && k == 0:
		return l.of.Directory(owner, w.Before, 1)
	case s.round == lookup && w.Backward:
		k = 0
	case s.round == lookup:
		return l.of.Directory(owner, hbase.Next(max(s.position(w), s.stop)), wide)
	case s.round == probe:
		k += len(s.known) - s.width
	case k == len(s.known):
		return l.of.Directory(owner, hbase.Next(w.After), far)
	}
	b := s.known[k]
	p := hbase.Page{Start: b.Start}
	if at := s.position(w); at != "" {
		p.Start = max(p.Start, hbase.Next(at))
	}
	if b.Number != 0 || w.Backward {
		p.Stop = cmp.Or(b.Stop, tables.MembersEnd) // what is behind it may have moved
	}
	switch {
	case s.round == probe:
		p.Limit = 1
	case s.round == lookup:
		p.Limit = near
	case !w.Backward:
		p.Limit = w.Limit + 1 - len(s.page.Members)
	}
	if p.Stop != "" && w.Before != "" {
		p.Stop = min(p.Stop, w.Before)
	}
	return l.of.GetIn(m, owner, b.Number, p)
}

// position is the last one behind which a forward walk has read.
func (s *walk[E]) position(w Window) string {
	if n := len(s.page.Positions); n > 0 {
		return s.page.Positions[n-1]
	}
	return w.After
}

// reply is what a round brought. errs is nil or index-aligned.
type reply struct {
	answers []*answer
	errs    Errors
}

func (r reply) cells(k int) ([]hbase.Cell, error) {
	if err := At(r.errs.or(), k); err != nil {
		return nil, err
	}
	return r.answers[k].cells(), nil
}

// take adds what a round brought, and decides how to go on.
func (s *walk[E]) take(d *tables.Decoder[E], owner string, w Window, r reply) (err error) {
	switch {
	case s.round == probe:
		return s.probed(r)
	case s.round == buckets && w.Backward:
		return s.back(d, owner, w, r, 0)
	case s.round == buckets:
		return s.forth(d, owner, w, r)
	}
	if s.known, err = directory(d, owner, r, 0); err != nil {
		return err
	}
	switch {
	case s.round == lookback:
		s.backtrack(w)
	case w.Backward:
		return s.precede(d, owner, w, r)
	default:
		s.enter(w, false)
	}
	return nil
}

func directory[E any](d *tables.Decoder[E], owner string, r reply, k int) ([]tables.Bucket, error) {
	cells, err := r.cells(k)
	if err != nil {
		return nil, err
	}
	_, _, known, err := d.Decode(owner, cells)
	return known, err
}
