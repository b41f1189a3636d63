package hbasetest

import (
	"context"
	"iter"
	"slices"
	"sync"

	"twibase/hbase"
)

// Recorder records the calls of a store as text. It is safe for concurrent use.
//
//	Get user "\x1f\x02小红" i:name,i:email
//	Get follow "\x8a\x11小红" f [after "…" limit 21]
//	Scan user [start "\x1e", stop "\x1f") * limit 20
//	Put user "\x1f\x02小红" i:name
type Recorder struct {
	store hbase.Store
	names Names
	mu    sync.Mutex
	calls []recorded
}

// Names renders row keys and qualifiers. A nil function quotes them.
type Names struct {
	Row       func(table, row string) string
	Qualifier func(table, family, qualifier string) string
}

type recorded struct {
	reads bool
	lines []string
}

var _ hbase.Store = (*Recorder)(nil)

func NewRecorder(store hbase.Store, names Names) *Recorder {
	return &Recorder{store: store, names: names}
}

// Reads returns the sorted Gets, Scans and calls of Tables since the last Reset.
func (r *Recorder) Reads() []string { return r.lines(true) }

func (r *Recorder) Writes() []string { return r.lines(false) }

func (r *Recorder) lines(reads bool) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []string
	for _, c := range r.calls {
		if c.reads == reads {
			lines = append(lines, c.lines...)
		}
	}
	slices.Sort(lines)
	return lines
}

// Calls returns the sorted lines of each call since the last Reset, the earliest call first.
func (r *Recorder) Calls() [][]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var calls [][]string
	for _, c := range r.calls {
		calls = append(calls, slices.Clone(c.lines))
	}
	return calls
}

func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = nil
}

func (r *Recorder) record(reads bool, lines ...string) {
	slices.Sort(lines)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, recorded{reads: reads, lines: lines})
}

func (r *Recorder) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	lines := make([]string, len(gets))
	for i, g := range gets {
		lines[i] = r.names.get(g)
	}
	r.record(true, lines...)
	return r.store.Get(ctx, gets)
}

// Scan records each iteration.
func (r *Recorder) Scan(ctx context.Context, scan hbase.Scan) iter.Seq2[hbase.Row, error] {
	rows := r.store.Scan(ctx, scan)
	return func(yield func(hbase.Row, error) bool) {
		r.record(true, r.names.scan(scan))
		rows(yield)
	}
}

func (r *Recorder) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	lines := make([]string, len(mutations))
	for i, m := range mutations {
		lines[i] = r.names.mutation(m)
	}
	r.record(false, lines...)
	return r.store.Mutate(ctx, mutations)
}

func (r *Recorder) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	r.record(false, r.names.check(check, put))
	return r.store.CheckAndPut(ctx, check, put)
}

func (r *Recorder) CreateTable(ctx context.Context, table hbase.Table) error {
	r.record(false, "CreateTable "+table.Name)
	return r.store.CreateTable(ctx, table)
}

func (r *Recorder) Tables(ctx context.Context) ([]string, error) {
	r.record(true, "Tables")
	return r.store.Tables(ctx)
}

func (r *Recorder) DropTable(ctx context.Context, name string) error {
	r.record(false, "DropTable "+name)
	return r.store.DropTable(ctx, name)
}

func (r *Recorder) Close() error { return r.store.Close() }
