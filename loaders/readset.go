package loaders

import (
	"context"
	"hash/maphash"

	"github.com/graph-gophers/dataloader/v7"

	"twibase/hbase"
)

// readSet is the Gets of one call of a loader.
type readSet struct {
	reads    []read
	batch    *batch // has the new reads of the set, once it is dispatched
	thunk    dataloader.Thunk[struct{}]
	waiting  int // tasks that wait for it
	answered bool
}

// read is a Get of a read set. Reads of a set usually differ in their rows only, and share a
// template.
type read struct {
	row      string
	template *template
	set      *readSet
	// same is the response's first read with this Get. Only that one is sent.
	same *read
	// Reads of one row that start at the same column form a chain. next is nil at its end.
	first, next *read
	// slot is the index of the Get in its batch. lead is whether reads may be merged into it.
	slot int32
	lead bool
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
	r := s.reads[i].same
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

// startsLike reports whether both read the same row, maybe of different tables, from the same
// column on.
func (r *read) startsLike(other *read) bool {
	return r.row == other.row && (r.template == other.template ||
		r.template.get.Page.Start == other.template.get.Page.Start)
}

// index has the first read of each chain, by a hash of row and start. Collisions take the next
// hash.
type index map[uint64]*read

var seed = maphash.MakeSeed()

// add adds a read, and reports whether its Get is new.
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
	r.same, r.first, x[place] = r, r, r
	return true
}

func (r *read) join(first *read) bool {
	for known := first; known != nil; known = known.next {
		if known.equal(r) {
			r.same = known
			return false
		}
	}
	r.same, r.first, r.next, first.next = r, first, first.next, r
	return true
}

func (l *Loaders) enqueue(ctx context.Context, loader string, set *readSet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trace != nil {
		l.trace.enqueued(ctx, loader, set)
	}
	if l.reads == nil {
		l.reads = make(index, len(set.reads))
	}
	added := false
	for i := range set.reads {
		r := &set.reads[i]
		// Sets of one level often read the same rows in the same order: comparing is cheaper than a
		// lookup.
		if i < len(l.last) && l.last[i].startsLike(r) {
			added = r.join(l.last[i].same.first) || added
		} else {
			added = l.reads.add(r) || added
		}
	}
	l.last = set.reads
	if added {
		set.thunk = l.dataloader.Load(l.ctx, set)
		l.scheduler.collect()
	}
}

// wait waits for all reads of a set, which may be in several batches.
func (l *Loaders) wait(set *readSet) {
	var last *readSet
	for i := range set.reads {
		if of := set.reads[i].same.set; of != last {
			if last = of; l.block(of) {
				_, _ = of.thunk()
			}
		}
	}
}

// block stops the running task, unless the set is answered.
func (l *Loaders) block(set *readSet) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !set.answered {
		set.waiting++
		l.scheduler.stop()
	}
	return !set.answered
}
