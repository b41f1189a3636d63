package loaders

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"time"

	"twibase/hbase"
)

// trace records what loaders are asked for and what is read, for a report. It is nil unless the
// response is reported, because it keeps all that it records. Loaders.mu guards it.
type trace struct {
	field  func(ctx context.Context) string
	calls  []call
	rounds []*Round
	// of is the round that answers a Get.
	of map[hbase.Get]*Round
	// past are the rounds of reads that were forgotten since.
	past []*Round
	// ended is set when the rounds were returned: later rounds of writers are not recorded.
	ended bool
}

// call is a call of a loader.
type call struct {
	field, loader string
	at            time.Time
	set           *readSet
	scan          *Round // nil for Gets
}

// Trace starts to record what the loaders of ctx read, and the calls of the store by writers. field
// names the field that is resolved with a ctx. The returned function ends the recording, and
// returns the rounds that are complete, in the order of their begin.
func Trace(ctx context.Context, field func(ctx context.Context) string) (rounds func() []*Round) {
	l, t := from(ctx), &trace{field: field, of: map[hbase.Get]*Round{}}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trace = t
	return func() []*Round {
		l.mu.Lock()
		defer l.mu.Unlock()
		all := t.evaluate()
		*t = trace{field: field, ended: true}
		return all
	}
}

// forget lets Gets be recorded again, in another round.
func (t *trace) forget() {
	t.past = t.evaluate()
	t.calls, t.rounds = nil, nil
	clear(t.of)
}

func (t *trace) asked(ctx context.Context, loader string, set *readSet) {
	t.calls = append(t.calls, call{field: t.field(ctx), loader: loader, at: time.Now(), set: set})
}

// begin starts a round, and returns the ctx that counts what it costs.
func (l *Loaders) begin(ctx context.Context, r *Round) context.Context {
	r.begun, r.Stats = time.Now(), &hbase.Stats{Servers: new(hbase.Servers)}
	return hbase.WithStats(ctx, r.Stats)
}

// end records a round that is answered, and adds its cost to that of the whole request, which ctx
// counts.
func (l *Loaders) end(ctx context.Context, r *Round) {
	r.Took = time.Since(r.begun)
	hbase.StatsOf(ctx).Add(r.Stats)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trace.ended {
		return
	}
	for _, a := range r.reads {
		l.trace.of[a.get()] = r
	}
	l.trace.rounds = append(l.trace.rounds, r)
}

// Writing records a call of the store by a writer as a round of its own, if ctx is traced. It
// returns the ctx of the call, and the function that ends it. It is a [writers.Watch].
func Writing(ctx context.Context, kind string, what []string) (of context.Context, over func()) {
	l, ok := ctx.Value(loadersKey{}).(*Loaders)
	if !ok || !l.traced() {
		return ctx, func() {}
	}
	r := &Round{Fields: []string{l.trace.field(ctx)}, writer: kind + ": " + what[0]}
	return l.begin(ctx, r), func() { l.end(ctx, r) }
}

func (l *Loaders) traced() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trace != nil && !l.trace.ended
}

// get calls the store with the Gets of a batch. A panic is an error.
func (l *Loaders) get(ctx context.Context, store hbase.Store, sets []*readSet, gets []hbase.Get) (
	results []hbase.Result, err error,
) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("loaders: the store panicked: %v\n%s", p, debug.Stack())
		}
	}()
	if l.trace == nil {
		hbase.StatsOf(ctx).Rounds.Add(1)
		return store.Get(ctx, gets)
	}
	_, stalled := store.(failing)
	r := &Round{gets: len(gets), Fallback: stalled, reads: slices.Collect(firstReads(sets))}
	counted := l.begin(ctx, r)
	r.Stats.Rounds.Add(1)
	defer l.end(ctx, r)
	return store.Get(counted, gets)
}

// scan reads all rows of a scan. It is no part of a batch.
func (l *Loaders) scan(ctx context.Context, loader string, scan hbase.Scan) (rows []hbase.Row, err error) {
	counted := ctx
	if l.trace != nil {
		r := &Round{}
		counted = l.begin(ctx, r)
		l.mu.Lock()
		l.trace.calls = append(l.trace.calls, call{field: l.trace.field(ctx), loader: loader, at: r.begun, scan: r})
		l.mu.Unlock()
		defer l.end(ctx, r)
	}
	hbase.StatsOf(counted).Rounds.Add(1)
	Away(ctx, func() { rows, err = collect(l.whole.Scan(counted, scan)) })
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
