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
	leaseTime        = outbox.LeaseTime
	scanInterval     = time.Second
	fullScanInterval = time.Minute
)

// testGateway's store calls take 200 ms each.
type testGateway struct {
	*Writers
	mu          sync.Mutex
	dies        func(opType, purpose string) bool
	dead        bool
	pausedUntil time.Time
	scannedFrom time.Time
	// times of first effects and of reads of lists, by operation type
	effects map[string][]time.Time
	// stop ends Run
	ran  chan struct{}
	stop context.CancelFunc
}

func newTestGateway(store hbase.Store) *testGateway {
	g := &testGateway{effects: map[string][]time.Time{}}
	faulty := hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
		g.mu.Lock()
		defer g.mu.Unlock()
		switch op.Kind {
		case "ScanRow":
			return hbasetest.Fault{}
		case "Scan":
			if op.Table == tables.Intents.Table {
				g.scannedFrom, _ = tables.OpTime(op.Row[1:])
			}
		}
		f := hbasetest.Fault{Delay: max(200*time.Millisecond, time.Until(g.pausedUntil))}
		if g.dead {
			f.Err = errDead
		}
		return f
	})
	g.Writers = New(faulty, Options{parallel: 2})
	g.observe = func(ctx context.Context, c client, purpose []string) (context.Context, func()) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if !g.dead && (purpose[0] == "each" || strings.HasPrefix(purpose[0], "now ")) && len(c.parents) == 0 {
			g.effects[c.caller] = append(g.effects[c.caller], time.Now())
		}
		g.dead = g.dead || g.dies != nil && g.dies(c.caller, purpose[0])
		return ctx, func() {}
	}
	return g
}

func (g *testGateway) dieAt(matches func(opType, purpose string) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dies = matches
}

func (g *testGateway) pause(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pausedUntil = time.Now().Add(d)
}

func (g *testGateway) effectsOf(opType string) []time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.effects[opType])
}

func (g *testGateway) lastScan() (from time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.scannedFrom
}

func (g *testGateway) run(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	g.ran, g.stop = make(chan struct{}), stop
	go func() {
		g.Run(ctx)
		close(g.ran)
	}()
}

// shutDown's timeout limits the completion of started operations.
func (g *testGateway) shutDown(t *testing.T, timeout time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), timeout)
	defer cancel()
	if g.stop != nil {
		g.stop()
	}
	began := time.Now()
	g.Close(ctx)
	if g.ran != nil {
		<-g.ran
	}
	if took := time.Since(began); took > timeout+time.Second {
		t.Errorf("shutdown took %v, want %v", took, timeout)
	}
}

// addPopularUser stores a user whose deletion takes half a minute.
func addPopularUser(t *testing.T, store hbase.Store) {
	t.Helper()
	mustMutate(t, store, importedUsers("hub", "Lucy", "LiLei")...)
	w := New(store, Options{})
	for i := range 50 {
		name := fmt.Sprint("fan", i)
		mustMutate(t, store, importedUsers(name)...)
		if err := w.Relate(t.Context(), tables.Follows, name, "hub"); err != nil {
			t.Fatal(err)
		}
	}
	w.Close(t.Context())
}

func openTypes(t *testing.T, store hbase.Store) (opTypeNames []string) {
	t.Helper()
	for row, err := range store.Scan(t.Context(), hbase.Scan{Table: tables.Intents.Table}) {
		if err != nil {
			t.Fatal(err)
		}
		i, _, err := tables.Intents.Decode(row.Key, row.Cells)
		if err != nil {
			t.Fatal(err)
		}
		opTypeNames = append(opTypeNames, i.OpType)
	}
	return opTypeNames
}

func withPopularUser(t *testing.T, act func(t *testing.T, store hbase.Store)) {
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t)
		defer store.Close()
		addPopularUser(t, store)
		act(t, store)
		if opTypeNames := openTypes(t, store); len(opTypeNames) > 0 {
			t.Errorf("incomplete operations: %v", opTypeNames)
		}
		if violations, err := checkStore(t.Context(), store); len(violations) > 0 || err != nil {
			t.Error(violations, err)
		}
	})
}

func waitFor(t *testing.T, timeout time.Duration, done func() bool) {
	t.Helper()
	for began := time.Now(); !done(); time.Sleep(200 * time.Millisecond) {
		if time.Since(began) > timeout {
			t.Fatal("not within ", timeout)
		}
	}
}
