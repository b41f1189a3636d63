package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type fixture struct {
	t      *testing.T
	store  hbase.Store
	poller *Poller
	stop   func()

	mu         sync.Mutex
	pending    time.Time // for PendingSince
	fault      hbasetest.Fault
	row        string // with the fault; if empty, all rows have it
	visibleErr error
	slow       time.Duration // the duration of Visible
}

var (
	errDown    = fmt.Errorf("injected: %w", hbase.ErrUnavailable)
	errVisible = errors.New("injected")
)

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
			if f.row != "" && op.Row != f.row {
				return hbasetest.Fault{}
			}
			return f.fault
		})
		f.poller = New(faulty, Options{Visible: f.visible, PendingSince: f.pendingSince})
		_, f.stop = run(t, f.poller)
		test(t, f)
		f.stop()
	})
}

func run(t *testing.T, p *Poller) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	return ctx, func() {
		cancel()
		running.Wait()
	}
}

// visible hides names that begin with a hyphen.
func (f *fixture) visible(_ context.Context, candidates []Candidate) ([]any, []error) {
	f.mu.Lock()
	slow := f.slow
	f.mu.Unlock()
	time.Sleep(slow)
	f.mu.Lock()
	defer f.mu.Unlock()
	names := make([]any, len(candidates))
	if f.visibleErr != nil {
		return names, slices.Repeat([]error{f.visibleErr}, len(candidates))
	}
	for i, s := range candidates {
		if name := nameOf(s.Kind, s.Key); name[0] != '-' {
			names[i] = name
		}
	}
	return names, nil
}

func nameOf(kind Kind, k Key) string {
	rest := k.Position[8:]
	if kind == Deletions {
		rest = rest[8:] // the time of the twit
	}
	name, _, _ := strings.Cut(rest, "\x00")
	return name
}

func keyOf(t *tables.Twit) Key { return Key{t.AuthorName, t.Key().Position} }

func (f *fixture) pendingSince() []time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return []time.Time{{}, f.pending}
}

func (f *fixture) setPending(since time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = since
}

func (f *fixture) set(fault hbasetest.Fault, visibleErr error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault, f.row, f.visibleErr = fault, "", visibleErr
}

func (f *fixture) failRow(row string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault, f.row = hbasetest.Fault{Err: errDown}, row
}

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

func (f *fixture) post(author, name string, age time.Duration) *tables.Twit {
	f.t.Helper()
	twit := &tables.Twit{AuthorName: author, PostedAt: time.Now().Add(-age), Name: name, Content: name}
	cells := []hbase.Cell{tables.Twits.Cell(twit, 1)}
	f.put(hbase.Put{Table: tables.Twits.Table, Row: tables.Twits.Row(author, 0), Cells: cells})
	return twit
}

func (f *fixture) addEntry(owner, author, name string, age time.Duration) *tables.Twit {
	f.t.Helper()
	twit := &tables.Twit{AuthorName: author, PostedAt: time.Now().Add(-age), Name: name}
	f.addEntries(owner, twit)
	return twit
}

func (f *fixture) addEntries(owner string, twits ...*tables.Twit) {
	f.t.Helper()
	for _, twit := range twits {
		cells := []hbase.Cell{tables.Timelines.Cell(twit.Key(), 1)}
		f.put(hbase.Put{Table: tables.Timelines.Table, Row: tables.Timelines.Row(owner, 0), Cells: cells})
	}
}

type listener struct {
	*Subscription
	f *fixture
}

func (f *fixture) subscribe(kind Kind, owner string) listener {
	f.t.Helper()
	s, err := f.poller.Subscribe(f.t.Context(), "", kind, owner, time.Time{})
	if err != nil {
		f.t.Fatal(err)
	}
	return listener{s, f}
}

func (l listener) wantNext(names ...string) {
	l.f.t.Helper()
	time.Sleep(Interval)
	synctest.Wait()
	received := []string{}
	for len(l.queue) > 0 {
		received = append(received, (<-l.Events()).Entry.(string))
	}
	if !slices.Equal(received, names) {
		l.f.t.Errorf("got %q, want %q", received, names)
	}
}
