package loaders

import (
	"context"
	"iter"
	"time"

	"twibase/hbase"
)

// watch notes what is asked and what is read. It costs what it notes, so it is there only if somebody wants to know. Loaders.mu guards it.
type watch struct {
	field  func(ctx context.Context) string
	asks   []asked
	rounds []*Round
	// of is the round that answers a get.
	of map[hbase.Get]*Round
	// past are the rounds of what was forgotten since.
	past []*Round
}

// asked is a call of a loader.
type asked struct {
	field, loader string
	at            time.Time
	requests      []request
	scan          *Round // nil for gets
}

// Watch begins to note what is read by the loaders of ctx; field names the field that is resolved with a ctx. What it returns tells the rounds
// of which all has been answered, in the order in which they began.
func Watch(ctx context.Context, field func(ctx context.Context) string) (rounds func() []*Round) {
	l, w := from(ctx), &watch{field: field, of: map[hbase.Get]*Round{}}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watch = w
	return func() []*Round {
		l.mu.Lock()
		defer l.mu.Unlock()
		return w.evaluate()
	}
}

// forget lets what was asked for be asked for again, in another round.
func (w *watch) forget() {
	w.past = w.evaluate()
	w.asks, w.rounds = nil, nil
	clear(w.of)
}

func (w *watch) asked(ctx context.Context, loader string, requests []request) {
	w.asks = append(w.asks, asked{field: w.field(ctx), loader: loader, at: time.Now(), requests: requests})
}

// begin notes a round that begins, and returns the ctx that counts what it costs.
func (l *Loaders) begin(ctx context.Context, r *Round) context.Context {
	r.begun, r.Stats = time.Now(), &hbase.Stats{Servers: new(hbase.Servers)}
	return hbase.WithStats(ctx, r.Stats)
}

// end notes that a round was answered, and adds its cost to that of the whole request, which ctx counts.
func (l *Loaders) end(ctx context.Context, r *Round) {
	r.Took = time.Since(r.begun)
	hbase.StatsOf(ctx).Add(r.Stats)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range r.answers {
		l.watch.of[a.whole()] = r
	}
	l.watch.rounds = append(l.watch.rounds, r)
}

// send sends a batch.
func (l *Loaders) send(questions []*question, sent *merged, fallback bool) ([]hbase.Result, error) {
	if l.watch == nil {
		hbase.StatsOf(l.ctx).Rounds.Add(1)
		return l.store.Get(l.ctx, sent.gets)
	}
	r := &Round{Fallback: fallback}
	for _, q := range questions {
		for i := range q.answers {
			r.answers = append(r.answers, &q.answers[i])
		}
	}
	ctx := l.begin(l.ctx, r)
	r.Stats.Rounds.Add(1)
	defer l.end(l.ctx, r)
	return l.store.Get(ctx, sent.gets)
}

// scan reads all rows of a scan, out of turn.
func (l *Loaders) scan(ctx context.Context, loader string, scan hbase.Scan) (rows []hbase.Row, err error) {
	counted := ctx
	if l.watch != nil {
		r := &Round{}
		counted = l.begin(ctx, r)
		l.mu.Lock()
		l.watch.asks = append(l.watch.asks, asked{field: l.watch.field(ctx), loader: loader, at: r.begun, scan: r})
		l.mu.Unlock()
		defer l.end(ctx, r)
	}
	hbase.StatsOf(counted).Rounds.Add(1)
	Away(ctx, func() { rows, err = collect(l.store.Scan(counted, scan)) })
	return rows, err
}

func collect(scan iter.Seq2[hbase.Row, error]) (rows []hbase.Row, err error) {
	for row, err := range scan {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
