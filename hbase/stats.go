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

// Meter counts the rows that a Get returns, and spends their bytes of the [Budget] of its ctx.
type Meter struct {
	stats       *Stats
	budget      *Budget
	rows, bytes int64
	// Err is the budget's error once it is exceeded. Rows after that are not returned.
	Err error
}

// MeterOf returns the meter of a call. Close adds the counts to the [Stats] of ctx.
func MeterOf(ctx context.Context) *Meter { return &Meter{stats: StatsOf(ctx), budget: BudgetOf(ctx)} }

// Count counts a row whose cells have that [Size]. A row of 0 bytes has no cells, and is not counted.
func (m *Meter) Count(bytes int64) {
	if bytes > 0 {
		m.rows, m.bytes = m.rows+1, m.bytes+bytes
		m.Err = m.budget.Spend(bytes)
	}
}

// Close adds the counts to the stats.
func (m *Meter) Close() {
	m.stats.Rows.Add(m.rows)
	m.stats.Bytes.Add(m.bytes)
}

// CountResults counts the results of a Get that were read before they could be counted. The rows after the one that
// exceeds the budget are replaced by its error.
func CountResults(ctx context.Context, results []Result) {
	m := MeterOf(ctx)
	defer m.Close()
	for i := range results {
		err, bytes := m.Err, Size(results[i].Cells)
		if m.Count(bytes); bytes > 0 && err != nil {
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
