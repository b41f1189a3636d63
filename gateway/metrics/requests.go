package metrics

import (
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"twibase/gateway/labels"
	"twibase/gateway/usage"
	"twibase/graph/endpoint"
	"twibase/hbase"
)

const (
	anonymous   = "anonymous" // operation
	noOperation = "none"      // rejected before its operation was known
	unknown     = "unknown"   // client or version
)

// Maximum numbers of label values. Operations of trusted documents do not count.
const (
	MaxOperations = 200
	MaxClients    = 50
	maxVersions   = 200
)

// requestMetrics counts each operation of a WebSocket or a shared stream as a request, and a
// subscription at its end.
type requestMetrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	rows     *prometheus.CounterVec
	usage    *usage.Usage

	// mu is held as [labels.Values] requires.
	mu                            sync.Mutex
	operations, clients, versions *labels.Values
}

func newRequestMetrics(usage *usage.Usage) *requestMetrics {
	m := &requestMetrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "twibase_requests_total",
			Help: "Requests by client, type of operation, and code of the response: OK or an extensions.code.",
		}, []string{"client", "client_version", "type", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "twibase_request_duration_seconds",
			Help: "Time of requests other than subscriptions. " +
				"It includes sending the response only over WebSockets and event streams.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"operation", "type"}),
		rows: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "twibase_request_rows_total",
			Help: "Rows that requests read, by operation.",
		}, []string{"operation", "type"}),
		usage: usage,
	}
	m.operations = labels.New(MaxOperations, func(operation string) {
		m.duration.DeletePartialMatch(prometheus.Labels{"operation": operation})
		m.rows.DeletePartialMatch(prometheus.Labels{"operation": operation})
	})
	m.clients = labels.New(MaxClients, func(client string) {
		m.requests.DeletePartialMatch(prometheus.Labels{"client": client})
		m.usage.Deprecated.DeletePartialMatch(prometheus.Labels{"client": client})
	})
	m.versions = labels.New(maxVersions, func(pair string) {
		client, version, _ := strings.Cut(pair, pairSeparator)
		series := prometheus.Labels{"client": client, "client_version": version}
		m.requests.DeletePartialMatch(series)
		m.usage.Deprecated.DeletePartialMatch(series)
	})
	return m
}

func (m *requestMetrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.requests, m.duration, m.rows, m.usage.Deprecated}
}

const pairSeparator = "\n" // in m.versions, between client and version

type requestLabels struct{ operation, kind, client, version, code string }

// label returns false for WebSocket connections, shared streams and preflights, which are not
// counted. The caller holds mu.
func (m *requestMetrics) label(trace *endpoint.Trace, now time.Time) (l requestLabels, ok bool) {
	l = requestLabels{operation: noOperation, kind: noOperation, code: trace.Code()}
	switch {
	case trace.Kind == "" && l.code == endpoint.NoError:
		return l, false
	case trace.Kind != "":
		l.kind = trace.Kind
		l.operation = m.operations.Of(labels.Text(trace.Operation, anonymous), trace.Trusted || trace.Operation == "", now)
	}
	l.client = m.clients.Of(labels.Text(trace.Client, unknown), trace.Client == "", now)
	l.version = labels.Other
	if l.client != labels.Other {
		pair := l.client + pairSeparator + labels.Text(trace.ClientVersion, unknown)
		if m.versions.Of(pair, false, now) == pair {
			l.version = pair[len(l.client)+len(pairSeparator):]
		}
	}
	return l, true
}

func (m *requestMetrics) observe(trace *endpoint.Trace, cost *hbase.Stats, took time.Duration, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, ok := m.label(trace, now)
	if !ok {
		return
	}
	m.requests.WithLabelValues(l.client, l.version, l.kind, l.code).Inc()
	m.rows.WithLabelValues(l.operation, l.kind).Add(float64(cost.Rows.Load()))
	if l.kind != "subscription" {
		m.duration.WithLabelValues(l.operation, l.kind).Observe(took.Seconds())
	}
	m.usage.Add(usage.Request{
		Client: usage.Client{Name: l.client, Version: l.version}, Operation: l.operation, Type: l.kind,
		Rows: cost.Rows.Load(), Failed: l.code != endpoint.NoError, Fields: trace.Fields,
	}, now)
}
