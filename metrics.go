package main

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"twibase/graph/endpoint"
	"twibase/graph/endpoint/backlog"
	"twibase/graph/plan"
	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/live"
	"twibase/loaders"
	"twibase/writers/feeds"
)

// What /metrics says of operations, beside what gohbase says of its RPCs.
var (
	executions = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "twibase_executions_total",
		Help: "Operations by who executed them: the plan or gqlgen's stock executor, and for the latter the reason.",
	}, []string{"executor", "reason"})

	operationRounds = perOperation("rounds", "Times that an operation waited for the store.", prometheus.ExponentialBuckets(1, 2, 7))
	operationRPCs   = perOperation("rpcs", "RPCs of an operation; on the embedded store those that would be.", prometheus.ExponentialBuckets(1, 2, 11))
	operationGets   = perOperation("gets", "Gets of an operation.", prometheus.ExponentialBuckets(1, 4, 9))
	operationScans  = perOperation("scans", "Scans of an operation.", prometheus.ExponentialBuckets(1, 2, 5))
	operationRows   = perOperation("rows", "Rows that an operation read.", prometheus.ExponentialBuckets(1, 4, 9))
	operationBytes  = perOperation("bytes", "Bytes of the keys and values that an operation read.", prometheus.ExponentialBuckets(256, 4, 11))

	_ = promauto.NewCounterFunc(prometheus.CounterOpts{
		Name: "twibase_loader_fallbacks_total",
		Help: "Batches of reads that the timer had to send. Anything but 0 is a mistake in twibase.",
	}, func() float64 { return float64(loaders.Fallbacks.Load()) })

	_ = promauto.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "twibase_fanout_lag_seconds",
		Help: "How long ago the oldest errand was given that timelines wait for, of all gateways; 0 if there is none.",
	}, func() float64 {
		if oldest := fanout().Oldest; !oldest.IsZero() {
			return time.Since(oldest).Seconds()
		}
		return 0
	})
	_ = promauto.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "twibase_fanout_errands",
		Help: "Errands that timelines wait for, of all gateways; of a great many the oldest 4096.",
	}, func() float64 { return float64(fanout().Open) })
)

// The metrics of admission: see [endpoint.Config].
var (
	_ = ofAdmission("running", "Operations that are executed now.", func(running, _, _ int64) int64 { return running })
	_ = ofAdmission("waiting", "Operations that wait for their turn now.", func(_, waiting, _ int64) int64 { return waiting })
	_ = ofAdmission("refused_total", "Operations that were sent away since too many ran and waited.", func(_, _, refused int64) int64 { return refused })
)

// admitting is the endpoint of the server.
var admitting atomic.Pointer[endpoint.Endpoint]

// ofAdmission shows one of the figures of [endpoint.Endpoint.Load].
func ofAdmission(name, help string, of func(running, waiting, refused int64) int64) any {
	return shown("twibase_admission_"+name, help, func() float64 {
		if e := admitting.Load(); e != nil {
			return float64(of(e.Load()))
		}
		return 0
	})
}

// shown is a counter if its name ends in total, else a gauge.
func shown(name, help string, read func() float64) any {
	if strings.HasSuffix(name, "_total") {
		return promauto.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read)
	}
	return promauto.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
}

// The metrics of what is on its way.
var (
	_ = ofBacklog(&answering, "answers_waiting_bytes", "Bytes of answers that are being sent.", func(bytes, _ int) int { return bytes })
	_ = ofBacklog(&answering, "answers_cut_off_total", "Answers that were cut off since too many waited for those who read them.", func(_, cut int) int { return cut })
	_ = ofBacklog(&arriving, "requests_waiting_bytes", "Bytes of bodies and messages of which more is to come.", func(bytes, _ int) int { return bytes })
	_ = ofBacklog(&arriving, "requests_cut_off_total", "Requests that were cut off since too many waited for the rest of them.", func(_, cut int) int { return cut })
)

// answering and arriving are the backlogs of the server.
var answering, arriving atomic.Pointer[backlog.Backlog]

// ofBacklog shows one of the figures of [backlog.Backlog.Load].
func ofBacklog(of *atomic.Pointer[backlog.Backlog], name, help string, figure func(bytes, cut int) int) any {
	return shown("twibase_"+name, help, func() float64 {
		if b := of.Load(); b != nil {
			return float64(figure(b.Load()))
		}
		return 0
	})
}

// The metrics of the embedded store's cache of rows.
var (
	_ = ofRowCache("hits", "Rows that were asked for and came from the embedded store's cache of rows.", func(hits, _ int64) int64 { return hits })
	_ = ofRowCache("misses", "Rows that were asked for and read from the embedded store, since its cache of rows did not have them.", func(_, misses int64) int64 { return misses })
)

// caching is the store of the server, if it is embedded.
var caching atomic.Pointer[embedded.Store]

// ofRowCache shows one of the figures of [embedded.Store.RowCache].
func ofRowCache(name, help string, figure func(hits, misses int64) int64) any {
	return shown("twibase_row_cache_"+name+"_total", help, func() float64 {
		if s := caching.Load(); s != nil {
			return float64(figure(s.RowCache()))
		}
		return 0
	})
}

// fanout is how far timelines are behind.
func fanout() (lag feeds.Lag) {
	if b := running.Load(); b != nil {
		lag = b.feeds.Lag()
	}
	return lag
}

// The metrics of subscriptions.
var (
	_ = ofNews("subscribers", "Who subscribes now.", func(c *live.Counters) *atomic.Int64 { return &c.Subscribers })
	_ = ofNews("rows", "Rows of the store that are looked at for subscribers.", func(c *live.Counters) *atomic.Int64 { return &c.Rows })
	_ = ofNews("looks_total", "Looks at these rows.", func(c *live.Counters) *atomic.Int64 { return &c.Polls })
	_ = ofNews("rounds_total", "Multi-gets of all looks together.", func(c *live.Counters) *atomic.Int64 { return &c.Rounds })
	_ = ofNews("gets_total", "Gets of all looks together.", func(c *live.Counters) *atomic.Int64 { return &c.Gets })
	_ = ofNews("told_total", "Twits that subscribers were told of, each for each of them.", func(c *live.Counters) *atomic.Int64 { return &c.Delivered })
	_ = ofNews("cut_off_total", "Subscribers who were cut off since they read too slowly.", func(c *live.Counters) *atomic.Int64 { return &c.CutOff })
)

// ofNews shows a counter of the poller.
func ofNews(name, help string, counter func(*live.Counters) *atomic.Int64) any {
	return shown("twibase_subscription_"+name, help, func() float64 {
		b := running.Load()
		if b == nil {
			return 0
		}
		return float64(counter(&b.live.Counters).Load())
	})
}

func perOperation(what, help string, buckets []float64) prometheus.Histogram {
	return promauto.NewHistogram(prometheus.HistogramOpts{Name: "twibase_operation_" + what, Help: help,
		Buckets: append([]float64{0}, buckets...)})
}

// measure adds an operation to the metrics, unless nobody executed it.
func measure(by plan.Execution, cost *hbase.Stats) {
	if by.Executor == "" {
		return
	}
	executions.WithLabelValues(by.Executor, by.Reason).Inc()
	operationRounds.Observe(float64(cost.Rounds.Load()))
	operationRPCs.Observe(float64(cost.RPCs.Load()))
	operationGets.Observe(float64(cost.Gets.Load()))
	operationScans.Observe(float64(cost.Scans.Load()))
	operationRows.Observe(float64(cost.Rows.Load()))
	operationBytes.Observe(float64(cost.Bytes.Load()))
}
