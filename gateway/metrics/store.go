package metrics

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"twibase/hbase"
)

// Store measures the calls of another store.
type Store struct {
	hbase.Store
	duration *prometheus.HistogramVec
}

// NewStore returns a Store that calls store.
func NewStore(store hbase.Store) *Store {
	return &Store{Store: store, duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "twibase_store_call_duration_seconds",
		Help:    "Time of calls of the store, by table and kind of call. A call of several tables counts for each.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"table", "kind"})}
}

// Collectors returns the metrics of calls, and those of the store itself, if it has any.
func (s *Store) Collectors() []prometheus.Collector {
	all := []prometheus.Collector{s.duration}
	if store, ok := s.Store.(interface{ Metrics() []prometheus.Collector }); ok {
		all = append(all, store.Metrics()...)
	}
	return all
}

func (s *Store) observe(kind string, took time.Duration, tables ...string) {
	for _, table := range tables {
		s.duration.WithLabelValues(table, kind).Observe(took.Seconds())
	}
}

func (s *Store) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	tables := distinct(len(gets), func(i int) string { return gets[i].Table })
	start := time.Now()
	results, err := s.Store.Get(ctx, gets)
	s.observe("Get", time.Since(start), tables...)
	return results, err
}

// Scan measures the time without the caller's loop.
func (s *Store) Scan(ctx context.Context, scan hbase.Scan) iter.Seq2[hbase.Row, error] {
	return func(yield func(hbase.Row, error) bool) {
		start := time.Now()
		var caller time.Duration
		defer func() { s.observe("Scan", time.Since(start)-caller, scan.Table) }()
		for row, err := range s.Store.Scan(ctx, scan) {
			read := time.Since(start)
			more := yield(row, err)
			caller += time.Since(start) - read
			if !more {
				return
			}
		}
	}
}

// Mutate measures a call for each of its tables.
func (s *Store) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	tables := distinct(len(mutations), func(i int) string { table, _ := mutations[i].At(); return table })
	start := time.Now()
	errs, err := s.Store.Mutate(ctx, mutations)
	s.observe("Mutate", time.Since(start), tables...)
	return errs, err
}

// CheckAndPut measures a call.
func (s *Store) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	start := time.Now()
	done, err := s.Store.CheckAndPut(ctx, check, put)
	s.observe("CheckAndPut", time.Since(start), put.Table)
	return done, err
}

func distinct(n int, table func(i int) string) (tables []string) {
	tables = make([]string, 0, 4)
	for i := range n {
		if t := table(i); !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
	}
	return tables
}
