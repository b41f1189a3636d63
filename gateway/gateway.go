// Package gateway serves GraphQL over a store. A [Gateway] has HTTP handlers, background work and
// metrics of its own; a process can have several.
package gateway

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"twibase/gateway/middleware"
	"twibase/gateway/usage"
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
	// maxInFlight bounds the bytes of responses to slow readers, and of requests from slow senders.
	// Above it the oldest transfers are cut off.
	maxInFlight = 64 << 20
	// completionTimeout bounds the wait for acknowledged writes at the end of Run. The next start, or
	// another gateway, completes the rest.
	completionTimeout = 5 * time.Second
)

// Config configures a gateway. The zero value serves anonymous clients only, without limits.
type Config struct {
	Tokens         *auth.Tokens       // sign and verify bearer tokens; nil accepts none
	TrustedProxies auth.Proxies       // whose X-Forwarded-For has the client's address
	Documents      *documents.Trusted // clients may name them by hash; may be nil
	Limits         limits.Limits      // of each request
	Origins        []string           // CORS origins
	CORSHeaders    []string           // further request headers that Origins may send

	Concurrency       int // running operations; 0 for no limit
	ReadMemory        int // bytes read by all large requests; 0 for no limit
	RowsPerSecond     int // rows of a viewer, or of an address without a token; 0 for no limit
	StreamsPerAddress int // WebSockets and subscriptions per client address; 0 for no limit
	FanoutLimit       int // followers above which an author is a broadcaster; 0 for [tables.FanoutLimit]

	// Traces records a span per request, round and call of the store; may be nil.
	Traces trace.TracerProvider
	// Slow is the shortest duration of an operation that is logged as slow; 0 for none.
	Slow time.Duration

	// DrainDelay is the time from the first failing /readyz to the shutdown, in which load balancers
	// stop sending requests. Only a shutdown by [ErrTerminated] is delayed.
	DrainDelay time.Duration

	// Shared is true if other gateways may serve the same store.
	Shared bool

	// Production hides the schema, the IDE, reports and metrics from clients.
	Production bool
	// PrivateMetrics removes /metrics from the public handler.
	PrivateMetrics bool
	Collectors     []prometheus.Collector
	// Log is for background work, and requests without a logger. The zero value logs nothing.
	Log zerolog.Logger
}

// Gateway serves one store. It is safe for concurrent use.
type Gateway struct {
	// Public serves /graphql, /readyz, /healthz and, unless in production, the IDE, the schema and
	// /metrics.
	Public http.Handler
	// Monitoring serves /metrics, /usage, /goroutines, /debug/pprof, /healthz and /readyz to operators.
	Monitoring http.Handler
	// Metrics has the metrics of this gateway only, without those of the process.
	Metrics *prometheus.Registry

	config    Config
	current   atomic.Pointer[Config] // of the last Reload
	graphQL   atomicHandler
	store     *timedStore
	memory    *hbase.Memory // the read memory; nil if unlimited
	endpoint  *endpoint.Endpoint
	requests  *middleware.RequestLog
	usage     *usage.Usage
	drain     *middleware.Drain
	stopping  atomic.Bool // during the DrainDelay and afterwards
	readiness readiness
	responses *inflight.Bytes
	bodies    *inflight.Bytes

	watchdog *loaders.Watchdog

	writers *writers.Writers
	feeds   *feeds.Feeds
	live    *live.Poller
}

// New returns a gateway over a store with tables. It does no background work before [Gateway.Run].
// The caller closes the store after Run.
func New(base hbase.Store, config Config) *Gateway {
	store := newTimedStore(base)
	g := &Gateway{
		config:    config,
		store:     store,
		drain:     new(middleware.Drain),
		readiness: readiness{store: base}, // not measured: probes are frequent
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
		PendingSince: func() []time.Time { return []time.Time{g.feeds.PendingSince(), g.writers.PendingSince()} },
		Log:          log,
	})
	g.writers = writers.New(store, writers.Options{Log: log, Jobs: g.feeds.Notify, Observe: loaders.Writing})
	g.current.Store(&config)
	g.endpoint = g.newEndpoint()
	g.usage = usage.New(g.endpoint.Fields())
	operations := newOperationMetrics(g.usage)
	g.requests = middleware.NewRequestLog(operations.observe, middleware.Slow{After: config.Slow, Servers: config.Shared},
		middleware.NewSpans(config.Traces))
	g.graphQL.set(g.newGraphQLHandler(config))
	g.Metrics = g.newRegistry(operations)
	g.Public, g.Monitoring = g.public(), g.monitoring()
	return g
}

// Reload replaces the Limits, Origins, CORSHeaders, TrustedProxies and DrainDelay, for later
// requests. It uses no other fields.
func (g *Gateway) Reload(config Config) {
	g.current.Store(&config)
	g.endpoint.Reload(config.Limits, config.Origins)
	g.graphQL.set(g.newGraphQLHandler(config))
}

// Run does background work until ctx is done: fan-out, recovery of stale intents, subscriptions,
// and reloading of secrets, keys and trusted documents. Then it completes acknowledged writes.
func (g *Gateway) Run(ctx context.Context) {
	background, stop := context.WithCancel(context.WithoutCancel(ctx)) // ends after the completion
	defer stop()
	var work sync.WaitGroup
	work.Go(func() { g.config.Tokens.Follow(ctx, g.config.Log) })
	work.Go(func() { g.config.Documents.Follow(ctx, g.config.Log, g.endpoint.Invalid) })
	work.Go(func() { g.writers.Run(ctx) })
	work.Go(func() { g.feeds.Run(background) })
	work.Go(func() { g.live.Run(background) })
	if g.config.Shared {
		work.Go(func() { g.feeds.CompareSettings(ctx) })
	}
	<-ctx.Done()
	completion, cancel := context.WithTimeout(background, completionTimeout)
	defer cancel()
	g.writers.Close(completion)
	stop()
	work.Wait()
}

// Shutdown rejects new requests, ends subscriptions, and waits for in-flight requests until ctx is
// done. /readyz fails from then on.
func (g *Gateway) Shutdown(ctx context.Context) { g.drain.Shutdown(ctx, g.endpoint.Shutdown) }
