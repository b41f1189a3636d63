package loaders

import (
	"context"
	"hash/maphash"

	"github.com/graph-gophers/dataloader/v7"

	"twibase/hbase"
)

// readSet is the Gets of one call of a loader. The dataloader sees it as one key.
type readSet struct {
	reads    []read
	batch    *batch // that reads what was not asked for before, once it is dispatched
	thunk    dataloader.Thunk[struct{}]
	waiting  int // tasks that wait for it
	answered bool
}

// read is a Get of a read set. The Gets of one call mostly differ in their rows only, so they share
// a template.
type read struct {
	row      string
	template *template
	set      *readSet
	// same is the first read of the response that has the same Get. No other one is sent.
	same *read
	// Reads of one row that start at the same column form a chain. All know its first one; next is
	// nil at its end.
	first, next *read
	// slot is the Get of the batch that contains this read. lead is whether others may be merged
	// into it.
	slot int32
	lead bool
}

// newReadSet returns an empty set with room for n reads.
func newReadSet(n int) *readSet { return &readSet{reads: make([]read, 0, n)} }

// add adds a Get.
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

// result returns the result of the i-th read, for which the caller has waited.
func (s *readSet) result(i int) hbase.Result {
	r := s.reads[i].same
	return r.set.batch.result(r)
}

// get returns the Get.
func (r *read) get() hbase.Get {
	g := r.template.get
	g.Row = r.row
	return g
}

func (r *read) equal(other *read) bool {
	return r.row == other.row && (r.template == other.template || r.template.get == other.template.get)
}

// startsLike reports whether both read the same row from the same column on, be it of different
// tables.
func (r *read) startsLike(other *read) bool {
	return r.row == other.row && (r.template == other.template || r.template.get.Page.Start == other.template.get.Page.Start)
}

// index finds the reads of a response by their Gets: the first one of a chain by a hash of its row
// and its start. If the place of a hash is taken, the next one is used.
type index map[uint64]*read

var seed = maphash.MakeSeed()

// find returns the first read of the chain of r, and the place of the chain. The read is nil if
// there is no chain.
func (x index) find(r *read) (first *read, place uint64) {
	place = maphash.String(seed, r.row)
	if start := r.template.get.Page.Start; start != "" {
		place += maphash.String(seed, start)
	}
	for ; ; place++ {
		if first = x[place]; first == nil || first.startsLike(r) {
			return first, place
		}
	}
}

// add adds a read, and reports whether it is the first one of its Get.
func (x index) add(r *read) bool {
	first, place := x.find(r)
	if first != nil {
		return r.join(first)
	}
	r.same, r.first, x[place] = r, r, r
	return true
}

// join adds a read to the chain of first, and reports whether it is the first one of its Get.
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

// ask adds the reads that were not asked for before to the batch that is being collected. It does
// not wait for their results.
func (l *Loaders) ask(ctx context.Context, loader string, set *readSet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trace != nil {
		l.trace.asked(ctx, loader, set)
	}
	if l.asked == nil {
		l.asked = make(index, len(set.reads))
	}
	added := false
	for i := range set.reads {
		r := &set.reads[i]
		// Sets of one level mostly read the same rows in the same order. Comparing them is cheaper
		// than a lookup.
		if i < len(l.last) && l.last[i].startsLike(r) {
			added = r.join(l.last[i].same.first) || added
		} else {
			added = l.asked.add(r) || added
		}
	}
	l.last = set.reads
	if added {
		set.thunk = l.dataloader.Load(l.ctx, set)
		l.scheduler.collect()
	}
}

// wait waits until all reads of a set are answered. A task waits for one set at a time: reads that
// were asked for before may be in other batches.
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

// block stops the running task, unless the set is answered: it runs again when it is.
func (l *Loaders) block(set *readSet) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !set.answered {
		set.waiting++
		l.scheduler.stop()
	}
	return !set.answered
}

// read asks for reads and waits for their results.
func (l *Loaders) read(ctx context.Context, loader string, set *readSet) {
	l.ask(ctx, loader, set)
	l.wait(set)
}
