package live

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

// fixture is a store that a poller polls at, on a clock of its own.
type fixture struct {
	t      *testing.T
	store  hbase.Store
	poller *Poller
	stop   context.CancelFunc

	mu         sync.Mutex
	behind     time.Time       // what OldestFanout returns
	fault      hbasetest.Fault // of all reads
	visibleErr error           // with which Visible fails
	slow       time.Duration   // how long Visible takes
}

var (
	errDown    = fmt.Errorf("a test has it so: %f", hbase.ErrUnavailable)
	errVisible = errors.New("a test has it so")
)

// withFixture runs a test with a fixture of its own.
func withFixture(t *testing.T, test func(t *testing.T, f *fixture)) {
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
		f := &fixture{t: t, store: store}
		faulty := hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.fault
		})
		f.poller = New(faulty, Options{Visible: f.visible, OldestFanout: f.oldestFanout})
		ctx, cancel := context.WithCancel(t.Context())
		f.stop = cancel
		var running sync.WaitGroup
		running.Go(func() { f.poller.Run(ctx) })
		test(t, f)
		cancel()
		running.Wait()
	})
}

// see hides the twits whose names begin with a hyphen.
func (f *fixture) visible(_ context.Context, candidates []Candidate) ([]*tables.Twit, []error) {
	f.mu.Lock()
	slow := f.slow
	f.mu.Unlock()
	time.Sleep(slow)
	f.mu.Lock()
	defer f.mu.Unlock()
	twits := make([]*tables.Twit, len(candidates))
	if f.visibleErr != nil {
		return twits, slices.Repeat([]error{f.visibleErr}, len(candidates))
	}
	for i, s := range candidates {
		at, name, _ := s.Key.Parts()
		if name[0] != '-' {
			twits[i] = &tables.Twit{AuthorName: s.Key.Author, PostedAt: at, Name: name}
		}
	}
	return twits, nil
}

func (f *fixture) oldestFanout() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.behind
}

func (f *fixture) setOldestFanout(since time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.behind = since
}

func (f *fixture) set(fault hbasetest.Fault, visibleErr error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault, f.visibleErr = fault, visibleErr
}

// delay makes Visible slow.
func (f *fixture) delay(slow time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slow = slow
}

func (f *fixture) put(puts ...hbase.Mutation) {
	f.t.Helper()
	if errs, err := f.store.Mutate(f.t.Context(), puts); err != nil || errs != nil {
		f.t.Fatal(errs, err)
	}
}

// post adds a twit to the list of its author.
func (f *fixture) post(author, name string, age time.Duration) *tables.Twit {
	f.t.Helper()
	twit := &tables.Twit{AuthorName: author, PostedAt: time.Now().Add(-age), Name: name, Content: name}
	f.put(hbase.Put{Table: tables.Twits.Table, Row: tables.Twits.Row(author, 0), Cells: []hbase.Cell{tables.Twits.Cell(twit, 1)}})
	return twit
}

// addEntry adds a twit to a timeline.
func (f *fixture) addEntry(owner, author, name string, age time.Duration) *tables.Twit {
	f.t.Helper()
	twit := &tables.Twit{AuthorName: author, PostedAt: time.Now().Add(-age), Name: name}
	f.addEntries(owner, twit)
	return twit
}

func (f *fixture) addEntries(owner string, twits ...*tables.Twit) {
	f.t.Helper()
	for _, twit := range twits {
		f.put(hbase.Put{Table: tables.Timelines.Table, Row: tables.Timelines.Row(owner, 0), Cells: []hbase.Cell{tables.Timelines.Cell(twit.Key(), 1)}})
	}
}

// listener is a subscription in a test.
type listener struct {
	*Subscription
	f *fixture
}

func (f *fixture) subscribe(kind Kind, owner string) listener {
	f.t.Helper()
	s, err := f.poller.Subscribe(f.t.Context(), kind, owner, time.Time{})
	if err != nil {
		f.t.Fatal(err)
	}
	return listener{s, f}
}

// wantNext checks which twits the next poll delivers, in this order.
func (l listener) wantNext(names ...string) {
	l.f.t.Helper()
	time.Sleep(Interval)
	synctest.Wait()
	received := []string{}
	for len(l.queue) > 0 {
		received = append(received, (<-l.Twits()).Name)
	}
	if !slices.Equal(received, names) {
		l.f.t.Errorf("received %q, want %q", received, names)
	}
}
