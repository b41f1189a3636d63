package loaders

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"time"

	"twibase/hbase"
)

// Round is a call of the store: a batch of Gets, a scan, or a call by a writer.
type Round struct {
	// Fields are the fields that asked for it, and Loaders the loaders that they asked. Both are
	// sorted.
	Fields  []string
	Loaders []Use
	// Stats is the cost of this round alone.
	Stats *hbase.Stats
	// Took is how long the store took.
	Took time.Duration
	// Stalled is set if the watchdog failed it: see [Watchdog].
	Stalled bool

	begun time.Time
}

// Use is the part of a round that served one loader.
type Use struct {
	Loader string
	// Keys counts what the loader was asked for and this round answered, then or later. Hits of
	// these had been asked for before.
	Keys, Hits int
	// Gets is what was sent for the others. A Get that serves several loaders counts for the first
	// of them by name.
	Gets int
	// Took is the time from the first call of the loader until the round was answered.
	Took time.Duration
}

// trace records what loaders are asked for and what is read, for a report. It is nil unless the
// response is reported, because it keeps all that it records. Loaders.mu guards it.
type trace struct {
	field  func(ctx context.Context) string
	calls  []call
	rounds []*Round
	// ended is set when the rounds were returned: later rounds of writers are not recorded.
	ended bool
}

// call is a call of a loader.
type call struct {
	field, loader string
	at            time.Time
	set           *readSet // nil for a scan
	scan          *Round
}

// Trace starts to record what the loaders of ctx read, and the calls of the store by writers. field
// names the field that is resolved with a ctx. The returned function ends the recording, and
// returns the rounds that are complete, in the order of their begin.
func Trace(ctx context.Context, field func(ctx context.Context) string) (rounds func() []*Round) {
	l, t := from(ctx), &trace{field: field}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trace = t
	return func() []*Round {
		l.mu.Lock()
		defer l.mu.Unlock()
		t.attribute()
		all := t.rounds
		*t = trace{field: field, ended: true}
		slices.SortStableFunc(all, func(a, b *Round) int { return a.begun.Compare(b.begun) })
		return all
	}
}

// attribute sets of all rounds which fields and loaders they were for.
func (t *trace) attribute() {
	type request struct {
		loader string
		read   *read
	}
	type get struct {
		batch *batch
		slot  int32
	}
	asked, first := map[request]bool{}, map[get]string{} // the first loader by name that asked for a Get
	for _, c := range t.calls {
		if c.scan != nil {
			c.scan.use(c)
			continue
		}
		for i := range c.set.reads {
			r := c.set.reads[i].same
			b := r.set.batch
			if b == nil || b.round == nil {
				continue // it was not answered, or before the trace began
			}
			u, q, g := b.round.use(c), request{c.loader, r}, get{b, r.slot}
			u.Keys++
			if asked[q] {
				u.Hits++
			}
			asked[q] = true
			if first[g] == "" || c.loader < first[g] {
				first[g] = c.loader
			}
		}
	}
	for g, loader := range first {
		g.batch.round.use(call{loader: loader}).Gets++
	}
	for _, r := range t.rounds {
		slices.Sort(r.Fields)
		slices.SortFunc(r.Loaders, func(a, b Use) int { return cmp.Compare(a.Loader, b.Loader) })
	}
}

// use returns the round's use by a loader, and adds the call to it if it is the first.
func (r *Round) use(c call) *Use {
	if c.field != "" && !slices.Contains(r.Fields, c.field) {
		r.Fields = append(r.Fields, c.field)
	}
	i := slices.IndexFunc(r.Loaders, func(u Use) bool { return u.Loader == c.loader })
	if i < 0 {
		i, r.Loaders = len(r.Loaders), append(r.Loaders, Use{Loader: c.loader, Took: r.begun.Add(r.Took).Sub(c.at)})
	}
	return &r.Loaders[i]
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
	hbase.StatsOf(ctx).Add(r.Stats)
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Took = time.Since(r.begun)
	if !l.trace.ended {
		l.trace.rounds = append(l.trace.rounds, r)
	}
}

// Writing records a call of the store by a writer as a round of its own, if ctx is traced. It
// returns the ctx of the call, and the function that ends it. It is a [writers.Watch].
func Writing(ctx context.Context, kind string, what []string) (of context.Context, over func()) {
	l, ok := ctx.Value(loadersKey{}).(*Loaders)
	if !ok || !l.traced() {
		return ctx, func() {}
	}
	r := &Round{Fields: []string{l.trace.field(ctx)}}
	return l.begin(ctx, r), func() {
		r.Loaders = []Use{{Loader: kind + ": " + what[0], Gets: int(r.Stats.Gets.Load()), Took: time.Since(r.begun)}}
		l.end(ctx, r)
	}
}

func (l *Loaders) traced() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trace != nil && !l.trace.ended
}

// get reads the Gets of a batch. A panic is an error.
func (l *Loaders) get(ctx context.Context, store hbase.Store, b *batch) {
	defer func() {
		if p := recover(); p != nil {
			b.err = fmt.Errorf("loaders: the store panicked: %v\n%s", p, debug.Stack())
		}
	}()
	counted := ctx
	if l.trace != nil {
		r := &Round{}
		counted = l.begin(ctx, r)
		defer func() {
			l.mu.Lock()
			b.round, r.Stalled = r, errors.Is(b.err, errStalled)
			l.mu.Unlock()
			l.end(ctx, r)
		}()
	}
	hbase.StatsOf(counted).Rounds.Add(1)
	if b.err == nil {
		b.results, b.err = store.Get(counted, b.gets)
	}
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
	Blocking(ctx, func() { rows, err = collect(l.whole.Scan(counted, scan)) })
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
