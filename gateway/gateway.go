// Package gateway makes a GraphQL gateway of a store: its HTTP handlers, its background work and its metrics.
//
// A [Gateway] is a value. Several of them, on one store or on several, can live in one process.
package gateway

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"twibase/gateway/middleware"
	"twibase/graph/auth"
	"twibase/graph/documents"
	"twibase/graph/endpoint"
	"twibase/graph/endpoint/inflight"
	"twibase/graph/limits"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
	"twibase/resolvers"
	"twibase/writers"
	"twibase/writers/feeds"
)

const (
	// maxInFlight is how many bytes of responses may wait for slow readers, and how many of requests for
	// slow senders. Above it the connections that have been slow for longest are closed.
	maxInFlight = 64 << 20
	// completionTimeout is how long Run waits at its end for writes that were acknowledged. The next start,
	// or another gateway, completes the rest.
	completionTimeout = 5 * time.Second
)

// Config says how a gateway serves. The zero value serves strangers only, without limits.
type Config struct {
	Tokens         *auth.Tokens       // verify and sign bearer tokens; nil accepts none
	TrustedProxies auth.Proxies       // networks whose X-Forwarded-For is believed
	Documents      *documents.Trusted // documents that clients may name by hash; nil for none
	Limits         limits.Limits      // what one request may ask for
	Origins        []string           // CORS origins
	CORSHeaders    []string           // further request headers of these origins

	Concurrency       int // operations executed at a time; 0 for any number
	ReadMemory        int // bytes that large requests may have read at a time; 0 for any number
	StreamsPerAddress int // WebSockets and subscriptions per client address; 0 for any number
	FanoutLimit       int // followers above which an author is a broadcaster; 0 for [tables.FanoutLimit]

	// Production hides the schema, the IDE, reports and metrics from the public.
	Production bool
	// PrivateMetrics leaves /metrics out of the public handler; it is in the monitoring handler in any case.
	PrivateMetrics bool
	// Collectors are further metrics of the process, for /metrics.
	Collectors []prometheus.Collector
	// Log is for background work and for requests that carry no logger. The zero value logs nothing.
	Log zerolog.Logger
}

// Gateway answers requests from one store. Its methods are safe for concurrent use.
type Gateway struct {
	// Public answers /graphql, /readyz and, unless the gateway is in production, the IDE and the schema.
	Public http.Handler
	// Monitoring answers /metrics, /goroutines, /healthz and /readyz, for operators.
	Monitoring http.Handler
	// Metrics are the metrics of this gateway only.
	Metrics *prometheus.Registry

	config    Config
	store     hbase.Store
	memory    *hbase.Memory // of what requests read; nil if it is not bounded
	endpoint  *endpoint.Endpoint
	requests  *middleware.RequestLog
	drain     *middleware.Drain
	responses *inflight.Bytes // bytes of responses that are being sent
	bodies    *inflight.Bytes // bytes of requests that are being received

	watchdog *loaders.Watchdog

	writers *writers.Writers
	feeds   *feeds.Feeds
	live    *live.Poller
}

// New returns a gateway over a store whose tables exist. It does no background work until [Gateway.Run].
// The caller closes the store after Run has returned.
func New(store hbase.Store, config Config) *Gateway {
	g := &Gateway{
		config:    config,
		store:     store,
		drain:     new(middleware.Drain),
		responses: inflight.New(maxInFlight),
		bodies:    inflight.New(maxInFlight),
	}
	if config.ReadMemory > 0 {
		g.memory = hbase.NewMemory(int64(config.ReadMemory), tables.MaxCell)
	}
	log := slog.New(zerolog.NewSlogHandler(config.Log))
	g.watchdog = &loaders.Watchdog{Log: log}
	g.feeds = feeds.New(store, feeds.Options{Limit: config.FanoutLimit, Log: log})
	g.live = live.New(store, live.Options{
		Visible:      resolvers.Visible(func(ctx context.Context) context.Context { return g.watchdog.With(ctx, store) }),
		OldestFanout: g.feeds.PendingSince,
		Log:          log,
	})
	g.writers = writers.New(store, writers.Options{Log: log, Jobs: g.feeds.Notify, Watch: loaders.Writing})
	operations := newOperationMetrics()
	g.requests = middleware.NewRequestLog(operations.observe)
	g.endpoint = g.newEndpoint()
	g.Metrics = g.newRegistry(operations)
	g.Public, g.Monitoring = g.public(), g.monitoring()
	return g
}

// Run does the gateway's background work until ctx is done: fan-out of twits, recovery of stale intents, live
// subscriptions, and reading changed secrets and keys. Then it completes acknowledged writes, for up to
// completionTimeout.
func (g *Gateway) Run(ctx context.Context) {
	rest, stop := context.WithCancel(context.WithoutCancel(ctx)) // completing writes needs the fan-out
	defer stop()
	var work sync.WaitGroup
	work.Go(func() { g.config.Tokens.Follow(ctx, g.config.Log) })
	work.Go(func() { g.writers.Run(ctx) })
	work.Go(func() { g.feeds.Run(rest) })
	work.Go(func() { g.live.Run(rest) })
	<-ctx.Done()
	completion, cancel := context.WithTimeout(rest, completionTimeout)
	defer cancel()
	g.writers.Close(completion)
	stop()
	work.Wait()
}

// Shutdown rejects new requests, closes subscriptions, and waits for in-flight requests until ctx is done.
// From then on /readyz fails.
func (g *Gateway) Shutdown(ctx context.Context) { g.drain.Shutdown(ctx, g.endpoint.Shutdown) }
