// Package cluster is the engine for a real HBase, over gohbase.
//
// gohbase finds regions, keeps one connection to each region server and sends multis. What this package adds is all that a caller of
// [hbase.Store] may rely on and gohbase leaves open: deadlines, multis of several tables, scans that survive a region's move,
// cells with timestamps of their own, checks and increments that are not fooled by being sent twice, and errors by name.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
)

var _ hbase.Store = (*Store)(nil)

// readTimeout is how long a connection is kept on which a region server owes answers and sends none: only when it is given up, gohbase asks where its
// regions are now. No page of a scan takes so long.
const readTimeout = 10 * time.Second

// Store is an [hbase.Store] on an HBase cluster. It is safe for concurrent use.
type Store struct {
	client  gohbase.Client
	admin   gohbase.AdminClient
	columns columnCache
	located located
	breaker breaker

	callTimeout time.Duration            // of reads and writes; 0 for none
	maxMulti    int                      // Gets in one multi
	multiSize   *prometheus.HistogramVec // gohbase's

	// collects is whether gohbase holds Gets back until more have come.
	collects bool

	// nonceGroup tells this client's increments from those of all others.
	nonceGroup  uint64
	adminRegion atomic.Pointer[hrpc.RegionInfo]
	closed      atomic.Bool
}

// Open opens the cluster at a URL hbase://host[:port][,host[:port]…][/znode][?flush=TIME] of its ZooKeeper; the port is 2181 and the znode
// /hbase by default. With flush=1ms, say, what several callers ask in that time goes to each region server as one multi, which spares the
// servers work and makes every round so much longer. It is [hbase.ErrInvalid] for another form of URL, and [hbase.ErrUnavailable] if HBase has
// not registered there before ctx or [hbase.DefaultTimeout] ends. gohbase and ZooKeeper's client log to log.
func Open(ctx context.Context, url string, log zerolog.Logger, options ...Option) (*Store, error) {
	return open(ctx, url, log, nil, options)
}

// Option changes how a store works.
type Option func(*Store)

// WithCallTimeout bounds each read and write, whatever the deadline of its context: after that time the region
// server is unresponsive. Until it answers again, calls to its regions fail at once with
// [hbase.ErrUnresponsive], so that a gateway can answer requests for other servers. A page of a scan is a call.
func WithCallTimeout(timeout time.Duration) Option { return func(s *Store) { s.callTimeout = timeout } }

func open(
	ctx context.Context, url string, log zerolog.Logger, more []gohbase.Option, options []Option,
) (*Store, error) {
	ctx, cancel := hbase.Bounded(ctx, 0)
	defer cancel()
	at, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	logger := routeLogs(log)
	if err := at.probe(ctx); err != nil {
		return nil, err
	}
	more = append([]gohbase.Option{
		gohbase.ZookeeperRoot(at.znode),
		gohbase.Logger(logger),
		// gohbase would hold every call back for 20 ms to batch it with others. Callers of a Store bring whole batches.
		gohbase.FlushInterval(at.flush),
		gohbase.RpcQueueSize(maxMulti),
		gohbase.RegionReadTimeout(readTimeout),
		gohbase.RegionLookupTimeout(readTimeout),
	}, more...)
	s := &Store{
		maxMulti:  maxMulti,
		multiSize: multiSize(),
		collects:  at.flush > 0,
		client:    gohbase.NewClient(at.quorum, more...),
		// An admin client can't be closed, so there is one; it connects when it is first used.
		admin:      gohbase.NewAdminClient(at.quorum, more...),
		nonceGroup: rand.Uint64(),
	}
	for _, option := range options {
		option(s)
	}
	return s, nil
}

// Close implements [hbase.Store].
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.client.Close()
	s.closeAdmin()
	return nil
}

// begin starts a call with a deadline: that of ctx, and timeout if it is not 0. It fails if the store is closed or ctx is done.
func (s *Store) begin(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc, error) {
	if s.closed.Load() {
		return nil, nil, hbase.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("hbase: not asked: %w", err)
	}
	ctx, cancel := hbase.Bounded(ctx, timeout)
	return ctx, cancel, nil
}

var zkLogs sync.Once

// routeLogs lets ZooKeeper's client log to log, and returns a logger for gohbase that does. ZooKeeper's client has one logger for the whole
// process, which it reads without a lock: the first store's stays.
func routeLogs(log zerolog.Logger) *slog.Logger {
	zkLogs.Do(func() { zk.DefaultLogger = zkLogger{log.With().Str("from", "zookeeper").Logger()} })
	if log.GetLevel() > zerolog.DebugLevel {
		// gohbase tells of each region and connection that it finds.
		log = log.Level(max(log.GetLevel(), zerolog.WarnLevel))
	}
	return slog.New(zerolog.NewSlogHandler(log.With().Str("from", "gohbase").Logger()))
}

type zkLogger struct{ log zerolog.Logger }

// Printf implements zk.Logger. What it is told are connects and reconnects; errors come back from the calls.
func (l zkLogger) Printf(format string, args ...any) { l.log.Debug().Msgf(format, args...) }

// multiSize returns gohbase's own histogram of multis. This package sends multis of its own, which gohbase does
// not count there. gohbase has registered the metric, so registering it again returns it. (As RPCs gohbase counts
// all of them, in gohbase_rpc_size_bytes.)
func multiSize() *prometheus.HistogramVec {
	again := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "gohbase", Name: "batch_flush_size", Help: "Number of RPCs sent in multis",
	}, []string{"regionserver"})
	if existing := (prometheus.AlreadyRegisteredError{}); errors.As(prometheus.Register(again), &existing) {
		return existing.ExistingCollector.(*prometheus.HistogramVec)
	}
	return again // this version of gohbase has no such metric
}
