package gateway

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"twibase/graph/endpoint/inflight"
	"twibase/graph/plan"
	"twibase/hbase"
)

// operationMetrics are the metrics of executed operations.
type operationMetrics struct {
	executions                            *prometheus.CounterVec
	rounds, rpcs, gets, scans, rows, size prometheus.Histogram
}

func newOperationMetrics() *operationMetrics {
	buckets := prometheus.ExponentialBuckets
	return &operationMetrics{
		executions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "twibase_executions_total",
			Help: "Operations by executor, and the reason if that is not the plan.",
		}, []string{"executor", "reason"}),
		rounds: operationHistogram("rounds", "Round trips to the store per operation.", buckets(1, 2, 7)),
		rpcs: operationHistogram("rpcs",
			"RPCs per operation; on the embedded store, those that one region server would see.", buckets(1, 2, 11)),
		gets:  operationHistogram("gets", "Gets per operation.", buckets(1, 4, 9)),
		scans: operationHistogram("scans", "Scans per operation.", buckets(1, 2, 5)),
		rows:  operationHistogram("rows", "Rows read per operation.", buckets(1, 4, 9)),
		size:  operationHistogram("bytes", "Bytes of keys and values read per operation.", buckets(256, 4, 11)),
	}
}

func operationHistogram(name, help string, buckets []float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "twibase_operation_" + name, Help: help, Buckets: append([]float64{0}, buckets...),
	})
}

func (m *operationMetrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.executions, m.rounds, m.rpcs, m.gets, m.scans, m.rows, m.size}
}

// observe adds an operation, unless it was not executed.
func (m *operationMetrics) observe(by plan.Execution, cost *hbase.Stats) {
	if by.Executor == "" {
		return
	}
	m.executions.WithLabelValues(by.Executor, by.Reason).Inc()
	m.rounds.Observe(float64(cost.Rounds.Load()))
	m.rpcs.Observe(float64(cost.RPCs.Load()))
	m.gets.Observe(float64(cost.Gets.Load()))
	m.scans.Observe(float64(cost.Scans.Load()))
	m.rows.Observe(float64(cost.Rows.Load()))
	m.size.Observe(float64(cost.Bytes.Load()))
}

// newRegistry returns a registry of all metrics of this gateway.
func (g *Gateway) newRegistry(operations *operationMetrics) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(operations.collectors()...)
	registry.MustRegister(g.loadMetrics()...)
	registry.MustRegister(g.backgroundMetrics()...)
	registry.MustRegister(g.config.Collectors...)
	if store, ok := g.store.(interface{ Metrics() []prometheus.Collector }); ok {
		registry.MustRegister(store.Metrics()...)
	}
	return registry
}

// loadMetrics are the metrics of admission control and of slow clients.
func (g *Gateway) loadMetrics() []prometheus.Collector {
	admission := func(pick func(running, waiting, refused int64) int64) func() float64 {
		return func() float64 { return float64(pick(g.endpoint.Load())) }
	}
	bytes := func(b *inflight.Bytes) func() float64 {
		return func() float64 { n, _ := b.Load(); return float64(n) }
	}
	closed := func(b *inflight.Bytes) func() float64 {
		return func() float64 { _, n := b.Load(); return float64(n) }
	}
	return []prometheus.Collector{
		gauge("admission_running", "Operations that are being executed.",
			admission(func(running, _, _ int64) int64 { return running })),
		gauge("admission_waiting", "Operations that wait for a slot.",
			admission(func(_, waiting, _ int64) int64 { return waiting })),
		counter("admission_refused_total", "Operations that were rejected by load shedding.",
			admission(func(_, _, refused int64) int64 { return refused })),
		gauge("read_memory_bytes", "Bytes that large requests have read, or are about to read.",
			func() float64 { held, _ := g.memory.Load(); return float64(held) }),
		counter("read_memory_refused_total", "Reads that were refused because large requests held all of --read-memory.",
			func() float64 { _, refused := g.memory.Load(); return float64(refused) }),
		gauge("answers_waiting_bytes", "Bytes of responses that are being sent.", bytes(g.responses)),
		counter("answers_cut_off_total", "Responses that were cut off because slow readers held too many bytes.",
			closed(g.responses)),
		gauge("requests_waiting_bytes", "Bytes of request bodies and WebSocket messages that are being received.",
			bytes(g.bodies)),
		counter("requests_cut_off_total", "Requests that were cut off because slow senders held too many bytes.",
			closed(g.bodies)),
	}
}

// backgroundMetrics are the metrics of the fan-out and of live subscriptions.
func (g *Gateway) backgroundMetrics() []prometheus.Collector {
	live := &g.live.Counters
	return []prometheus.Collector{
		counter("loader_fallbacks_total", "Responses whose reads were failed because a resolver blocked. Anything but 0 is a bug.",
			func() float64 { return float64(g.watchdog.Stalls.Load()) }),
		gauge("fanout_lag_seconds", "Age of the oldest fan-out job of all gateways; 0 if there is none.",
			func() float64 {
				if oldest := g.feeds.Lag().Oldest; !oldest.IsZero() {
					return time.Since(oldest).Seconds()
				}
				return 0
			}),
		gauge("fanout_errands", "Fan-out jobs of all gateways, counted up to 4096.",
			func() float64 { return float64(g.feeds.Lag().Pending) }),
		gauge("subscription_subscribers", "Live subscriptions.",
			func() float64 { return float64(live.Subscribers.Load()) }),
		gauge("subscription_rows", "Rows that are polled for live subscriptions.",
			func() float64 { return float64(live.Rows.Load()) }),
		counter("subscription_looks_total", "Polls of single rows.",
			func() float64 { return float64(live.Polls.Load()) }),
		counter("subscription_rounds_total", "Multi-gets of all polls.",
			func() float64 { return float64(live.Rounds.Load()) }),
		counter("subscription_gets_total", "Gets of all polls.",
			func() float64 { return float64(live.Gets.Load()) }),
		counter("subscription_told_total", "Events that were delivered, counted per subscriber.",
			func() float64 { return float64(live.Delivered.Load()) }),
		counter("subscription_cut_off_total", "Subscribers that were closed because they read too slowly.",
			func() float64 { return float64(live.CutOff.Load()) }),
	}
}

func gauge(name, help string, read func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "twibase", Name: name, Help: help}, read)
}

func counter(name, help string, read func() float64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "twibase", Name: name, Help: help}, read)
}

// serveMetrics returns the handler of /metrics. gohbase and the Go runtime register theirs with the default
// registry of the process.
func (g *Gateway) serveMetrics() http.Handler {
	all := prometheus.Gatherers{g.Metrics, prometheus.DefaultGatherer}
	return promhttp.InstrumentMetricHandler(g.Metrics, promhttp.HandlerFor(all, promhttp.HandlerOpts{}))
}
