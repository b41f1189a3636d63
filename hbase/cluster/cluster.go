// Package cluster is the engine for a real HBase, over gohbase.
//
// gohbase finds regions, keeps one connection to each region server and sends multis. This package
// adds the rest of [hbase.Store]'s contract: deadlines, multis of several tables, scans that
// survive a region's move, a timestamp for each cell, and errors.
//
// The path of a Get call:
//
//	Gets ──► circuit breaker ──► known region? ──yes──► multis per server, of all tables    multi.go
//	         breaker.go          regions.go                 │ no result: region moved, connection lost
//	                                  │ no                  ▼
//	                                  └──────────────► gohbase, a batch per table: finds the   batch.go
//	                                                   regions, and retries until the deadline.
//	                                                   If it gives up early, the calls that
//	                                                   failed are sent once more
package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
	"twibase/hbase/cluster/kerberos"
)

var _ hbase.Store = (*Store)(nil)

// readTimeout bounds the wait until a server reads a part of a request, and the wait for the
// response, such as a page of a scan. After this time, gohbase closes the connection and locates
// its regions again.
const readTimeout = 10 * time.Second

// Store is an [hbase.Store] on an HBase cluster.
type Store struct {
	client   gohbase.Client
	admin    gohbase.AdminClient
	regions  regionCache
	breaker  breaker
	states   tableStates
	locator  *locator // finds hbase:meta's server
	refusals refusals // of region servers
	masters  refusals // of masters
	denied   sync.Map // denials that were logged

	lastResponse sync.Map // by address: *atomic.Int64, Unix time in ns

	log        zerolog.Logger
	exceptions *prometheus.CounterVec

	metaServer  string             // address of hbase:meta's server at Open
	user        string             // whose rights HBase checks
	tls         func() *tls.Config // nil without TLS
	login       *kerberos.Login    // nil without Kerberos
	prefix      string             // of full table names, such as "ns:"
	callTimeout time.Duration      // 0 is none
	multiSize   *prometheus.HistogramVec

	// ?flush=: gohbase delays Gets and mutations to send them together
	collects bool

	adminRegion atomic.Pointer[hrpc.RegionInfo] // of the last admin call
	closed      atomic.Bool
}

// Open opens the cluster at the URL of its ZooKeeper,
// hbase://host[:port][,host[:port]…][/znode][?flush=TIME]. The defaults are port 2181 and znode
// /hbase. With flush=1ms, Gets and mutations that callers send within 1 ms share multis. This saves
// CPU of the region servers, and costs up to 1 ms of latency.
//
// Open returns [hbase.ErrInvalid] for a malformed URL, and [hbase.ErrUnavailable] if the server of
// hbase:meta refuses connections, or if HBase has not registered in ZooKeeper by the deadline of
// ctx (default [hbase.DefaultTimeout]).
func Open(ctx context.Context, url string, log zerolog.Logger, options ...Option) (*Store, error) {
	return open(ctx, url, log, new(net.Dialer).DialContext, options)
}

// Option configures [Open].
type Option func(*Store)

// WithCallTimeout bounds each read, write and page of a scan, in addition to its ctx. After a
// timeout, calls to the region fail with [hbase.ErrUnresponsive] until it answers. If its server
// has answered no call for that time, calls to the other regions of the server fail, too.
func WithCallTimeout(timeout time.Duration) Option { return func(s *Store) { s.callTimeout = timeout } }

const defaultUser = "root"

// WithUser sets the user whose rights HBase checks (default root). HBase trusts the name.
func WithUser(user string) Option { return func(s *Store) { s.user = user } }

func open(
	ctx context.Context, url string, log zerolog.Logger, wire dialFunc, options []Option,
) (*Store, error) {
	ctx, cancel := hbase.Bounded(ctx, 0)
	defer cancel()
	at, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	logger := routeLogs(log)
	s := &Store{
		multiSize:  multiSize(),
		collects:   at.flush > 0,
		user:       defaultUser,
		log:        log,
		exceptions: newExceptionCounter(),
	}
	for _, option := range options {
		option(s)
	}
	if s.prefix != "" {
		if err := CheckNamespace(strings.TrimSuffix(s.prefix, ":")); err != nil {
			return nil, err
		}
	}
	metaServer, err := at.await(ctx)
	if err != nil {
		return nil, err
	}
	s.metaServer = metaServer
	settings := []gohbase.Option{
		gohbase.ZookeeperRoot(at.znode),
		gohbase.Logger(logger),
		gohbase.EffectiveUser(s.user),
		// gohbase's default waits 20 ms for more calls.
		gohbase.FlushInterval(at.flush),
		gohbase.RpcQueueSize(maxMulti),
		gohbase.RegionReadTimeout(readTimeout),
		gohbase.RegionLookupTimeout(readTimeout),
	}
	if s.login != nil {
		if s.login, err = s.login.Start(ctx); err != nil {
			return nil, refusedByKerberos(err)
		}
	}
	if err := s.checkMetaServer(ctx, s.dialer(wire, &s.refusals), logger); err != nil {
		s.logOut()
		return nil, err
	}
	dial := func(noted *refusals) []gohbase.Option {
		return append(slices.Clone(settings), gohbase.RegionDialer(s.dialer(wire, noted)))
	}
	s.client = gohbase.NewClient(at.quorum, dial(&s.refusals)...)
	s.admin = gohbase.NewAdminClient(at.quorum, dial(&s.masters)...)
	s.locator = setLocator(s.client, &s.log)
	setLocator(s.admin, &s.log)
	return s, nil
}

func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return hbase.ErrClosed
	}
	s.client.Close()
	s.closeAdmin()
	s.logOut()
	return nil
}

func (s *Store) begin(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc, error) {
	if s.closed.Load() {
		return nil, nil, hbase.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("hbase: not sent: %w", err)
	}
	ctx, cancel := hbase.Bounded(ctx, timeout)
	return ctx, cancel, nil
}

var zkLogs sync.Once

// routeLogs returns gohbase's logger. Only the first store also sets ZooKeeper's logger, because
// the process has only one, which is read without a lock.
func routeLogs(log zerolog.Logger) *slog.Logger {
	zkLogs.Do(func() { zk.DefaultLogger = zkLogger{log.With().Str("from", "zookeeper").Logger()} })
	if log.GetLevel() > zerolog.DebugLevel {
		log = log.Level(max(log.GetLevel(), zerolog.WarnLevel))
		// While HBase is down, gohbase logs each region each second.
		log = log.Sample(&zerolog.BurstSampler{Burst: gohbaseLines, Period: gohbasePeriod})
	}
	handler := zerolog.NewSlogHandler(log.With().Str("from", "gohbase").Logger())
	return slog.New(withoutStacks{handler})
}

const (
	gohbaseLines  = 10
	gohbasePeriod = 10 * time.Second
)

type withoutStacks struct{ slog.Handler }

func (h withoutStacks) Handle(ctx context.Context, r slog.Record) error {
	short := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(firstLines(err.Error()))
		}
		short.AddAttrs(a)
		return true
	})
	return h.Handler.Handle(ctx, short)
}

type zkLogger struct{ log zerolog.Logger }

// Printf logs at level debug, because ZooKeeper's calls also return their errors.
func (l zkLogger) Printf(format string, args ...any) { l.log.Debug().Msgf(format, args...) }

// multiSize returns gohbase's metric of the sizes of multis, to which this package adds its own.
func multiSize() *prometheus.HistogramVec {
	again := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "gohbase", Name: "batch_flush_size", Help: "Number of RPCs sent in multis",
	}, []string{"regionserver"})
	if existing := (prometheus.AlreadyRegisteredError{}); errors.As(prometheus.Register(again), &existing) {
		return existing.ExistingCollector.(*prometheus.HistogramVec)
	}
	return again // gohbase has no such metric
}
