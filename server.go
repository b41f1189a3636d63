// Command twibase is a GraphQL gateway over HBase.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"twibase/graph/auth"
	"twibase/graph/limits"
	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/sample"
	"twibase/transfer"
)

// maxRowCache bounds --row-cache, in MiB: more memory than a machine has is a slip of the pen.
const maxRowCache = 1 << 20

// The times within which a server answers, and ends.
const (
	requestTimeout  = 30 * time.Second
	shutdownTimeout = requestTimeout + 5*time.Second
	// storePatience is for one call of the store, of which a request may need several: a region server that falls silent takes no longer.
	storePatience = 3 * time.Second
	// What clients may take: for the head of a request, for an answer from the head on, and until the next request.
	headTimeout  = 10 * time.Second
	writeTimeout = 2 * requestTimeout
	idleTimeout  = 2 * time.Minute
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

type serve struct {
	storeFlag
	Listen        string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where to listen (default: ${default}). A gateway for others listens on :8080."`
	MetricsListen string `placeholder:"HOST:PORT" help:"Where /metrics is answered, beside /healthz and /readyz, and then there alone; for whoever runs the server, without TLS (default: where --listen says, with --production nowhere)."`
	JWTSecretFile string `name:"jwt-secret-file" placeholder:"FILE" help:"The secret of at least 32 bytes by which tokens are signed (HS256). Of several, one in each line, the first signs and all are accepted; a change is seen within seconds. Without a secret nobody can log in, and its tokens are refused."`
	claimFlags
	JWKS           string         `name:"jwks" placeholder:"PLACE" help:"The public keys of those whose tokens are accepted too: the URL or the file of a JSON Web Key Set, for RS256, ES256 and EdDSA. Needs --jwt-issuer and --jwt-audience."`
	TrustedProxies []netip.Prefix `placeholder:"NETWORK" help:"The networks of the proxies in front of the server, as in 10.0.0.0/8: of them, what X-Forwarded-For says counts as the address of the client, for the limits of sign-ups and log-ins."`
	Concurrency    *int           `placeholder:"N" help:"How many operations are executed at the same time, 0 for any number; four times as many wait for up to a second, and the rest are sent away with the status 503 (default: 64 on a cluster, for which they wait, and 8 for each processor on the embedded store, where they compute)."`
	tlsFlags
	StreamsPerAddress int            `default:"1000" placeholder:"N" help:"How many WebSockets and subscriptions the clients of one address may have at the same time, 0 for any number (default: ${default})."`
	Limit             map[string]int `mapsep:"," placeholder:"NAME=N,…" help:"What a request may ask for at most, where the defaults do not fit; 0 is no limit. docs/LIMITS.md lists the names."`
	FanoutLimit       int            `default:"10000" placeholder:"N" help:"How many followers an author may have whose twits are put into the timelines of all of them; those of an author with more are merged in when a timeline is read (default: ${default}). All gateways of a store have the same."`
	RowCache          int            `default:"32" placeholder:"MIB" help:"How many MiB of rows the embedded store keeps in memory that are asked for again and again, so that they need not be looked for in its files; 0 for none (default: ${default}). A cluster has no such cache here."`
	Production        bool           `help:"For the public: nobody is told the schema, and there are no IDE and no reports. Clients send documents, or hashes of documents that they have sent before, as Apollo's do; with --documents they send the hashes of those alone."`
	Documents         string         `placeholder:"FILE" help:"The trusted documents: a JSON object of documents by their hashes, as the compilers of Relay and of graphql-codegen write it. Clients may send a hash in place of the document."`
	CORS              []string       `name:"cors" placeholder:"ORIGIN" help:"The origins, as in https://example.org, whose pages may use the server from a browser. Its own pages always may."`
	CORSHeaders       []string       `name:"cors-headers" placeholder:"NAME,…" help:"Request headers that pages of the --cors origins may send, besides those of GraphQL and tracing clients (docs/SECURITY.md lists them). Separate names with commas, or repeat the flag."`
	DevTokens         bool           `help:"Makes an administrator of whoever has a token of 'twibase token --admin'. For tests and development."`
}

// Validate is called by kong.
func (s *serve) Validate() error {
	if s.DevTokens && s.JWTSecretFile == "" {
		return errors.New("--dev-tokens needs --jwt-secret-file: without a secret there are no tokens")
	}
	if s.DevTokens && s.Production {
		return errors.New("--dev-tokens is not for --production: make administrators with twibase admin grant")
	}
	if err := checkOrigins(s.CORS); err != nil {
		return fmt.Errorf("--cors: %w", err)
	}
	if err := checkHeaders(s.CORS, s.CORSHeaders); err != nil {
		return fmt.Errorf("--cors-headers: %w", err)
	}
	if s.Concurrency != nil && *s.Concurrency < 0 {
		return fmt.Errorf("--concurrency: write a number from 0, which is any number, not %d", *s.Concurrency)
	}
	if s.StreamsPerAddress < 0 {
		return fmt.Errorf("--streams-per-address: write a number from 0, which is any number, not %d", s.StreamsPerAddress)
	}
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key need each other")
	}
	if s.FanoutLimit < 1 {
		return errors.New("--fanout-limit must be at least 1")
	}
	if s.RowCache < 0 || s.RowCache > maxRowCache {
		return fmt.Errorf("--row-cache: write a number of MiB from 0, which is none, to %d, not %d", maxRowCache, s.RowCache)
	}
	if s.JWKS != "" && (s.JWTIssuer == "" || s.JWTAudience == "") {
		return errors.New("--jwks needs --jwt-issuer and --jwt-audience: whoever has those keys signs tokens for others too")
	}
	_, err := limits.With(s.Limit)
	return err
}

// Run serves until ctx ends, and then lets the requests that run come to their end.
func (s *serve) Run(ctx context.Context, p process) (err error) {
	defer loadBallast()()
	signal.Ignore(syscall.SIGPIPE) // of a reader of the log that has gone
	lines := newLogQueue(p.stderr)
	defer lines.Close()
	p.log = p.log.Output(legible(p.stderr, lines))
	tokens, err := s.tokens(p.log.WithContext(ctx))
	if err != nil {
		return err
	}
	limits, err := limits.With(s.Limit)
	if err != nil {
		return err
	}
	trusted, err := s.trusted(limits, p.log)
	if err != nil {
		return err
	}
	secure, err := s.tlsFlags.config(p.log)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w; choose another address", s.Listen, err)
	}
	defer listener.Close()
	var monitor net.Listener
	if s.MetricsListen != "" {
		if monitor, err = net.Listen("tcp", s.MetricsListen); err != nil {
			return fmt.Errorf("--metrics-listen %s: %w; choose another address", s.MetricsListen, err)
		}
		defer monitor.Close()
	}
	store, err := s.open(ctx, p.log, s.RowCache)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if engine, embedded := store.(*embedded.Store); embedded {
		caching.Store(engine)
	}
	if err := s.prepare(ctx, store, p.log); err != nil {
		return err
	}
	warm(ctx, store, p.log)
	ctx = hbase.WithPatience(ctx, storePatience)
	go tokens.Follow(p.log.WithContext(ctx))
	b := newBackground(store, s.FanoutLimit, slog.New(zerolog.NewSlogHandler(p.log)))
	end := b.start(context.WithoutCancel(ctx))
	defer end()
	served := routes(store, b, settings{tokens: tokens, proxies: s.TrustedProxies, streams: s.StreamsPerAddress, running: s.concurrency(), limits: limits,
		trusted: trusted, origins: s.CORS, headers: s.CORSHeaders, production: s.Production, monitored: monitor != nil})
	if monitor != nil {
		monitoring := newServer(served.monitor, 0, p.log)
		defer monitoring.Close()
		go func() { _ = monitoring.Serve(monitor) }()
		p.log.Info().Str("url", "http://"+address(monitor)+"/metrics").Msg("metrics are served")
	}
	return listen(ctx, listener, secure, served.public, s.concurrency(), served.leave, p.log)
}

// concurrency is how many operations are executed at the same time. More of those that compute would only make each other slow: of four times
// what a processor can do nine tenths of its best is left with so few, within 60 ms; with 64 eight tenths, within 600. 'go run ./bench overload' tells.
func (s *serve) concurrency() int {
	switch {
	case s.Concurrency != nil:
		return *s.Concurrency
	case s.embedded():
		return 8 * runtime.GOMAXPROCS(0)
	}
	return 64
}

// tokens is nil if there are neither secrets nor keys.
func (s *serve) tokens(ctx context.Context) (tokens *auth.Tokens, err error) {
	if s.JWTSecretFile == "" && s.JWKS == "" {
		return nil, nil
	}
	tokens = &auth.Tokens{Issuer: s.JWTIssuer, Audience: s.JWTAudience, Dev: s.DevTokens, Now: time.Now}
	if s.JWTSecretFile != "" {
		if tokens.Secrets, err = readSecrets(s.JWTSecretFile); err != nil {
			return nil, err
		}
	}
	if s.JWKS != "" {
		if tokens.Keys, err = auth.ReadKeySet(ctx, s.JWKS); err != nil {
			return nil, fmt.Errorf("--jwks %s: %w", s.JWKS, err)
		}
	}
	return tokens, nil
}

// prepare makes what a new store lacks: the tables, and on one machine something to look at.
func (s *serve) prepare(ctx context.Context, store hbase.Store, log zerolog.Logger) error {
	created, err := transfer.EnsureTables(ctx, store, s.regions())
	if err != nil {
		return fmt.Errorf("the tables can't be made: %w", err)
	}
	if len(created) > 0 {
		log.Info().Strs("tables", created).Int("regions", s.regions()).Msg("tables were missing, and are made now")
	}
	if !s.embedded() {
		return nil
	}
	wanted, err := sample.Wanted(ctx, store)
	if err == nil && wanted {
		err = sample.Load(ctx, store)
	}
	if err != nil {
		return fmt.Errorf("the sample can't be loaded: %w", err)
	}
	if wanted {
		log.Info().Msg("the store was empty, and has a small sample now")
	}
	return nil
}

// warm finds the regions of a cluster's tables, for which the first requests would have to wait. One that can't be reached now may be there when
// it is asked for.
func warm(ctx context.Context, store hbase.Store, log zerolog.Logger) {
	c, is := store.(*cluster.Store)
	if !is {
		return
	}
	var names []string
	for _, table := range tables.Definitions(1) {
		names = append(names, table.Name)
	}
	if err := c.Warm(ctx, names...); err != nil {
		log.Warn().Err(err).Msg("some regions do not answer yet")
	}
}

// listen serves until ctx ends, by TLS if secure is not nil. Then leave sends away who comes and who stays, and returns when
// those are gone whom it served.
func listen(ctx context.Context, listener net.Listener, secure *tls.Config, handler http.Handler, running int, leave func(context.Context), log zerolog.Logger) error {
	server := newServer(handler, running, log)
	server.TLSConfig = secure
	server.BaseContext = func(net.Listener) context.Context { return log.WithContext(context.WithoutCancel(ctx)) }
	ended := make(chan error, 1)
	scheme, serve := "http://", func() error { return server.Serve(listener) }
	if secure != nil {
		scheme, serve = "https://", func() error { return server.ServeTLS(listener, "", "") }
	}
	go func() { ended <- serve() }()
	log.Info().Str("url", scheme+address(listener)).Msg("twibase is ready")
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	log.Info().Msg("twibase ends, when the requests that run have been answered")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	leave(ctx) // who comes meanwhile is told so, rather than left without an answer
	if err := server.Shutdown(ctx); err != nil {
		return fmt.Errorf("some requests did not end within %s: %w", shutdownTimeout, err)
	}
	return nil
}

// maxStreams is how many requests of one connection are answered at the same time by HTTP/2, which asks for no fewer than a hundred.
const maxStreams = 100

// maxUnread is how many bytes of bodies that nobody reads HTTP/2 keeps of a connection: what sends events reads none, and lasts.
const maxUnread = 64 << 10

// newServer returns the server of all that is answered, with the times that it waits for clients. If so many operations run at a time, a connection has
// no more than two of each five places that there are to run and to wait: by HTTP/2 it costs a client nothing to ask, take it back and ask again.
func newServer(handler http.Handler, running int, log zerolog.Logger) *http.Server {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headTimeout,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    64 << 10,
		Protocols:         new(http.Protocols),
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams, MaxReceiveBufferPerConnection: maxUnread, MaxReceiveBufferPerStream: maxUnread},
		ErrorLog:          stdlog.New(warnings{log}, "", 0),
	}
	if running > 0 {
		server.HTTP2.MaxConcurrentStreams = min(2*running, maxStreams)
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetHTTP2(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	return server
}

// address is one that a browser on this machine can open.
func address(listener net.Listener) string {
	return strings.NewReplacer("[::]", "localhost", "0.0.0.0", "localhost").Replace(listener.Addr().String())
}
