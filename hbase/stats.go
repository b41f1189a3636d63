package hbase

import (
	"context"
	"sync"
	"sync/atomic"
)

// Stats counts the store's work for a request. It is safe for concurrent use.
type Stats struct {
	// Rounds counts the waits for the store: for many Gets sent together, for a scan, or for a write.
	Rounds atomic.Int64
	// RPCs counts multis and scan pages. The embedded engine counts those that one region server would get.
	RPCs atomic.Int64
	// Gets and Scans count the operations.
	Gets, Scans atomic.Int64
	// Rows and Bytes count the results; Bytes are those of keys and values.
	Rows, Bytes atomic.Int64
	// Servers, unless it is nil, collects the addresses of the region servers.
	Servers *Servers
}

type statsKey struct{}

// WithStats returns a ctx whose calls are counted in stats.
func WithStats(ctx context.Context, stats *Stats) context.Context {
	return context.WithValue(ctx, statsKey{}, stats)
}

// StatsOf returns the stats that ctx carries, or new ones.
func StatsOf(ctx context.Context) *Stats {
	if stats, ok := ctx.Value(statsKey{}).(*Stats); ok {
		return stats
	}
	return new(Stats)
}

// Add adds the counts of other, without its servers.
func (s *Stats) Add(other *Stats) {
	s.Rounds.Add(other.Rounds.Load())
	s.RPCs.Add(other.RPCs.Load())
	s.Gets.Add(other.Gets.Load())
	s.Scans.Add(other.Scans.Load())
	s.Rows.Add(other.Rows.Load())
	s.Bytes.Add(other.Bytes.Load())
}

// Servers is a set of region servers. It is safe for concurrent use, and a nil one stays empty.
type Servers struct{ names sync.Map }

// Add adds a server by its address.
func (s *Servers) Add(name string) {
	if s != nil {
		s.names.Store(name, nil)
	}
}

// Len returns how many different servers were added.
func (s *Servers) Len() (n int) {
	if s != nil {
		s.names.Range(func(_, _ any) bool { n++; return true })
	}
	return n
}

// Meter counts the rows that a call returns in the [Stats] of its ctx, and takes their bytes from its [Budget].
type Meter struct {
	stats  *Stats
	budget *Budget
	// Err is the error of the budget once it is exceeded. Rows after that are not returned.
	Err error
}

// MeterOf returns the meter of a call.
func MeterOf(ctx context.Context) *Meter { return &Meter{stats: StatsOf(ctx), budget: BudgetOf(ctx)} }

// Count counts the cells of a row, and returns how many bytes they are.
func (m *Meter) Count(cells []Cell) (bytes int64) {
	if len(cells) > 0 {
		bytes = Size(cells)
		m.stats.Rows.Add(1)
		m.stats.Bytes.Add(bytes)
		m.Err = m.budget.Spend(bytes)
	}
	return bytes
}

// CountResults counts results that an engine has read already. Those that the budget does not reach are replaced by its error. A region server
// bounds the answer of a multi itself, by hbase.server.scanner.max.result.size.
func CountResults(ctx context.Context, results []Result) {
	m := MeterOf(ctx)
	for i := range results {
		err := m.Err
		if m.Count(results[i].Cells) > 0 && err != nil {
			results[i] = Result{Err: err}
		}
	}
}

// CountRPC counts what goes out to a server as one RPC.
func (s *Stats) CountRPC(server string) {
	s.RPCs.Add(1)
	s.Servers.Add(server)
}

// CountRow adds one row of a scan.
func (s *Stats) CountRow(row Row) {
	s.Rows.Add(1)
	s.Bytes.Add(int64(len(row.Key)) + Size(row.Cells))
}

// Size returns how many bytes cells count for in [Stats] and a [Budget]: those of keys and values, without the row's.
func Size(cells []Cell) (bytes int64) {
	for i := range cells {
		bytes += int64(len(cells[i].Family) + len(cells[i].Qualifier) + len(cells[i].Value))
	}
	return bytes
}
