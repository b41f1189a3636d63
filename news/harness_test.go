package news

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

// world is a store that a poller looks at, on a clock of its own.
type world struct {
	t      *testing.T
	store  hbase.Store
	poller *Poller
	stop   context.CancelFunc

	mu     sync.Mutex
	behind time.Time       // since when twits are on their way to timelines
	fault  hbasetest.Fault // of all reads of rows
	blind  error           // what the question fails with who sees what
	slow   time.Duration   // how long See takes
}

var (
	errDown  = fmt.Errorf("a test has it so: %w", hbase.ErrUnavailable)
	errBlind = errors.New("a test has it so")
)

// in runs a test in a world of its own.
func in(t *testing.T, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		store, err := embedded.Open("")
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		for _, table := range tables.Definitions(1) {
			if err := store.CreateTable(t.Context(), table); err != nil {
				t.Fatal(err)
			}
		}
		w := &world{t: t, store: store}
		faulty := hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.fault
		})
		w.poller = New(faulty, Options{See: w.see, Behind: w.since})
		ctx, cancel := context.WithCancel(t.Context())
		w.stop = cancel
		var running sync.WaitGroup
		running.Go(func() { w.poller.Run(ctx) })
		test(t, w)
		cancel()
		running.Wait()
	})
}

// see hides the twits whose names begin with a hyphen.
func (w *world) see(_ context.Context, sights []Sight) ([]*tables.Twit, []error) {
	w.mu.Lock()
	slow := w.slow
	w.mu.Unlock()
	time.Sleep(slow)
	w.mu.Lock()
	defer w.mu.Unlock()
	twits := make([]*tables.Twit, len(sights))
	if w.blind != nil {
		return twits, slices.Repeat([]error{w.blind}, len(sights))
	}
	for i, s := range sights {
		at, name, _ := s.Key.Parts()
		if name[0] != '-' {
			twits[i] = &tables.Twit{AuthorName: s.Key.Author, PostedAt: at, Name: name}
		}
	}
	return twits, nil
}

func (w *world) since() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.behind
}

func (w *world) lag(since time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.behind = since
}

func (w *world) set(fault hbasetest.Fault, blind error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault, w.blind = fault, blind
}

// delay makes See take a time.
func (w *world) delay(slow time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slow = slow
}

func (w *world) put(puts ...hbase.Mutation) {
	w.t.Helper()
	if errs, err := w.store.Mutate(w.t.Context(), puts); err != nil || errs != nil {
		w.t.Fatal(errs, err)
	}
}

// posts puts a twit, of that age, into its author's list.
func (w *world) posts(author, name string, age time.Duration) *tables.Twit {
	w.t.Helper()
	twit := &tables.Twit{AuthorName: author, PostedAt: time.Now().Add(-age), Name: name, Content: name}
	w.put(hbase.Put{Table: tables.Twits.Table, Row: tables.Twits.Row(author, 0), Cells: []hbase.Cell{tables.Twits.Cell(twit, 1)}})
	return twit
}

// spreads puts a twit, of that age, into somebody's timeline.
func (w *world) spreads(owner, author, name string, age time.Duration) *tables.Twit {
	w.t.Helper()
	twit := &tables.Twit{AuthorName: author, PostedAt: time.Now().Add(-age), Name: name}
	w.spread(owner, twit)
	return twit
}

func (w *world) spread(owner string, twits ...*tables.Twit) {
	w.t.Helper()
	for _, twit := range twits {
		w.put(hbase.Put{Table: tables.Timelines.Table, Row: tables.Timelines.Row(owner, 0), Cells: []hbase.Cell{tables.Timelines.Cell(twit.Key(), 1)}})
	}
}

// listener is somebody who subscribes.
type listener struct {
	*Subscription
	w *world
}

func (w *world) listens(kind Kind, owner string) listener {
	w.t.Helper()
	s, err := w.poller.Subscribe(w.t.Context(), kind, owner, time.Time{})
	if err != nil {
		w.t.Fatal(err)
	}
	return listener{s, w}
}

// hears wants just these twits to have come after one more look, in this order.
func (l listener) hears(names ...string) {
	l.w.t.Helper()
	time.Sleep(Interval)
	synctest.Wait()
	heard := []string{}
	for len(l.queue) > 0 {
		heard = append(heard, (<-l.Twits()).Name)
	}
	if !slices.Equal(heard, names) {
		l.w.t.Errorf("%q came, not %q", heard, names)
	}
}
