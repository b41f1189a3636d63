package gateway

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"twibase/graph/apierr"
)

// writeTimeout begins at the end of the request's header.
const (
	headerTimeout   = 10 * time.Second
	writeTimeout    = 2 * requestTimeout
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = requestTimeout + 5*time.Second
)

const (
	maxHeaderBytes  = 64 << 10
	maxHeaderFields = 100 // each takes more than 100 bytes of memory
	maxStreams      = 100 // of an HTTP/2 connection, the minimum that RFC 9113 recommends
	// maxUnread bounds the unread bytes of bodies that HTTP/2 buffers, per connection and per
	// stream.
	maxUnread = 64 << 10
)

// Listeners of a gateway.
type Listeners struct {
	Public     net.Listener
	TLS        *tls.Config  // of Public; nil is plain HTTP
	Monitoring net.Listener // plain HTTP; may be nil
}

// ErrTerminated is the cause of a context that SIGTERM ended: see [Config.DrainDelay].
var ErrTerminated = errors.New("terminated")

// Open opens a store and returns a gateway over it. Before a wait, it calls waiting with the
// reason.
type Open func(ctx context.Context, waiting func(reason string)) (*Gateway, error)

// Serve listens immediately. Until open returns, it rejects requests, and /readyz has status 503
// and the reason. Then the gateway serves until ctx is done, and shuts down. If a listener fails,
// Serve cancels open's context and returns the error. The caller closes the store.
func Serve(ctx context.Context, l Listeners, config Config, open Open) error {
	log := config.Log
	front := newFront()
	serving, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	server := newServer(&front.public, config.Concurrency, log)
	server.BaseContext = func(net.Listener) context.Context { return context.WithoutCancel(ctx) }
	server.TLSConfig = l.TLS
	defer server.Close()
	scheme, start := "http://", func() error { return server.Serve(l.Public) }
	if l.TLS != nil {
		scheme, start = "https://", func() error { return server.ServeTLS(l.Public, "", "") }
	}
	go func() { fail(start()) }()
	if l.Monitoring != nil {
		monitoring := newServer(&front.monitoring, 0, log)
		defer monitoring.Close()
		go func() { fail(monitoring.Serve(l.Monitoring)) }()
		log.Info().Str("url", "http://"+address(l.Monitoring)+"/metrics").Msg("serving metrics")
	}
	g, err := open(serving, front.setReason)
	if err != nil {
		return cmp.Or(failure(ctx, serving), err)
	}
	var work sync.WaitGroup
	defer work.Wait()
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	work.Go(func() { g.Run(background) })
	front.serve(g)
	log.Info().Str("url", scheme+address(l.Public)).Msg("twibase is ready")
	<-serving.Done()
	if err := failure(ctx, serving); err != nil {
		return err
	}
	g.delayShutdown(ctx)
	return shutdown(ctx, server, g.Shutdown, log)
}

func failure(ctx, serving context.Context) error {
	if ctx.Err() != nil {
		return nil
	}
	return context.Cause(serving)
}

func (g *Gateway) delayShutdown(ctx context.Context) {
	g.stopping.Store(true)
	delay := g.current.Load().DrainDelay
	if context.Cause(ctx) != ErrTerminated || delay == 0 {
		return
	}
	g.config.Log.Info().Dur("ms", delay).Msg("shutting down: /readyz fails, and requests are served for --drain-delay")
	time.Sleep(delay)
}

// shutdown drains before it closes the server, so that new requests get a response.
func shutdown(ctx context.Context, server *http.Server, drain func(context.Context), log zerolog.Logger) error {
	log.Info().Msg("shutting down: waiting for in-flight requests")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	drain(ctx)
	if err := server.Shutdown(ctx); err != nil {
		return fmt.Errorf("some requests did not end within %s: %w", shutdownTimeout, err)
	}
	return nil
}

// newServer bounds the requests of an HTTP/2 connection to two per slot, and at most maxStreams:
// one client must not fill the slots and the queue, which have room for five per slot, with
// requests that it cancels at no cost.
func newServer(handler http.Handler, concurrency int, log zerolog.Logger) *http.Server {
	streams := maxStreams
	if concurrency > 0 {
		streams = min(2*concurrency, maxStreams)
	}
	server := &http.Server{
		Handler:           limitHeader(handler),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		Protocols:         new(http.Protocols),
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          streams,
			MaxReceiveBufferPerConnection: maxUnread,
			MaxReceiveBufferPerStream:     maxUnread,
		},
		ErrorLog: slog.NewLogLogger(zerolog.NewSlogHandler(log), slog.LevelWarn),
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetHTTP2(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	return server
}

// limitHeader rejects requests with too many header fields, without reading the body: a slow body
// would keep the header in memory.
func limitHeader(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fields := 0
		for _, values := range r.Header {
			fields += len(values)
		}
		if fields <= maxHeaderFields {
			next.ServeHTTP(w, r)
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
		r.Header = nil
		w.Header().Set("Connection", "close")
		apierr.LimitExceeded("the number of header fields", maxHeaderFields, fields).
			Write(w, http.StatusRequestHeaderFieldsTooLarge)
	})
}

func address(listener net.Listener) string {
	return strings.NewReplacer("[::]", "localhost", "0.0.0.0", "localhost").Replace(listener.Addr().String())
}
