// Package gateway serves GraphQL over a store.
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

	"twibase/gateway/metrics"
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
	// maxInFlight bounds the bytes of responses being sent, and separately those of requests being
	// received: see [inflight.Bytes].
	maxInFlight = 64 << 20
	// completionTimeout bounds the completion of acknowledged writes at shutdown. Sweeps complete
	// the others.
	completionTimeout = 5 * time.Second
)

// Config configures a gateway. The zero value serves only anonymous clients, without limits.
type Config struct {
	Tokens         *auth.Tokens // nil accepts none
	TrustedProxies auth.Proxies
	Documents      *documents.Trusted // may be nil
	Limits         limits.Limits      // per request
	Origins        []string           // CORS
	CORSHeaders    []string           // additional request headers

	Concurrency       int // operations; 0 for no limit
	ReadMemory        int // bytes of all large requests; 0 for no limit
	RowsPerSecond     int // per client, see [auth.ClientOf]; 0 for no limit
	StreamsPerAddress int // WebSockets and event streams; 0 for no limit
	FanoutLimit       int // followers above which an author is a broadcaster; 0 for [tables.FanoutLimit]

	// Traces records requests, rounds and store calls; may be nil.
	Traces trace.TracerProvider
	Slow   time.Duration // see [middleware.Slow]

	// DrainDelay is the time from [ErrTerminated] to the shutdown, in which /readyz fails and
	// requests are still served.
	DrainDelay time.Duration

	Shared bool // the store is an HBase cluster, which other gateways may also serve

	Production bool
	// PrivateMetrics hides /metrics on Public.
	PrivateMetrics bool
	Collectors     []prometheus.Collector
	Log            zerolog.Logger
}

// Gateway is safe for concurrent use.
type Gateway struct {
	// Public serves /graphql, /readyz and /healthz; outside of production also the IDE, the schema,
	// /dev/token and, unless PrivateMetrics, /metrics.
	Public http.Handler
	// Monitoring serves /metrics, /usage, /goroutines, /debug/pprof, /healthz and /readyz.
	Monitoring http.Handler
	// Metrics has the gateway's metrics, not the process's.
	Metrics *prometheus.Registry

	config    Config
	current   atomic.Pointer[Config] // of the last Reload
	graphQL   atomicHandler
	store     *metrics.Store
	memory    *hbase.Memory // nil if unlimited
	endpoint  *endpoint.Endpoint
	requests  *middleware.RequestLog
	usage     *usage.Usage
	drain     *middleware.Drain
	stopping  atomic.Bool
	readiness readiness
	responses *inflight.Bytes
	bodies    *inflight.Bytes

	watchdog *loaders.Watchdog

	writers *writers.Writers
	feeds   *feeds.Feeds
	live    *live.Poller
}

// New returns a gateway over a store with tables. The caller calls Run, and then closes the store.
func New(base hbase.Store, config Config) *Gateway {
	store := metrics.NewStore(base)
	g := &Gateway{
		config:    config,
		store:     store,
		drain:     new(middleware.Drain),
		readiness: readiness{store: base},
		responses: inflight.New(maxInFlight),
		bodies:    inflight.New(maxInFlight),
	}
	if config.ReadMemory > 0 {
		g.memory = hbase.NewMemory(int64(config.ReadMemory), tables.MaxCell, config.Shared)
	}
	log := slog.New(zerolog.NewSlogHandler(config.Log))
	g.watchdog = &loaders.Watchdog{Log: log}
	g.feeds = feeds.New(store, feeds.Options{Limit: config.FanoutLimit, Log: log})
	g.live = live.New(store, live.Options{
		Visible: resolvers.Visible(func(ctx context.Context) context.Context {
			return g.watchdog.With(ctx, hbase.Budgeted(ctx, store, "subscriptions", 0, g.memory))
		}),
		Size:         resolvers.EntrySize,
		PendingSince: func() []time.Time { return []time.Time{g.feeds.PendingSince(), g.writers.PendingSince()} },
		Log:          log,
	})
	g.writers = writers.New(store, writers.Options{Log: log, Jobs: g.feeds.Notify, Observe: loaders.Writing})
	g.current.Store(&config)
	g.endpoint = g.newEndpoint()
	g.usage = usage.New(g.endpoint.Fields())
	operations := metrics.NewOperations(g.usage)
	slow := middleware.Slow{After: config.Slow, Servers: config.Shared}
	g.requests = middleware.NewRequestLog(config.Log, operations.Observe, slow, middleware.NewSpans(config.Traces))
	g.graphQL.set(g.newGraphQLHandler(config))
	g.Metrics = g.newRegistry(operations)
	g.Public, g.Monitoring = g.public(), g.monitoring()
	return g
}

// Reload replaces only the Limits, Origins, CORSHeaders, TrustedProxies and DrainDelay, for later
// requests.
func (g *Gateway) Reload(config Config) {
	g.current.Store(&config)
	g.endpoint.Reload(config.Limits, config.Origins)
	g.graphQL.set(g.newGraphQLHandler(config))
}

// Run does background work until ctx is done, and then completes acknowledged writes.
func (g *Gateway) Run(ctx context.Context) {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var work sync.WaitGroup
	work.Go(func() { g.config.Tokens.Follow(ctx, g.config.Log) })
	work.Go(func() { g.config.Documents.Follow(ctx, g.config.Log, g.endpoint.Invalid) })
	work.Go(func() { g.writers.Run(ctx) })
	work.Go(func() { g.feeds.Run(background) })
	work.Go(func() { g.live.Run(background) })
	<-ctx.Done()
	completion, cancel := context.WithTimeout(background, completionTimeout)
	defer cancel()
	g.writers.Close(completion)
	stop()
	work.Wait()
}

// Shutdown rejects new requests, makes /readyz fail, ends subscriptions, and waits for other
// requests until ctx is done.
func (g *Gateway) Shutdown(ctx context.Context) { g.drain.Shutdown(ctx, g.endpoint.Shutdown) }
