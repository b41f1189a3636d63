package loaders

import (
	"cmp"
	"context"
	"slices"
	"time"

	otel "go.opentelemetry.io/otel/trace"

	"twibase/hbase"
)

// Round is a batch, a scan, or one call of the store by package writers. Concurrent calls of
// writers are separate rounds.
type Round struct {
	// Fields and Loaders caused the round. Both are sorted.
	Fields  []string
	Loaders []Use
	Stats   *hbase.Stats
	Begun   time.Time
	Took    time.Duration
	Stalled bool // the [Watchdog] failed the round

	span     otel.Span
	reported bool
}

// Use is the part of a round that served one loader.
type Use struct {
	Loader string
	// Keys counts the loader's requests for keys that this round answered, including later
	// requests. Hits counts those that repeat an earlier request.
	Keys, Hits int
	// A Get for several loaders counts only for the first of them by name.
	Gets int
	// Took is the time from the first call of the loader that this round answered until the answer,
	// 0 if the call came later.
	Took time.Duration
}

// trace keeps all read sets. Loaders.mu guards it.
type trace struct {
	field  func(ctx context.Context) string // never changes: writers call it without Loaders.mu
	calls  []call
	rounds []*Round
	ended  bool // later rounds, such as calls of writers, are not recorded
}

type call struct {
	field, loader string
	at            time.Time
	set           *readSet
	scan          *Round
}

// Trace records reads and calls of writers. field returns the field of a ctx. rounds ends the
// recording, and returns the complete rounds, ordered by their start.
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
		t.calls, t.rounds, t.ended = nil, nil, true
		slices.SortStableFunc(all, func(a, b *Round) int { return a.Begun.Compare(b.Begun) })
		return all
	}
}

func (t *trace) attribute() {
	type request struct {
		loader string
		read   *read
	}
	type get struct {
		batch *batch
		index int32
	}
	requested, first := map[request]bool{}, map[get]string{}
	for _, c := range t.calls {
		if c.scan != nil {
			c.scan.use(c)
			continue
		}
		for i := range c.set.reads {
			r := c.set.reads[i].original
			b := r.set.batch
			if b == nil || b.round == nil {
				continue // not answered, or not recorded
			}
			u, q, g := b.round.use(c), request{c.loader, r}, get{b, r.index}
			u.Keys++
			if requested[q] {
				u.Hits++
			}
			requested[q] = true
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

func (r *Round) use(c call) *Use {
	if c.field != "" && !slices.Contains(r.Fields, c.field) {
		r.Fields = append(r.Fields, c.field)
	}
	i := slices.IndexFunc(r.Loaders, func(u Use) bool { return u.Loader == c.loader })
	if i < 0 {
		took := max(0, r.Begun.Add(r.Took).Sub(c.at))
		i, r.Loaders = len(r.Loaders), append(r.Loaders, Use{Loader: c.loader, Took: took})
	}
	return &r.Loaders[i]
}

func (t *trace) enqueued(ctx context.Context, loader string, set *readSet) {
	t.calls = append(t.calls, call{field: t.field(ctx), loader: loader, at: time.Now(), set: set})
}

func (l *Loaders) beginRound(ctx context.Context) (context.Context, *Round) {
	parent, reported := otel.SpanFromContext(ctx), l.reports()
	if !parent.IsRecording() && !reported {
		return ctx, nil
	}
	r := &Round{Begun: time.Now(), Stats: &hbase.Stats{Operation: hbase.StatsOf(ctx).Operation,
		Servers: new(hbase.Servers), Tables: new(hbase.Tables)}, reported: reported}
	return r.startSpan(hbase.WithStats(ctx, r.Stats), parent), r
}

func (l *Loaders) endRound(ctx context.Context, r *Round, err error) {
	if r == nil {
		return
	}
	hbase.StatsOf(ctx).Add(r.Stats)
	r.endSpan(err)
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Took = time.Since(r.Begun)
	if r.reported && !l.trace.ended {
		l.trace.rounds = append(l.trace.rounds, r)
	}
}

// Writing records a writer's call of the store as a round, if ctx is traced or part of a recorded
// span. ended ends it.
func Writing(ctx context.Context, opType string, what []string) (of context.Context, ended func()) {
	l, ok := ctx.Value(loadersKey{}).(*Loaders)
	if !ok {
		return ctx, func() {}
	}
	of, r := l.beginRound(ctx)
	if r == nil {
		return ctx, func() {}
	}
	writer := opType + ": " + what[0]
	r.span.SetName(writer)
	if r.reported {
		r.Fields = []string{l.trace.field(ctx)}
	}
	return of, func() {
		r.Loaders = []Use{{Loader: writer, Gets: int(r.Stats.Gets.Load()), Took: time.Since(r.Begun)}}
		l.endRound(ctx, r, nil)
	}
}

func (l *Loaders) reports() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trace != nil && !l.trace.ended
}
