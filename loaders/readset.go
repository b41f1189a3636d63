package loaders

import (
	"hash/maphash"

	"github.com/graph-gophers/dataloader/v7"

	"twibase/hbase"
)

// readSet has the Gets that one call of a loader needs in one round.
type readSet struct {
	loader   string
	reads    []read
	thunk    dataloader.Thunk[struct{}] // nil if no read is new
	batch    *batch                     // of the set's new reads; nil until the dispatch
	waiting  int                        // tasks that wait for the batch
	answered bool
}

// A read is new if no earlier read of the response has the same Get. Reads of a set usually differ
// in their rows only, and share a template.
type read struct {
	row      string
	template *template
	set      *readSet
	// original is the response's first read with this Get. A new read is its own original. Only
	// originals are sent.
	original *read
	// New reads with the same row key and the same Page.Start form a chain. Their tables and
	// Columns may differ. next is nil at its end.
	first, next *read
	// slot is the index of the Get in its batch. target: other reads of the batch may be merged
	// into it.
	slot   int32
	target bool
}

func newReadSet(n int) *readSet { return &readSet{reads: make([]read, 0, n)} }

func (s *readSet) add(g hbase.Get) {
	row, n := g.Row, len(s.reads)
	g.Row = ""
	var shared *template
	if n > 0 && s.reads[n-1].template.get == g {
		shared = s.reads[n-1].template
	} else {
		shared = newTemplate(g)
	}
	s.reads = append(s.reads, read{row: row, template: shared, set: s})
}

func (s *readSet) result(i int) hbase.Result {
	r := s.reads[i].original
	return r.set.batch.result(r)
}

func (r *read) get() hbase.Get {
	g := r.template.get
	g.Row = r.row
	return g
}

func (r *read) equal(other *read) bool {
	return r.row == other.row && (r.template == other.template || r.template.get == other.template.get)
}

// startsLike reports whether both reads are of one chain.
func (r *read) startsLike(other *read) bool {
	return r.row == other.row && (r.template == other.template ||
		r.template.get.Page.Start == other.template.get.Page.Start)
}

// index has the first read of each chain, with linear probing.
type index map[uint64]*read

var seed = maphash.MakeSeed()

// add reports whether r is new, and sets its original and its chain.
func (x index) add(r *read) bool {
	place := maphash.String(seed, r.row)
	if start := r.template.get.Page.Start; start != "" {
		place += maphash.String(seed, start)
	}
	for ; x[place] != nil; place++ {
		if first := x[place]; first.startsLike(r) {
			return r.join(first)
		}
	}
	r.original, r.first, x[place] = r, r, r
	return true
}

func (r *read) join(first *read) bool {
	for known := first; known != nil; known = known.next {
		if known.equal(r) {
			r.original = known
			return false
		}
	}
	r.original, r.first, r.next, first.next = r, first, first.next, r
	return true
}

// find gives the reads of a set their originals, and reports whether any read is new. The caller
// holds mu.
func (l *Loaders) find(set *readSet) (anyNew bool) {
	if l.reads == nil {
		l.reads = make(index, len(set.reads))
	}
	for i := range set.reads {
		anyNew = l.reads.add(&set.reads[i]) || anyNew
	}
	return anyNew
}
