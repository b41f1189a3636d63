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
	// told is whether the rounds were told: what writers go on with afterwards is not kept.
	told bool
}

// asked is a call of a loader.
type asked struct {
	field, loader string
	at            time.Time
	requests      []request
	scan          *Round // nil for gets
}

// Watch begins to note what is read by the loaders of ctx, and what writers do with it; field names the field that is resolved with a ctx. What it
// returns ends that, and tells the rounds of which all has been answered, in the order in which they began.
func Watch(ctx context.Context, field func(ctx context.Context) string) (rounds func() []*Round) {
	l, w := from(ctx), &watch{field: field, of: map[hbase.Get]*Round{}}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watch = w
	return func() []*Round {
		l.mu.Lock()
		defer l.mu.Unlock()
		all := w.evaluate()
		*w = watch{field: field, told: true}
		return all
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
	if l.watch.told {
		return
	}
	for _, a := range r.answers {
		l.watch.of[a.whole()] = r
	}
	l.watch.rounds = append(l.watch.rounds, r)
}

// Writing notes a call of the store by a writer of that kind, as a round of its own, if what is done with ctx is watched. It returns the ctx of the
// call, and what ends it. It is a [writers.Watch].
func Writing(ctx context.Context, kind string, what []string) (of context.Context, over func()) {
	l, ok := ctx.Value(loadersKey{}).(*Loaders)
	if !ok || l.watch == nil || l.told() {
		return ctx, func() {}
	}
	r := &Round{Fields: []string{l.watch.field(ctx)}, writer: kind + ": " + what[0]}
	return l.begin(ctx, r), func() { l.end(ctx, r) }
}

// told reports whether all that is watched was told.
func (l *Loaders) told() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.watch.told
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
