package gateway

import (
	"context"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"twibase/gateway/metrics"
)

func (g *Gateway) newRegistry(operations *metrics.Operations) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(buildInfo())
	registry.MustRegister(operations.Collectors()...)
	registry.MustRegister(g.store.Collectors()...)
	registry.MustRegister(g.loadMetrics()...)
	registry.MustRegister(g.backgroundMetrics()...)
	registry.MustRegister(g.config.Collectors...)
	return registry
}

func (g *Gateway) loadMetrics() []prometheus.Collector {
	return []prometheus.Collector{
		gauge("admission_running", "Operations that hold a slot; 0 with --concurrency 0.",
			func() int64 { running, _, _ := g.endpoint.Load(); return running }),
		gauge("admission_places", "Places that running heavy operations hold: one per 2,000 predicted rows.",
			g.endpoint.Places),
		gauge("admission_waiting", "Operations that wait for a slot or for places.",
			func() int64 { _, waiting, _ := g.endpoint.Load(); return waiting }),
		counter("admission_refused_total",
			"Operations, and long request bodies and messages, that were rejected by load shedding.",
			func() int64 { _, _, rejected := g.endpoint.Load(); return rejected }),
		counter("row_budget_refused_total", "Operations that were rejected because of --viewer-rows-per-second.",
			g.endpoint.Overdrawn),
		counter("document_cache_hits_total", "Documents of requests that were in the cache of valid documents.",
			func() int64 { hits, _ := g.endpoint.DocumentCache(); return hits }),
		counter("document_cache_misses_total", "Documents of requests that were not in the cache of valid documents.",
			func() int64 { _, misses := g.endpoint.DocumentCache(); return misses }),
		gauge("read_memory_bytes", "Bytes of --read-memory that large requests hold, for rows and responses.",
			func() int64 { held, _ := g.memory.Load(); return held }),
		counter("read_memory_refused_total",
			"Reads and responses that were rejected because too little of --read-memory was free.",
			func() int64 { _, rejected := g.memory.Load(); return rejected }),
		gauge("responses_waiting_bytes", "Bytes of responses that are being sent.",
			func() int { bytes, _ := g.responses.Load(); return bytes }),
		counter("responses_cut_off_total", "Responses that were cut off because slow readers held too many bytes.",
			func() int { _, cut := g.responses.Load(); return cut }),
		gauge("requests_waiting_bytes",
			"Bytes of request bodies, with long headers, and of WebSocket messages that are being received.",
			func() int { bytes, _ := g.bodies.Load(); return bytes }),
		counter("requests_cut_off_total", "Requests that were cut off because slow senders held too many bytes.",
			func() int { _, cut := g.bodies.Load(); return cut }),
	}
}

func (g *Gateway) backgroundMetrics() []prometheus.Collector {
	live, documents := &g.live.Counters, g.config.Documents
	return []prometheus.Collector{
		gauge("documents_trusted", "Hashes of trusted documents.", documents.Len),
		counter("documents_reload_failures_total", "Failed reads of the trusted documents after a change of their files.",
			documents.Failures),
		gauge("documents_outdated", "1 while the files of trusted documents cannot be read, and earlier documents are used.",
			func() int { return indicator(documents.Outdated()) }),
		counter("loader_fallbacks_total",
			"Responses with failed reads because a resolver blocked. Anything but 0 is a bug.", g.watchdog.Stalls.Load),
		gauge("fanout_lag_seconds",
			"Age of the oldest undelivered fan-out job of all gateways, as of the last scan; 0 if there is none.",
			func() float64 { return age(g.feeds.Lag().Oldest) }),
		gauge("fanout_limit", "The --fanout-limit.", g.feeds.Limit),
		gauge("ready", "1 if /readyz returns 200: the store answers, and the gateway is not shutting down.",
			func() int { return indicator(g.notReady(context.Background()) == nil) }),
		gauge("fanout_jobs",
			"Undelivered fan-out jobs of all gateways, as of the last scan, counted up to 4096.",
			func() int { return g.feeds.Lag().Pending }),
		gauge("intents_lag_seconds",
			"Age of the oldest intent of all gateways, as of the last scan; 0 if none is older than 5 seconds.",
			func() float64 { return age(g.writers.Lag().Oldest) }),
		gauge("intents",
			"Intents of all gateways that are older than 5 seconds, as of the last scan, counted up to 4096: "+
				"operations that are not complete, and clean-ups that are not yet due.",
			func() int { return g.writers.Lag().Pending }),
		gauge("subscription_subscribers", "Live subscriptions.", live.Subscribers.Load),
		gauge("subscription_rows", "Rows that are polled for live subscriptions.", live.Rows.Load),
		counter("subscription_polls_total",
			"Polls. A poll reads all rows in use, or the rows of subscriptions that join.", live.Polls.Load),
		counter("subscription_rounds_total", "Multi-gets of all polls.", live.Rounds.Load),
		counter("subscription_gets_total", "Gets of all polls.", live.Gets.Load),
		counter("subscription_delivered_total", "Events that were queued for delivery, counted per subscriber.",
			live.Delivered.Load),
		counter("subscription_cut_off_total", "Subscribers that were closed because they read too slowly.", live.CutOff.Load),
	}
}

func age(oldest time.Time) float64 {
	if oldest.IsZero() {
		return 0
	}
	return time.Since(oldest).Seconds()
}

func buildInfo() prometheus.Collector {
	version, revision, goVersion := "unknown", "unknown", runtime.Version()
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				revision = setting.Value
			}
		}
	}
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "twibase_build_info", Help: "Always 1. The labels are the versions of twibase and Go, and twibase's commit.",
		ConstLabels: prometheus.Labels{"version": version, "revision": revision, "go_version": goVersion},
	}, func() float64 { return 1 })
}

func indicator(on bool) int {
	if on {
		return 1
	}
	return 0
}

func gauge[N int | int64 | float64](name, help string, read func() N) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "twibase", Name: name, Help: help},
		func() float64 { return float64(read()) })
}

func counter[N int | int64](name, help string, read func() N) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "twibase", Name: name, Help: help},
		func() float64 { return float64(read()) })
}

// serveMetrics adds the default registry, with the metrics of gohbase and the Go runtime.
func (g *Gateway) serveMetrics() http.Handler {
	all := prometheus.Gatherers{g.Metrics, prometheus.DefaultGatherer}
	return promhttp.InstrumentMetricHandler(g.Metrics, promhttp.HandlerFor(all, promhttp.HandlerOpts{}))
}
