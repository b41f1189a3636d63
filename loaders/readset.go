package loaders

import (
	"hash/maphash"

	"github.com/graph-gophers/dataloader/v7"

	"twibase/hbase"
)

type readSet struct {
	loader   string
	reads    []read
	thunk    dataloader.Thunk[struct{}] // nil if no read is new
	batch    *batch                     // of the set's new reads; nil until the dispatch
	waiting  int                        // tasks that wait for the batch
	answered bool
}

// read is one Get of a set.
type read struct {
	row      string
	template *template
	set      *readSet
	// original is the response's first read with this Get. Only originals are sent. A read is new
	// if it is its own original. Other reads do not have the fields below.
	original *read
	// New reads with the same row key and Page.Start form a chain, in no order. Only reads of one
	// chain can be equal or share a Get.
	first, next *read
	index       int32 // of the Get in its batch
	target      bool  // other reads of the batch may be merged into this Get
}

func newReadSet(n int) *readSet { return &readSet{reads: make([]read, 0, n)} }

// add shares the template of the last Get, because Gets of one call usually differ in the row only.
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

func (r *read) startsLike(other *read) bool {
	return r.row == other.row && (r.template == other.template ||
		r.template.get.Page.Start == other.template.get.Page.Start)
}

// index maps the hash of a chain's row key and Page.Start to its first read. A colliding chain gets
// the next free number.
type index map[uint64]*read

var seed = maphash.MakeSeed()

func (x index) add(r *read) bool {
	hash := maphash.String(seed, r.row)
	if start := r.template.get.Page.Start; start != "" {
		hash += maphash.String(seed, start)
	}
	for ; x[hash] != nil; hash++ {
		if first := x[hash]; first.startsLike(r) {
			return r.join(first)
		}
	}
	r.original, r.first, x[hash] = r, r, r
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

// link sets the originals of a set's reads. The caller holds mu.
func (l *Loaders) link(set *readSet) (anyNew bool) {
	if l.reads == nil {
		l.reads = make(index, len(set.reads))
	}
	for i := range set.reads {
		r := &set.reads[i]
		// Sets of one level often read the same row keys in the same order, and comparing keys is
		// cheaper than hashing them: see same-rows in 'go -C bench run . without'.
		if i < len(l.last) && l.last[i].startsLike(r) {
			anyNew = r.join(l.last[i].original.first) || anyNew
		} else {
			anyNew = l.reads.add(r) || anyNew
		}
	}
	l.last = set.reads
	return anyNew
}
