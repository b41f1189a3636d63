package hbasetest

import (
	"context"
	"iter"
	"math/rand/v2"
	"sync"
	"time"

	"twibase/hbase"
)

// Faults fails operations as its hook decides. It is safe for concurrent use.
type Faults struct {
	store hbase.Store
	hook  Hook
}

// Op is one item of a call.
type Op struct {
	// Kind is a method's name, "Put" or "Delete" for Mutate, or "ScanRow" for each row of a Scan.
	Kind string
	// For a Scan, Row is its Start.
	Table, Row string
}

func (o Op) Writes() bool {
	switch o.Kind {
	case "Get", "Scan", "ScanRow", "Tables":
		return false
	}
	return true
}

// The zero Fault means no fault.
type Fault struct {
	// Err replaces the result.
	Err error
	// Done executes the operation despite Err. Scans ignore Done.
	Done bool
	// A call waits for its longest Delay, or the end of its ctx.
	Delay time.Duration
}

// Hook returns an operation's fault. It must be safe for concurrent use.
type Hook func(Op) Fault

var _ hbase.Store = (*Faults)(nil)

func NewFaults(store hbase.Store, hook Hook) *Faults { return &Faults{store: store, hook: hook} }

func On(table, row string, fault Fault) Hook {
	return When(func(op Op) bool { return op.Table == table && op.Row == row }, fault)
}

func When(is func(Op) bool, fault Fault) Hook {
	return func(op Op) Fault {
		if is(op) {
			return fault
		}
		return Fault{}
	}
}

// Sometimes returns fault for a random share of the operations. seed and the order of operations
// determine which.
func Sometimes(seed uint64, share float64, fault Fault) Hook {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, seed))
	return When(func(Op) bool {
		mu.Lock()
		defer mu.Unlock()
		return random.Float64() < share
	}, fault)
}

func Any(hooks ...Hook) Hook {
	return func(op Op) Fault {
		for _, hook := range hooks {
			if fault := hook(op); fault.Err != nil || fault.Delay > 0 {
				return fault
			}
		}
		return Fault{}
	}
}

func (f *Faults) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	faults, send := decide(f, gets, func(g hbase.Get) Op { return Op{Kind: "Get", Table: g.Table, Row: g.Row} })
	if err := faults.wait(ctx); err != nil {
		return nil, err
	}
	sent, err := f.store.Get(ctx, send)
	if err != nil {
		return nil, err
	}
	results := make([]hbase.Result, len(gets))
	for i, fault := range faults {
		if fault.passes() {
			results[i], sent = sent[0], sent[1:]
		}
		if fault.Err != nil {
			results[i] = hbase.Result{Err: fault.Err}
		}
	}
	return results, nil
}

func (f *Faults) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	faults, send := decide(f, mutations, mutationOp)
	if err := faults.wait(ctx); err != nil {
		return nil, err
	}
	sent, err := f.store.Mutate(ctx, send)
	if err != nil {
		return nil, err
	}
	errs, failed := make([]error, len(mutations)), false
	for i, fault := range faults {
		if fault.passes() && sent != nil {
			errs[i], sent = sent[0], sent[1:]
		}
		if fault.Err != nil {
			errs[i] = fault.Err
		}
		failed = failed || errs[i] != nil
	}
	if !failed {
		return nil, nil
	}
	return errs, nil
}

func mutationOp(m hbase.Mutation) Op {
	table, row := m.At()
	if _, ok := m.(hbase.Put); ok {
		return Op{Kind: "Put", Table: table, Row: row}
	}
	return Op{Kind: "Delete", Table: table, Row: row}
}

func (f *Faults) Scan(ctx context.Context, scan hbase.Scan) iter.Seq2[hbase.Row, error] {
	rows := f.store.Scan(ctx, scan)
	return func(yield func(hbase.Row, error) bool) {
		if err := f.before(ctx, Op{Kind: "Scan", Table: scan.Table, Row: scan.Start}); err != nil {
			yield(hbase.Row{}, err)
			return
		}
		for row, err := range rows {
			if err == nil {
				err = f.before(ctx, Op{Kind: "ScanRow", Table: scan.Table, Row: row.Key})
			}
			if err != nil {
				yield(hbase.Row{}, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func (f *Faults) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (done bool, err error) {
	err = f.around(ctx, Op{Kind: "CheckAndPut", Table: put.Table, Row: put.Row}, func() error {
		done, err = f.store.CheckAndPut(ctx, check, put)
		return err
	})
	return done && err == nil, err
}

func (f *Faults) CreateTable(ctx context.Context, table hbase.Table) error {
	op := Op{Kind: "CreateTable", Table: table.Name}
	return f.around(ctx, op, func() error { return f.store.CreateTable(ctx, table) })
}

func (f *Faults) Tables(ctx context.Context) (names []string, err error) {
	err = f.around(ctx, Op{Kind: "Tables"}, func() error {
		names, err = f.store.Tables(ctx)
		return err
	})
	return names, err
}

func (f *Faults) DropTable(ctx context.Context, name string) error {
	return f.around(ctx, Op{Kind: "DropTable", Table: name}, func() error { return f.store.DropTable(ctx, name) })
}

func (f *Faults) Close() error { return f.store.Close() }
