package loaders

import (
	"context"
	"hash/maphash"

	"twibase/hbase"
)

// request is a Get. Those of a load mostly differ in their rows alone, so that they share a shape.
type request struct {
	row   string
	shape *shape
}

// shape is a Get but for its row, and how it goes together with others.
type shape struct {
	get   hbase.Get
	kind  kind
	named []hbase.Column // the columns, if that is its kind
	most  int            // how many cells it is answered with at most, if it is not alone
}

// requests makes requests of n Gets. set makes each of the one before, whose row is lost.
func requests(n int, set func(i int, g *get)) []request {
	list, last := make([]request, n), (*shape)(nil)
	var g get
	for i := range list {
		set(i, &g)
		list[i].row, g.Row = g.Row, ""
		if last == nil || last.get != g {
			last = shapeOf(g)
		}
		list[i].shape = last
	}
	return list
}

// whole returns the Get.
func (r request) whole() hbase.Get {
	g := r.shape.get
	g.Row = r.row
	return g
}

func (r request) equal(other request) bool {
	return r.row == other.row && (r.shape == other.shape || r.shape.get == other.shape.get)
}

// answer is what a request was, or will be, answered with.
type answer struct {
	request
	of *question
	// first is the first of those that were asked for of the same row from the same column on, be it of another table, next the one behind this.
	first, next *answer
	// in is what the request was sent in, and at its Get there. The one that leads is that which others were merged with.
	in      *merged
	at      int32
	waiting int32 // tasks that wait for it
	leads   bool
	done    bool
}

// err returns why it came to nothing.
func (a *answer) err() error {
	if a.in.err != nil {
		return a.in.err
	}
	return a.in.results[a.at].Err
}

// cells returns what was asked for, if there is no err.
func (a *answer) cells() []hbase.Cell {
	cells := a.in.results[a.at].Cells
	if a.in.groups[a.at].shared {
		return a.shape.among(cells)
	}
	return cells
}

// answers are found by what they answer: the first of a row and a column by the hash of these. One whose place is taken has the next one.
type answers map[uint64]*answer

var seed = maphash.MakeSeed()

// find returns the first answer that begins where the request does or, if there is none, its place.
func (a answers) find(r request) (first *answer, place uint64) {
	place = maphash.String(seed, r.row)
	if start := r.shape.get.Page.Start; start != "" {
		place += maphash.String(seed, start)
	}
	for ; ; place++ {
		if first = a[place]; first == nil || first.begins(r) {
			return first, place
		}
	}
}

// begins reports whether the answer begins where the request does.
func (a *answer) begins(r request) bool {
	return a.row == r.row && (a.shape == r.shape || a.shape.get.Page.Start == r.shape.get.Page.Start)
}

// ask puts requests of a loader into the next batch, unless they were asked for before, without waiting for it.
func (l *Loaders) ask(ctx context.Context, loader string, requests []request) []*answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watch != nil {
		l.watch.asked(ctx, loader, requests)
	}
	if len(l.answers) == 0 {
		l.answers = make(answers, len(requests))
	}
	all, before := make([]*answer, len(requests)), l.last
	var q *question
	for i, r := range requests {
		first, place := (*answer)(nil), uint64(0)
		if i < len(before) && before[i].begins(r) {
			first = before[i].first // loads of one level mostly ask of the same rows, in the same order
		} else {
			first, place = l.answers.find(r)
		}
		known := first
		for known != nil && !known.equal(r) {
			known = known.next
		}
		if all[i] = known; known != nil {
			continue
		}
		if q == nil {
			q = &question{answers: make([]answer, 0, len(requests)-i), loaded: make(chan struct{}), round: l.turns.round}
		}
		q.answers = append(q.answers, answer{request: r, of: q})
		a := &q.answers[len(q.answers)-1]
		if all[i] = a; first != nil {
			a.first, a.next, first.next = first, first.next, a
		} else {
			a.first, l.answers[place] = a, a
		}
	}
	if l.last = all; q != nil {
		l.pose(q)
	}
	return all
}

// wait waits for what was asked for. The errors are nil or index-aligned; where there is none there are cells.
func (l *Loaders) wait(answers []*answer) Errors {
	errs, next := failures{n: len(answers)}, 0
	var last *question
	var panicked error // of its batch
	for i, a := range answers {
		if i == next {
			next = l.block(answers, i)
		}
		if a.of != last {
			last = a.of
			<-last.loaded
			_, panicked = last.thunk()
		}
		err := panicked
		if err == nil {
			err = a.err()
		}
		if err != nil {
			errs.set(i, err)
		}
	}
	return errs.list
}
