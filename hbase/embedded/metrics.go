package embedded

import "github.com/prometheus/client_golang/prometheus"

// Metrics returns the metrics of the row cache. The caller registers them.
func (s *Store) Metrics() []prometheus.Collector {
	counter := func(name, help string, read func() int64) prometheus.Collector {
		options := prometheus.CounterOpts{Namespace: "twibase", Name: name, Help: help}
		return prometheus.NewCounterFunc(options, func() float64 { return float64(read()) })
	}
	return []prometheus.Collector{
		counter("row_cache_hits_total", "Rows that were read from the row cache.",
			func() int64 { hits, _ := s.RowCache(); return hits }),
		counter("row_cache_misses_total", "Rows that the row cache did not have.",
			func() int64 { _, misses := s.RowCache(); return misses }),
	}
}
