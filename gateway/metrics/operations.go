// Package metrics measures requests, operations and store calls for Prometheus.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"twibase/gateway/usage"
	"twibase/graph/endpoint"
	"twibase/hbase"
)

// Operations counts requests, operations and their reads. It is safe for concurrent use.
type Operations struct {
	executions *prometheus.CounterVec
	errors     *prometheus.CounterVec
	costs      []costMetric
	requests   *requestMetrics
}

type costMetric struct {
	prometheus.Histogram
	read func(*hbase.Stats) int64
}

// NewOperations returns metrics of operations, and adds requests to usage.
func NewOperations(usage *usage.Usage) *Operations {
	cost := func(name, help string, read func(*hbase.Stats) int64, start, factor float64, count int) costMetric {
		buckets := append([]float64{0}, prometheus.ExponentialBuckets(start, factor, count)...)
		return costMetric{prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "twibase_operation_" + name, Help: help, Buckets: buckets,
		}), read}
	}
	return &Operations{
		executions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "twibase_executions_total",
			Help: "Operations by executor: plan, or stock for gqlgen's own. The reason is unplanned for stock, otherwise empty.",
		}, []string{"executor", "reason"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "twibase_errors_total",
			Help: "Errors of responses by extensions.code. " +
				"Of requests without a token, at most 10 rejections per second by load shedding are counted.",
		}, []string{"code"}),
		costs: []costMetric{
			cost("rounds", "Round trips to the store per operation.",
				func(s *hbase.Stats) int64 { return s.Rounds.Load() }, 1, 2, 7),
			cost("rpcs", "RPCs per operation; on the embedded store, calls and pages of scans.",
				func(s *hbase.Stats) int64 { return s.RPCs.Load() }, 1, 2, 11),
			cost("gets", "Gets per operation.", func(s *hbase.Stats) int64 { return s.Gets.Load() }, 1, 4, 9),
			cost("scans", "Scans per operation.", func(s *hbase.Stats) int64 { return s.Scans.Load() }, 1, 2, 5),
			cost("rows", "Rows read per operation.", func(s *hbase.Stats) int64 { return s.Rows.Load() }, 1, 4, 9),
			cost("bytes", "Bytes of keys and values read per operation.",
				func(s *hbase.Stats) int64 { return s.Bytes.Load() }, 256, 4, 11),
		},
		requests: newRequestMetrics(usage),
	}
}

// Collectors returns the metrics, to register.
func (m *Operations) Collectors() []prometheus.Collector {
	all := append(m.requests.collectors(), m.executions, m.errors)
	for _, cost := range m.costs {
		all = append(all, cost)
	}
	return all
}

// Observe adds a request with the reads of its operation.
func (m *Operations) Observe(trace *endpoint.Trace, cost *hbase.Stats, took time.Duration) {
	m.requests.observe(trace, cost, took, time.Now())
	for code, n := range trace.Codes {
		m.errors.WithLabelValues(code).Add(float64(n))
	}
	execution := trace.Execution
	if execution.Executor == "" {
		return
	}
	m.executions.WithLabelValues(execution.Executor, execution.Reason).Inc()
	for _, metric := range m.costs {
		metric.Observe(float64(metric.read(cost)))
	}
}
