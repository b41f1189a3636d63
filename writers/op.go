package writers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// do runs a write: a is a pointer to the kind's arguments, which decide may have completed when do returns. The op is zero if there was
// nothing to do. The error is Problems if the write was refused.
//
// It returns when the plan's first part is done. What follows goes on in the background, also if ctx ends.
func do[A any](ctx context.Context, w *Writers, k *known, a *A) (op, error) {
	if err := w.enter(); err != nil {
		return op{}, err
	}
	defer w.running.Done()
	done, o, err := w.do(ctx, k, a, provision(ctx))
	if d, ok := done.(*A); ok {
		*a = *d
	}
	return o, err
}

// do is for who has entered: what a write demands is done also after Close. It is decided only if allowed returns nil: see [Provided].
func (w *Writers) do(ctx context.Context, k *known, arguments any, allowed func() error) (any, op, error) {
	given, err := json.Marshal(arguments)
	if err != nil {
		return nil, op{}, err
	}
	doubtful := false
	for try := 0; ; try++ {
		a, err := k.parse(string(given))
		if err != nil {
			return nil, op{}, err
		}
		o, err := w.attempt(ctx, k, a, allowed)
		if doubtful && errors.As(err, new(Problems)) {
			err = ErrUnknown // what stands in its way may be there because it was made
		}
		if !errors.Is(err, errAgain) {
			return a, o, err
		}
		doubtful = doubtful || errors.Is(err, errPerhaps)
		w.Counters.Again.Add(1)
		if try == maxTries || ctx.Err() != nil {
			return nil, op{}, port{w, k.name}.failed("decide", hbase.ErrUnavailable)
		}
		sleep(ctx, time.Duration(min(try, 20))*time.Millisecond)
	}
}

var (
	// errAgain is an attempt that may be made again, mostly since it surely came to nothing.
	errAgain = errors.New("writers: others were first")
	// errPerhaps is one of which nobody can tell: it is made again all the same, since two of it are no more than one.
	errPerhaps = fmt.Errorf("%w, or second", errAgain)
)

// attempt makes a write once. It costs a round to read, one for the intent and what the steps will need, one for the decision, one for the
// steps, and one to look whether all is still as they took it to be.
func (w *Writers) attempt(ctx context.Context, k *known, a any, allowed func() error) (op, error) {
	p := port{w, k.name}
	r, at, err := p.read(ctx, k, a, allowed)
	if err != nil {
		return op{}, err
	}
	cells, err := k.decide(a, r)
	if errors.Is(err, errNothing) {
		return op{}, p.nothing(ctx, k, r, at)
	}
	if err != nil {
		return op{}, err
	}
	text, err := json.Marshal(a)
	if err != nil {
		return op{}, err
	}
	intent := tables.Intent{ID: r.id, Kind: k.name, Arguments: string(text), At: r.at, Table: at.table, Row: at.row, Family: at.family, After: r.last}
	if k.rest > 0 {
		intent.Due = r.at + k.rest.Milliseconds()
	}
	// As whoever finishes it will have them.
	if a2, err := k.parse(intent.Arguments); err == nil {
		x := w.execution(k, a2, intent)
		return r.op, x.run(ctx, cells)
	}
	return op{}, p.failed("arguments", hbase.ErrInvalid)
}

// nothing is the end of a write that finds all as it should become. What made it so may still be on its way, or have demanded its undoing.
func (p port) nothing(ctx context.Context, k *known, r *reading, at deciding) error {
	if err := p.w.help(ctx, p, r.last); err != nil || !k.undone || !mustHelp(ctx, r.last) {
		return err
	}
	made, done := tables.DecidedBy(r.last)
	if done {
		return nil
	}
	row, err := p.one(ctx, "read again", at.last())
	if err != nil {
		return err
	}
	last, err := tables.DecodeOp(row)
	if id, _ := tables.DecidedBy(last); err == nil && id != made {
		err = errAgain
	}
	return err
}

// deciding is where a write is decided.
type deciding struct{ table, row, family string }

// last reads the last decision.
func (d deciding) last() hbase.Get {
	return hbase.Get{Table: d.table, Row: d.row, Columns: d.family + ":" + tables.Decision}
}

// read does the first rounds: one, if the write is not allowed.
func (p port) read(ctx context.Context, k *known, a any, allowed func() error) (*reading, deciding, error) {
	for {
		began := p.w.whole.time()
		r, at, err := p.readOnce(ctx, k, a)
		if err == nil {
			err = allowed()
		}
		if err == nil {
			var again bool
			if again, err = p.mustRepeat(ctx, k, r, began); again {
				continue
			}
		}
		for err == nil {
			gets := k.more(a, r)
			if len(gets) == 0 {
				break
			}
			var cells [][]hbase.Cell
			cells, err = p.get(ctx, "read", gets)
			r.cells = append(r.cells, cells...)
		}
		return r, at, err
	}
}

// mustRepeat reports whether what was read may be from before the steps of the last decision. Then that is whole now.
func (p port) mustRepeat(ctx context.Context, k *known, r *reading, began int) (bool, error) {
	if !k.ordered || r.last == "" || slices.Contains(parents(ctx), r.last) || p.w.whole.before(r.last, began) {
		return false, nil
	}
	if _, void := tables.ShutOut(r.last); void || tables.IsWhole(r.row, r.last) {
		p.w.whole.add(r.last)
		return true, nil
	}
	there, err := intentsOpen(ctx, p, []string{r.last}, "read, last intent")
	if err == nil && there[r.last] {
		err = p.w.help(ctx, p, r.last)
	}
	if err == nil {
		p.w.whole.add(r.last)
	}
	return err == nil, err
}

// readOnce does the first round.
func (p port) readOnce(ctx context.Context, k *known, a any) (*reading, deciding, error) {
	now := p.w.now()
	r := &reading{op: op{p.w.newOp(now), now.UnixMilli()}, nested: len(parents(ctx)) > 0}
	var at deciding
	gets := k.reads(a)
	row, conditional := k.row(a)
	if conditional {
		columns, err := hbase.ParseColumns(row.Columns)
		if err != nil || len(columns) == 0 {
			return nil, at, p.failed("read", hbase.ErrInvalid)
		}
		at = deciding{row.Table, row.Row, columns[0].Family}
		if own := (hbase.Column{Family: at.family, Qualifier: tables.Decision}); !columns[0].Whole && !slices.Contains(columns, own) {
			row.Columns += " " + at.family + ":" + tables.Decision
		}
		gets = append(gets, row)
	}
	cells, err := p.get(ctx, "read", gets)
	if err != nil {
		return nil, at, err
	}
	if conditional {
		r.row, cells = cells[len(cells)-1], cells[:len(cells)-1]
		r.at = max(r.at, youngest(r.row)+1)
		if r.last, err = tables.DecodeOp(r.row); err != nil {
			return nil, at, p.failed("read", err)
		}
	}
	r.cells = cells
	return r, at, nil
}

// run writes the intent, decides and begins the steps.
func (x *execution) run(ctx context.Context, cells []hbase.Cell) error {
	w := x.w
	_, x.mine = w.begin(x.intent.ID)
	if err := x.make(ctx, cells); err != nil {
		w.over(x.intent.ID)
		return err
	}
	w.Counters.Decided.Add(1)
	if x.intent.Due > 0 {
		w.over(x.intent.ID)
		return nil
	}
	w.Counters.Open.Add(1)
	acknowledge := make(chan error, 1)
	w.running.Add(1)
	go func() {
		defer w.running.Done()
		defer w.Counters.Open.Add(-1)
		defer func() {
			if x.mine {
				w.over(x.intent.ID)
			}
		}()
		ctx, cancel := w.outlive(ctx)
		defer cancel()
		if err := x.finish(ctx, acknowledge); err != nil {
			w.left(x.port, x.intent, err)
		}
	}()
	select {
	case err := <-acknowledge:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// make makes the decision.
func (x *execution) make(ctx context.Context, cells []hbase.Cell) error {
	if err := x.prepare(ctx); err != nil {
		x.forget(ctx)
		return err
	}
	if x.intent.Table != "" {
		return x.decide(ctx, cells)
	}
	for try := 0; ; try++ {
		err := x.mutate(ctx, x.intended())
		switch {
		case err == nil || !errors.Is(err, hbase.ErrUnavailable):
			return err
		case try == 2 && x.known.added:
			return ErrUnknown
		case try == 2:
			return err
		}
	}
}

// prepare writes the intent, helps the last decision to its end, and reads what the steps will need. An intent that is itself the decision
// is written last. What another write demands comes to nothing if that is whole: what was read before may be younger than its end.
func (x *execution) prepare(ctx context.Context) error {
	gets, take := x.prefetch()
	parent, open := -1, -1
	if ids := parents(ctx); len(ids) > 0 {
		parent = len(gets)
		gets = append(gets, tables.Intents.Open(ids[len(ids)-1]))
	}
	if mustHelp(ctx, x.intent.After) {
		open = len(gets)
		after, _ := tables.DecidedBy(x.intent.After)
		gets = append(gets, tables.Intents.Open(after))
	}
	var cells [][]hbase.Cell
	g, both := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		cells, err = x.get(both, "prepare", gets)
		return err
	})
	if x.intent.Table != "" {
		g.Go(func() error { return x.mutate(both, x.intended()) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if parent >= 0 && len(cells[parent]) == 0 {
		return errWhole
	}
	if open >= 0 && len(cells[open]) > 0 {
		if err := x.w.help(ctx, x.port, x.intent.After); err != nil {
			return err
		}
	}
	return take(cells)
}

// finish does all steps, says when those are done that the write is acknowledged with, and removes the intent.
func (x *execution) finish(ctx context.Context, acknowledge chan<- error) error {
	err := x.stages(ctx, x.plan.now, "now ")
	whole := errors.Is(err, errWhole)
	if whole {
		err = nil
	}
	if acknowledge != nil {
		acknowledge <- err
	}
	if err != nil || whole {
		return err
	}
	if len(x.plan.later) > 0 {
		if acknowledge != nil {
			err = x.background(ctx)
		} else {
			err = x.later(ctx)
		}
		switch {
		case errors.Is(err, errWhole):
			return nil
		case err != nil:
			return err
		}
	}
	if err := x.done(ctx); err != nil {
		return err
	}
	err = x.mutate(ctx, x.ends()...)
	if err == nil {
		x.w.whole.add(x.intent.ID)
	}
	return err
}

// done keeps what the write demanded, and somebody else who carried it on found out before, from being decided later, when it may not be true any
// more: who wants the same as this write, and finds it done, relies on it.
func (x *execution) done(ctx context.Context) error {
	if !x.known.undone {
		return nil
	}
	own := hbase.Check{Family: x.intent.Family, Qualifier: tables.Decision, Value: []byte(x.intent.ID)}
	_, err := x.checkAndPut(ctx, "done", own, hbase.Put{Table: x.intent.Table, Row: x.intent.Row,
		Cells: []hbase.Cell{x.decision(tables.DoneOp(x.intent.ID), x.intent.At+1)}})
	return err
}

// ends are the last of a write.
func (x *execution) ends() []write {
	remove := write{"remove intent", tables.Intents.Remove(x.intent)}
	if !x.known.ordered {
		return []write{remove}
	}
	whole := hbase.Put{Table: x.intent.Table, Row: x.intent.Row, Cells: []hbase.Cell{tables.WholeCell(x.intent.Family, x.intent.ID, x.intent.At)}}
	return []write{{"whole", whole}, remove}
}

// forget removes the intent of a write that is surely not decided and never will be. If that fails, a sweep does it.
func (x *execution) forget(ctx context.Context) {
	_ = x.mutate(ctx, write{"forget", tables.Intents.Remove(x.intent)})
}

// left notes that a write has to be finished by a sweep.
func (w *Writers) left(p port, intent tables.Intent, err error) {
	w.Counters.Left.Add(1)
	w.log.Warn("a write is left to the next sweep", "kind", p.kind, "intent", intent.ID, "error", err)
}
