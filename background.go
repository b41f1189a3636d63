package main

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"twibase/hbase"
	"twibase/live"
	"twibase/loaders"
	"twibase/resolvers"
	"twibase/writers"
	"twibase/writers/feeds"
)

// wholeTimeout is for what was acknowledged and goes on in the background. The next start, or another gateway, finishes the rest.
const wholeTimeout = 5 * time.Second

// background is what a gateway does beside answering requests.
type background struct {
	writers *writers.Writers
	feeds   *feeds.Feeds
	live    *live.Poller
}

// running is that of the server, for metrics.
var running atomic.Pointer[background]

// newBackground returns that of a store whose tables exist. A nil log drops what is logged. Authors with more followers than fanoutLimit are
// broadcasters; 0 is [tables.FanoutLimit].
func newBackground(store hbase.Store, fanoutLimit int, log *slog.Logger) *background {
	b := &background{}
	b.live = live.New(store, live.Options{
		Visible:      resolvers.Visible(func(ctx context.Context) context.Context { return loaders.With(ctx, store) }),
		OldestFanout: func() time.Time { return b.feeds.Behind() },
		Log:          log,
	})
	b.feeds = feeds.New(store, feeds.Options{Limit: fanoutLimit, Log: log})
	b.writers = writers.New(store, writers.Options{Log: log, Errands: b.feeds.Give, Watch: loaders.Writing})
	return b
}

// start begins it. end ends it: writers first, so that what was acknowledged is made whole if that is soon done.
func (b *background) start(ctx context.Context) (end func()) {
	running.Store(b)
	sweeping, stop := context.WithCancel(ctx)
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { b.writers.Run(sweeping) })
	all.Go(func() { b.feeds.Run(ctx) })
	all.Go(func() { b.live.Run(ctx) })
	return func() {
		patient, done := context.WithTimeout(context.WithoutCancel(ctx), wholeTimeout)
		defer done()
		stop()
		b.writers.Close(patient)
		cancel()
		all.Wait()
	}
}
