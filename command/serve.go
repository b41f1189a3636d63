package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"twibase/gateway"
	"twibase/gateway/middleware"
	"twibase/graph/auth"
	"twibase/graph/documents"
	"twibase/graph/limits"
	"twibase/hbase"
	"twibase/hbase/cluster"
)

const (
	maxMemory        = 1 << 20 // MiB
	maxRowsPerSecond = 100_000_000
	// minReadMemory, in MiB, is enough for the texts that a poll of subscriptions reads per call.
	minReadMemory = 16
	// maxDrainDelay rejects implausible values: by default, cluster managers kill a process less
	// than five minutes after SIGTERM.
	maxDrainDelay = 5 * time.Minute
	callTimeout   = 3 * time.Second
	// ballast is the size of an allocation that is never touched, so it needs no physical memory.
	// Without it, the garbage collector would run every few requests: see ballast in 'go -C bench
	// run . without'. With a larger GOGC instead, a full row cache would need several times its
	// size.
	ballast = 22 << 20
)

type serveCommand struct {
	storeFlag
	Listen        string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen on (default: ${default}). :8080 is reachable from other machines."`
	MetricsListen string `placeholder:"HOST:PORT" help:"Address for /metrics, /usage, /debug/pprof, /goroutines, /healthz and /readyz, without TLS or tokens. Without it /metrics is at --listen, except with --production."`
	tokenFlags
	TrustedProxies []netip.Prefix `reload:"" placeholder:"NETWORK" help:"Networks of trusted proxies, such as 10.0.0.0/8. Their X-Forwarded-For names the client for all limits per address."`
	Concurrency    *int           `placeholder:"N" help:"Maximum number of running operations, 0 for no limit. Up to four times this number wait for up to a second. Further operations get status 503 (default: 64 on a cluster, 8 per processor and at least 16 on the embedded store)."`
	ReadMemory     int            `default:"48" placeholder:"MIB" help:"Memory in MiB for requests that read or return more than 1 MiB, 0 for no limit (default: ${default}). If too little of it is free, such a request waits or fails. The process may need four times this memory."`
	tlsFlags
	Slow                time.Duration  `default:"500ms" placeholder:"TIME" help:"Log slow operations, with their costs and the types of their variables: queries and mutations that take at least this time, 0 for none (default: ${default})."`
	DrainDelay          time.Duration  `reload:"" default:"5s" placeholder:"TIME" help:"Time after SIGTERM in which /readyz fails and requests are still served, so that load balancers notice before the port closes (default: ${default})."`
	CreateTables        bool           `help:"Create missing tables on a cluster. Without this flag, the server does not start if a table is missing. Set it on a new cluster, or if this version of twibase adds the table. In any other case the data of the table are lost: restore it."`
	StreamsPerAddress   int            `default:"1000" placeholder:"N" help:"Maximum number of WebSockets and event streams per client address, 0 for no limit (default: ${default}). An address may have four times this number of subscriptions."`
	ViewerRowsPerSecond int            `default:"0" placeholder:"N" help:"Maximum number of rows per second that a viewer, or an address without a token, reads, 0 for no limit (default: ${default}). A burst may read the rows of ten seconds. Then requests are rejected with LIMIT_EXCEEDED."`
	Limit               map[string]int `reload:"" mapsep:"," placeholder:"NAME=N,…" help:"Limits of a request, 0 for no limit. See docs/LIMITS.md."`
	FanoutLimit         int            `default:"10000" placeholder:"N" help:"Maximum number of followers of an author whose twits are written to timelines (default: ${default}). The twits of other authors are merged at read time. Use the same value for all gateways of a store."`
	RowCache            int            `default:"32" placeholder:"MIB" help:"Row cache of the embedded store in MiB, 0 for none (default: ${default})."`
	Production          bool           `help:"Hide the schema, the IDE and reports. Clients may send documents, and hashes of earlier documents (Apollo's automatic persisted queries). With --documents, they may send only trusted documents or their hashes."`
	Documents           []string       `placeholder:"PATH" help:"Trusted documents, which clients may name by hash: manifests of Relay, graphql-codegen or Apollo, .graphql files, or directories of them. Can be repeated, for several versions of a client. Changed files are read within two seconds."`
	CORS                []string       `reload:"" name:"cors" placeholder:"ORIGIN" help:"Origins whose pages may send requests, such as https://example.org, in addition to the server's own."`
	CORSHeaders         []string       `reload:"" name:"cors-headers" placeholder:"NAME,…" help:"Request headers that pages of --cors origins may send, in addition to those of GraphQL and tracing clients. See docs/SECURITY.md."`
}

func (s *serveCommand) Validate() error {
	_, limitsErr := limits.With(s.Limit)
	if limitsErr != nil {
		limitsErr = fmt.Errorf("--limit: %w", limitsErr)
	}
	return cmp.Or(
		s.storeFlag.Validate(),
		s.tokenFlags.Validate(),
		require(!s.DevTokens || s.JWTSecretFile != "",
			"--dev-tokens needs --jwt-secret-file: the secret signs the tokens of 'twibase token'"),
		require(!s.DevTokens || !s.Production,
			"--dev-tokens is not for --production: make administrators with twibase admin grant"),
		middleware.CheckOrigins(s.CORS),
		middleware.CheckCORSHeaders(s.CORS, s.CORSHeaders),
		require(s.Concurrency == nil || *s.Concurrency >= 0, "--concurrency must be at least 0, which is no limit"),
		require(s.ViewerRowsPerSecond >= 0 && s.ViewerRowsPerSecond <= maxRowsPerSecond,
			"--viewer-rows-per-second must be from 0, which is no limit, to %d", maxRowsPerSecond),
		require(s.StreamsPerAddress >= 0, "--streams-per-address must be at least 0, which is no limit"),
		require((s.TLSCert == "") == (s.TLSKey == ""), "--tls-cert and --tls-key need each other"),
		require(s.ReadMemory == 0 || s.ReadMemory >= minReadMemory && s.ReadMemory <= maxMemory,
			"--read-memory must be 0, which is no limit, or from %d to %d MiB", minReadMemory, maxMemory),
		require(s.FanoutLimit >= 1, "--fanout-limit must be at least 1"),
		require(s.Slow >= 0, "--slow must be at least 0, which logs no slow operations"),
		require(s.DrainDelay >= 0 && s.DrainDelay <= maxDrainDelay, "--drain-delay must be from 0 to %v", maxDrainDelay),
		require(s.RowCache >= 0 && s.RowCache <= maxMemory,
			"--row-cache must be from 0, which is no cache, to %d MiB", maxMemory),
		require(s.JWKS == "" || s.JWTIssuer != "" && s.JWTAudience != "",
			"--jwks needs --jwt-issuer and --jwt-audience: the keys also sign tokens for other services"),
		limitsErr,
	)
}

func require(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func (s *serveCommand) Run(ctx context.Context, p process) (err error) {
	heap := make([]byte, ballast)
	defer runtime.KeepAlive(&heap)
	signal.Ignore(syscall.SIGPIPE)
	queue := newLogQueue(p.stderr)
	defer queue.Close()
	zerolog.SetGlobalLevel(p.log.GetLevel())
	p.log = queue.logger(p.log).Level(zerolog.DebugLevel)
	reloader := newConfigReloader(p)
	defer reloader.stop()
	config, err := s.config(ctx, p)
	if err != nil {
		return err
	}
	tracing, err := newTracing(ctx, p.log)
	if err != nil {
		return err
	}
	defer tracing.close()
	if tracing != nil {
		config.Traces = tracing.provider
	}
	config.Collectors = []prometheus.Collector{
		queue.Dropped, reloader.Failures, failingMetric(configFlag, reloader.failing.Load),
	}
	listeners, err := s.listen(p)
	if err != nil {
		return err
	}
	defer closeAll(listeners)
	var store hbase.Store
	defer func() {
		if store != nil {
			err = errors.Join(err, store.Close())
		}
	}()
	err = gateway.Serve(ctx, listeners, config, func(
		ctx context.Context, waiting func(reason string),
	) (_ *gateway.Gateway, err error) {
		waiting("the store is being opened")
		if store, err = s.open(ctx, p.log, s.RowCache, cluster.WithCallTimeout(callTimeout)); err != nil {
			return nil, err
		}
		waiting("the tables are being checked")
		if err := s.prepare(ctx, store, p.log); err != nil {
			return nil, s.advise(s.adviseGrants(err))
		}
		config.Collectors = append(config.Collectors, s.failingMetrics(config.Tokens)...)
		g := gateway.New(store, config)
		go reloader.run(ctx, config, g)
		return g, nil
	})
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil
	}
	return err
}

func (s *serveCommand) adviseGrants(err error) error {
	if errors.Is(err, hbase.ErrDenied) {
		return fmt.Errorf("%w; a gateway needs %s", err, s.grants(cmp.Or(s.HBaseUser, "USER")))
	}
	return err
}

// failingMetrics returns the metrics of reloaded files, except --config and --documents.
func (s *serveCommand) failingMetrics(tokens *auth.Tokens) (metrics []prometheus.Collector) {
	if s.certificate != nil {
		metrics = append(metrics, failingMetric("tls-cert", s.certificate.failing))
	}
	if s.files != nil {
		metrics = append(metrics, failingMetric("hbase-ca", s.files.failing))
	}
	if s.JWTSecretFile != "" {
		metrics = append(metrics, failingMetric("jwt-secret-file", tokens.Secrets.Failing))
	}
	if s.JWKS != "" {
		metrics = append(metrics, failingMetric("jwks", tokens.Keys.Failing))
	}
	return metrics
}

func (s *serveCommand) config(ctx context.Context, p process) (c gateway.Config, err error) {
	c = gateway.Config{
		Concurrency:       s.concurrency(),
		ReadMemory:        s.ReadMemory << 20,
		StreamsPerAddress: s.StreamsPerAddress,
		RowsPerSecond:     s.ViewerRowsPerSecond,
		FanoutLimit:       s.FanoutLimit,
		Slow:              s.Slow,
		Shared:            !s.embedded(),
		Production:        s.Production,
		PrivateMetrics:    s.MetricsListen != "",
		Log:               p.log,
	}
	if c.Tokens, err = s.tokens(ctx, p.log); err != nil {
		return c, err
	}
	if err := s.setReloadable(&c); err != nil {
		return c, err
	}
	if len(s.Documents) > 0 {
		if c.Documents, err = documents.Read(s.Documents...); err != nil {
			return c, fmt.Errorf("--documents: %w", err)
		}
	}
	return c, nil
}

// setReloadable sets the fields that [gateway.Gateway.Reload] replaces: the flags of serve with the
// tag reload.
func (s *serveCommand) setReloadable(c *gateway.Config) (err error) {
	c.TrustedProxies, c.Origins, c.CORSHeaders, c.DrainDelay = s.TrustedProxies, s.CORS, s.CORSHeaders, s.DrainDelay
	c.Limits, err = limits.With(s.Limit)
	return err
}

// listen is called before the store is opened, so that a port in use fails early, and probes get
// responses.
func (s *serveCommand) listen(p process) (l gateway.Listeners, err error) {
	if l.TLS, err = s.tlsFlags.config(p.log); err != nil {
		return l, err
	}
	if l.Public, err = net.Listen("tcp", s.Listen); err != nil {
		return l, fmt.Errorf("--listen %s: %w; choose another address", s.Listen, err)
	}
	if s.MetricsListen == "" {
		return l, nil
	}
	if l.Monitoring, err = net.Listen("tcp", s.MetricsListen); err != nil {
		closeAll(l)
		return l, fmt.Errorf("--metrics-listen %s: %w; choose another address", s.MetricsListen, err)
	}
	return l, nil
}

func closeAll(l gateway.Listeners) {
	l.Public.Close()
	if l.Monitoring != nil {
		l.Monitoring.Close()
	}
}

// concurrency returns --concurrency or its default. At four times the load that the processors of
// an embedded store can serve, 8 operations per processor keep 90 % of the best throughput, with
// responses in 60 ms. 64 per processor keep 80 %, with responses in 600 ms ('go -C bench run .
// overload'). With the minimum of 16, a client may use two slots while other clients send requests
// (docs/FAULTS.md). So a client with one slow operation can still run another.
func (s *serveCommand) concurrency() int {
	switch {
	case s.Concurrency != nil:
		return *s.Concurrency
	case s.embedded():
		return max(16, 8*runtime.GOMAXPROCS(0))
	}
	return 64
}
