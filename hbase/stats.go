package hbase

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Stats counts store calls. It is safe for concurrent use.
type Stats struct {
	// Rounds are waits for a batch of Gets or a scan. Package writers adds a round for each call of
	// the store.
	Rounds atomic.Int64
	// RPCs are multis, single calls and pages of scans. The embedded engine counts calls and pages.
	RPCs        atomic.Int64
	Gets, Scans atomic.Int64
	// Rows and Bytes count results: the [Size] of each row, and the keys of scanned rows.
	Rows, Bytes atomic.Int64
	// Operation is for HBase's slow log. It may be nil.
	Operation func() string
	// Servers and Tables are for reports. They may be nil.
	Servers *Servers
	Tables  *Tables
}

type statsKey struct{}

// WithStats returns a ctx that counts store calls in stats.
func WithStats(ctx context.Context, stats *Stats) context.Context {
	return context.WithValue(ctx, statsKey{}, stats)
}

// StatsOf returns the Stats of ctx, or new Stats.
func StatsOf(ctx context.Context) *Stats {
	if stats, ok := ctx.Value(statsKey{}).(*Stats); ok {
		return stats
	}
	return new(Stats)
}

// Add adds the counts of other, but not its tables.
func (s *Stats) Add(other *Stats) {
	s.Rounds.Add(other.Rounds.Load())
	s.RPCs.Add(other.RPCs.Load())
	s.Gets.Add(other.Gets.Load())
	s.Scans.Add(other.Scans.Load())
	s.Rows.Add(other.Rows.Load())
	s.Bytes.Add(other.Bytes.Load())
	if s.Servers != nil {
		for _, calls := range other.Servers.All() {
			s.Servers.Add(calls)
		}
	}
}

// ServerCalls counts the RPCs to one region server.
type ServerCalls struct {
	Server       string
	RPCs, Gets   int64
	Begun, Ended time.Time // start of the first, end of the last
}

// Servers counts RPCs by region server. It is safe for concurrent use. A nil Servers stays empty.
type Servers struct {
	mu    sync.Mutex
	calls map[string]ServerCalls
}

func (s *Servers) Add(c ServerCalls) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, ok := s.calls[c.Server]; ok {
		c.RPCs, c.Gets = c.RPCs+other.RPCs, c.Gets+other.Gets
		if other.Begun.Before(c.Begun) {
			c.Begun = other.Begun
		}
		if other.Ended.After(c.Ended) {
			c.Ended = other.Ended
		}
	}
	if s.calls == nil {
		s.calls = map[string]ServerCalls{}
	}
	s.calls[c.Server] = c
}

// All returns the counts, sorted by address.
func (s *Servers) All() []ServerCalls {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.calls), func(a, b ServerCalls) int { return cmp.Compare(a.Server, b.Server) })
}

// Tables is a set of tables. It is safe for concurrent use. A nil Tables stays empty.
type Tables struct{ names sync.Map }

func (t *Tables) Add(name string) {
	if t != nil {
		t.names.Store(name, nil)
	}
}

// Names returns the tables, sorted.
func (t *Tables) Names() (names []string) {
	if t != nil {
		t.names.Range(func(name, _ any) bool { names = append(names, name.(string)); return true })
	}
	slices.Sort(names)
	return names
}

// Meter counts the rows of a [Store.Get], and spends its [Budget].
type Meter struct {
	stats       *Stats
	budget      *Budget
	rows, bytes int64
	// Err is the error of the Budget. After an error, return no more rows.
	Err error
}

// MeterOf returns the meter of a call, which must close it.
func MeterOf(ctx context.Context) *Meter {
	return &Meter{stats: StatsOf(ctx), budget: pieceOf(ctx).budget}
}

// Count counts a row of that [Size]. A missing row has the size 0, and does not count.
func (m *Meter) Count(bytes int64) {
	if bytes > 0 {
		m.rows, m.bytes = m.rows+1, m.bytes+bytes
		m.Err = m.budget.Spend(bytes)
	}
}

func (m *Meter) Close() {
	m.stats.Rows.Add(m.rows)
	m.stats.Bytes.Add(m.bytes)
}

// CountResults counts the rows of a Get. The Budget's error replaces the rows after the row that
// exceeds it.
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

// CountRPC counts an RPC that ended now.
func (s *Stats) CountRPC(server string, gets int, begun time.Time) {
	s.RPCs.Add(1)
	s.Servers.Add(ServerCalls{Server: server, RPCs: 1, Gets: int64(gets), Begun: begun, Ended: time.Now()})
}

// CountRow counts a row of a scan.
func (s *Stats) CountRow(row Row) {
	s.Rows.Add(1)
	s.Bytes.Add(int64(len(row.Key)) + Size(row.Cells))
}

// Size returns the bytes of families, qualifiers and values.
func Size(cells []Cell) (bytes int64) {
	for i := range cells {
		bytes += int64(len(cells[i].Family) + len(cells[i].Qualifier) + len(cells[i].Value))
	}
	return bytes
}
