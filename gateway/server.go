package gateway

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// HTTP server timeouts. writeTimeout counts from the end of the request's header.
const (
	headerTimeout = 10 * time.Second
	writeTimeout  = 2 * requestTimeout
	idleTimeout   = 2 * time.Minute
	// for the last accepted request
	shutdownTimeout = requestTimeout + 5*time.Second
)

// HTTP/2 limits per connection.
const (
	// maxStreams bounds concurrent requests; the protocol recommends at least 100.
	maxStreams = 100
	// maxUnread bounds request bodies that no handler reads, such as those of subscriptions.
	maxUnread = 64 << 10
)

// Listeners are the listeners of a gateway.
type Listeners struct {
	Public net.Listener
	// TLS configures the public listener; nil is plain HTTP.
	TLS *tls.Config
	// Monitoring serves plain HTTP; may be nil.
	Monitoring net.Listener
}

// Serve serves requests and does background work until ctx is done, then shuts down.
func (g *Gateway) Serve(ctx context.Context, l Listeners) error {
	log := g.config.Log
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	work.Go(func() { g.Run(background) })
	defer work.Wait()
	defer stop()
	if l.Monitoring != nil {
		monitoring := newServer(g.Monitoring, 0, log)
		defer monitoring.Close()
		go func() { _ = monitoring.Serve(l.Monitoring) }()
		log.Info().Str("url", "http://"+address(l.Monitoring)+"/metrics").Msg("serving metrics")
	}
	server := newServer(g.Public, g.config.Concurrency, log)
	server.TLSConfig = l.TLS
	return serve(ctx, server, l.Public, g.Shutdown, log)
}

// serve serves until ctx is done. It drains before it closes the listener, so that new requests get
// a response.
func serve(
	ctx context.Context, server *http.Server, listener net.Listener, drain func(context.Context), log zerolog.Logger,
) error {
	server.BaseContext = func(net.Listener) context.Context { return log.WithContext(context.WithoutCancel(ctx)) }
	scheme, start := "http://", func() error { return server.Serve(listener) }
	if server.TLSConfig != nil {
		scheme, start = "https://", func() error { return server.ServeTLS(listener, "", "") }
	}
	failed := make(chan error, 1)
	go func() { failed <- start() }()
	log.Info().Str("url", scheme+address(listener)).Msg("twibase is ready")
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	log.Info().Msg("shutting down: waiting for in-flight requests")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	drain(ctx)
	if err := server.Shutdown(ctx); err != nil {
		return fmt.Errorf("some requests did not end within %s: %w", shutdownTimeout, err)
	}
	return nil
}

// newServer returns an HTTP server with timeouts. With limited concurrency, an HTTP/2 connection
// gets at most two fifths of the running and waiting operations: cancelled requests cost a client
// nothing.
func newServer(handler http.Handler, concurrency int, log zerolog.Logger) *http.Server {
	streams := maxStreams
	if concurrency > 0 {
		streams = min(2*concurrency, maxStreams)
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    64 << 10,
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

// address returns an address that browsers on this machine can open.
func address(listener net.Listener) string {
	return strings.NewReplacer("[::]", "localhost", "0.0.0.0", "localhost").Replace(listener.Addr().String())
}
