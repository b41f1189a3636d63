package outbox_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/writers/outbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errDown = errors.New("the store is down")

var table = tables.Outbox{Table: "outbox"}

// count is an item whose work writes the numbers below size, one at a time.
type count struct {
	size, next int
	deferred   bool
}

type fixture struct {
	*testing.T
	store hbase.Store
	ids   *rand.Rand
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	definition := hbase.Table{Name: table.Table, Families: []hbase.FamilySchema{{Name: tables.Attributes}}}
	if err := store.CreateTable(t.Context(), definition); err != nil {
		t.Fatal(err)
	}
	return &fixture{t, store, rand.New(rand.NewPCG(1, 2))}
}

func cell(column string, timestamp int64, value string) hbase.Cell {
	return hbase.Cell{Family: tables.Attributes, Qualifier: column, Timestamp: timestamp, Value: []byte(value)}
}

func number(text []byte) int {
	n, _ := strconv.Atoi(string(text))
	return n
}

func decode(row string, cells []hbase.Cell) (c count, ok bool, err error) {
	if _, err := table.IDOf(row); err != nil {
		return c, false, err
	}
	for _, cell := range cells {
		switch cell.Qualifier {
		case "size":
			c.size, ok = number(cell.Value), true
		case "next":
			c.next = number(cell.Value)
		case "deferred":
			c.deferred = string(cell.Value) == "true"
		}
	}
	if ok && c.size == 0 {
		err = hbase.ErrCorrupt
	}
	return c, ok, err
}

func progress(next int, deferred bool) []hbase.Cell {
	return []hbase.Cell{cell("next", 0, strconv.Itoa(next)), cell("deferred", 0, strconv.FormatBool(deferred))}
}

func (f *fixture) put(at time.Time, size string) (id string) {
	f.Helper()
	id = tables.NewOp(at, f.ids.Uint64())
	cells := []hbase.Cell{cell("size", 1, size), tables.NewLease("", time.UnixMilli(0)).Cell(1)}
	f.write(hbase.Put{Table: table.Table, Row: table.Row(id), Cells: cells})
	return id
}

func (f *fixture) write(m hbase.Mutation) {
	f.Helper()
	if errs, err := f.store.Mutate(f.Context(), []hbase.Mutation{m}); err != nil || errs != nil {
		f.Fatal(err, errs)
	}
}

func (f *fixture) remaining() (n int) {
	f.Helper()
	for row, err := range f.store.Scan(f.Context(), hbase.Scan{Table: table.Table, Columns: tables.Attributes}) {
		if err != nil {
			f.Fatal(err)
		}
		if _, ok, _ := decode(row.Key, row.Cells); ok {
			n++
		}
	}
	return n
}

type gateway struct {
	store      hbase.Store
	workers    int
	clockAhead time.Duration
	// nil succeeds
	write func(ctx context.Context, id string, n int) error
	// if not 0, an item is deferred once, after its last number
	pause time.Duration

	mu      sync.Mutex
	written map[string][]int
	done    []count
}

func (f *fixture) gateway(g *gateway) (*gateway, *outbox.Outbox[count]) {
	if g.store == nil {
		g.store = f.store
	}
	if g.workers == 0 {
		g.workers = 1
	}
	g.written = map[string][]int{}
	return g, outbox.New(outbox.Config[count]{
		Store:    g.store,
		Table:    table,
		Decode:   decode,
		Describe: func(c count) outbox.Properties { return outbox.Properties{Deferred: c.deferred} },
		Work:     g.work,
		Workers:  g.workers,
		Now:      func() time.Time { return time.Now().Add(g.clockAhead) },
		Rand:     rand.NewPCG(f.ids.Uint64(), 0),
	})
}

func (g *gateway) work(ctx context.Context, item *outbox.Item[count]) (done bool, err error) {
	c := item.Value
	for n := c.next; n < c.size; n++ {
		if err := item.Renew(ctx, progress(n, false)...); err != nil {
			return false, err
		}
		if g.write != nil {
			if err := g.write(ctx, item.ID, n); err != nil {
				return false, err
			}
		}
		g.mu.Lock()
		g.written[item.ID] = append(g.written[item.ID], n)
		g.mu.Unlock()
	}
	if g.pause > 0 && !c.deferred {
		return false, item.Defer(ctx, g.pause, progress(c.size, true)...)
	}
	if err := item.Release(ctx, progress(c.size, c.deferred)...); err != nil {
		return false, err
	}
	remove := hbase.Delete{Table: table.Table, Row: table.Row(item.ID), Timestamp: tables.Forever}
	err = hbase.MutateAll(ctx, g.store, []hbase.Mutation{remove})
	if err == nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.done = append(g.done, c)
	}
	return err == nil, err
}

func (f *fixture) run(all ...*outbox.Outbox[count]) (stop func()) {
	ctx, cancel := context.WithCancel(f.Context())
	var running sync.WaitGroup
	for _, o := range all {
		running.Go(func() { o.Run(ctx, ctx) })
	}
	return func() { cancel(); running.Wait() }
}

func withFakeClock(t *testing.T, test func(f *fixture)) {
	synctest.Test(t, func(t *testing.T) { test(newFixture(t)) })
}
