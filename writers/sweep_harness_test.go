package writers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
	"twibase/writers/outbox"
)

const (
	leased     = outbox.LeaseTime
	tick       = time.Second // between two scans
	wholeSweep = time.Minute // between two full scans
)

// sweptGateway is a gateway that can die or stand still, over a store of which each call takes a fifth of a second.
type sweptGateway struct {
	*Writers
	mu   sync.Mutex
	dies func(kind, what string) bool
	dead bool
	// until is till when it stands still.
	until time.Time
	// scanned is from when on it looked for intents at last.
	scanned time.Time
	// at is when it did what is left of a kind of write after its answer, or after its death.
	at map[string][]time.Time
	// ran is closed when Run has returned, stop ends it.
	ran  chan struct{}
	stop context.CancelFunc
}

func newSwept(store hbase.Store) *sweptGateway {
	g := &sweptGateway{at: map[string][]time.Time{}}
	faulty := hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
		g.mu.Lock()
		defer g.mu.Unlock()
		switch op.Kind {
		case "ScanRow":
			return hbasetest.Fault{}
		case "Scan":
			if op.Table == tables.Intents.Table {
				g.scanned, _ = tables.OpTime(op.Row[1:])
			}
		}
		f := hbasetest.Fault{Delay: max(200*time.Millisecond, time.Until(g.until))}
		if g.dead {
			f.Err = errDead
		}
		return f
	})
	g.Writers = New(faulty, Options{parallel: 2})
	g.watch = func(ctx context.Context, kind string, what []string) (context.Context, func()) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if !g.dead && (what[0] == "each" || strings.HasPrefix(what[0], "now ")) && len(parents(ctx)) == 0 {
			g.at[kind] = append(g.at[kind], time.Now())
		}
		g.dead = g.dead || g.dies != nil && g.dies(kind, what[0])
		return ctx, func() {}
	}
	return g
}

// die ends the gateway at the first call that is so.
func (g *sweptGateway) die(is func(kind, what string) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dies = is
}

func (g *sweptGateway) stand(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.until = time.Now().Add(d)
}

func (g *sweptGateway) did(kind string) []time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.at[kind])
}

func (g *sweptGateway) scan() (from time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.scanned
}

func (g *sweptGateway) run(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	g.ran, g.stop = make(chan struct{}), stop
	go func() {
		g.Run(ctx)
		close(g.ran)
	}()
}

// end ends the gateway, which has so long for what it began.
func (g *sweptGateway) end(t *testing.T, patience time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	if g.stop != nil {
		g.stop()
	}
	began := time.Now()
	g.Close(ctx)
	if g.ran != nil {
		<-g.ran
	}
	if took := time.Since(began); took > patience+time.Second {
		t.Errorf("it ended after %v", took)
	}
}

// hub writes a user whose deletion takes a gateway half a minute, and two others.
func hub(t *testing.T, store hbase.Store) {
	t.Helper()
	must(t, store, user("hub"), user("Lucy"), user("LiLei"))
	w := New(store, Options{})
	for i := range 50 {
		name := fmt.Sprint("fan", i)
		must(t, store, user(name))
		if err := w.Relate(t.Context(), tables.Follows, name, "hub"); err != nil {
			t.Fatal(err)
		}
	}
	w.Close(t.Context())
}

// open returns the kinds of the writes that are not whole.
func open(t *testing.T, store hbase.Store) (kinds []string) {
	t.Helper()
	for row, err := range store.Scan(t.Context(), hbase.Scan{Table: tables.Intents.Table}) {
		if err != nil {
			t.Fatal(err)
		}
		i, _, err := tables.Intents.Decode(row.Key, row.Cells)
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, i.Kind)
	}
	return kinds
}

// swept is a store with a hub, in time of its own. In the end it has to be whole.
func swept(t *testing.T, act func(t *testing.T, store hbase.Store)) {
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t)
		defer store.Close()
		hub(t, store)
		act(t, store)
		if kinds := open(t, store); len(kinds) > 0 {
			t.Errorf("not whole: %v", kinds)
		}
		if breaches, err := checkStore(t.Context(), store); len(breaches) > 0 || err != nil {
			t.Error(breaches, err)
		}
	})
}

// wait waits until is so, for a time.
func wait(t *testing.T, patience time.Duration, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(200 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatal("not within ", patience)
		}
	}
}
