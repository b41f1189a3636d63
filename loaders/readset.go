package loaders

import (
	"context"
	"hash/maphash"

	"github.com/graph-gophers/dataloader/v7"

	"twibase/hbase"
)

// readSet is the Gets that one call of a loader adds to a batch. The dataloader sees it as one key.
type readSet struct {
	reads    []read
	thunk    dataloader.Thunk[*merged]
	waiting  int // tasks that wait for it
	answered bool
}

// read is a Get that was asked for once, however often its result is used.
type read struct {
	request
	set *readSet
	// Reads of one row that start at the same column form a chain. All know its first one; next is
	// nil at its end.
	first, next *read
	// slot is the Get of the batch that contains this read. lead is whether others were merged into
	// it.
	in   *merged
	slot int32
	lead bool
}

// request is a Get. The Gets of one call mostly differ in their rows only, so they share a shape.
type request struct {
	row   string
	shape *shape
}

// get returns the Get.
func (r request) get() hbase.Get {
	g := r.shape.get
	g.Row = r.row
	return g
}

func (r request) equal(other request) bool {
	return r.row == other.row && (r.shape == other.shape || r.shape.get == other.shape.get)
}

// startsLike reports whether both read the same row from the same column on, be it of different
// tables.
func (r request) startsLike(other request) bool {
	return r.row == other.row && (r.shape == other.shape || r.shape.get.Page.Start == other.shape.get.Page.Start)
}

// requests collects the Gets of one call.
type requests struct{ list []request }

func newRequests(n int) *requests { return &requests{make([]request, 0, n)} }

func (r *requests) add(g hbase.Get) {
	row := g.Row
	g.Row = ""
	if n := len(r.list); n > 0 && r.list[n-1].shape.get == g {
		r.list = append(r.list, request{row, r.list[n-1].shape})
	} else {
		r.list = append(r.list, request{row, newShape(g)})
	}
}

// index finds the reads of a response by their requests: the first one of a chain by a hash of its
// row and its start. If the place of a hash is taken, the next one is used.
type index map[uint64]*read

var seed = maphash.MakeSeed()

// find returns the first read of the request's chain, and the place of the chain. The read is nil
// if there is no chain.
func (x index) find(r request) (first *read, place uint64) {
	place = maphash.String(seed, r.row)
	if start := r.shape.get.Page.Start; start != "" {
		place += maphash.String(seed, start)
	}
	for ; ; place++ {
		if first = x[place]; first == nil || first.startsLike(r) {
			return first, place
		}
	}
}

// ask adds requests to the batch that is being collected, unless they were asked for before. It
// does not wait for their results.
func (l *Loaders) ask(ctx context.Context, loader string, requests []request) []*read {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trace != nil {
		l.trace.asked(ctx, loader, requests)
	}
	if l.asked == nil {
		l.asked = make(index, len(requests))
	}
	reads, set := make([]*read, len(requests)), (*readSet)(nil)
	for i, r := range requests {
		first, place := l.asked.find(r)
		known := first
		for known != nil && !known.equal(r) {
			known = known.next
		}
		if reads[i] = known; known != nil {
			continue
		}
		if set == nil {
			set = &readSet{reads: make([]read, 0, len(requests)-i)}
		}
		set.reads = append(set.reads, read{request: r, set: set})
		added := &set.reads[len(set.reads)-1]
		if reads[i] = added; first != nil {
			added.first, added.next, first.next = first, first.next, added
		} else {
			added.first, l.asked[place] = added, added
		}
	}
	if set != nil {
		l.load(set)
	}
	return reads
}
