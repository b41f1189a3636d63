// Package feeds adds twits to timelines and removes them, in the background: see docs/FEEDS.md.
//
// post.go, follow.go and broadcast.go implement the kinds of [tables.Job].
//
// A job may run twice, even concurrently: both runs write the same entries. It delivers batches:
// some of the author's twits for some of the followers.
//
//	record ──► put ──► verify ──► record the next batch, or release the job
//
//	record    store the batch in the job's row, in the CheckAndPut that renews the lease
//	put       write the entries
//	verify    read the author's lists again; delete entries whose follower or twit is gone
//
// The next gateway repeats put and verify of a dead gateway's recorded batch. It knows each batch
// that may still be put late, because only the holder of the lease can record one.
package feeds

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/outbox"
)

const (
	// quarantine is longer than any request that reads a timeline.
	quarantine = 40 * time.Second
	// allDelivered is the cursor after all followers.
	allDelivered = tables.MembersEnd
)

// Options configure the feeds of a gateway, with defaults for zero values.
type Options struct {
	// Limit is the fan-out limit in docs/FEEDS.md. The default is [tables.FanoutLimit].
	Limit         int
	TimelineBound int          // entries of a timeline; the default is [tables.TimelineBound]
	BatchSize     int          // entries of a batch; the default is 2,500
	Workers       int          // concurrent jobs; the default is 4
	Log           *slog.Logger // may be nil
	// Done is called after each job of this gateway. It must not block.
	Done func(tables.Job)
	Now  func() time.Time
	// Seed makes lease holders and job ids repeatable in tests.
	Seed rand.Source
}

// Feeds runs the fan-out jobs of one gateway. It is safe for concurrent use.
type Feeds struct {
	store  hbase.Store
	o      Options
	outbox *outbox.Outbox[job]
}

type job struct {
	tables.Job
	tables.Progress
}

// New returns the feeds of a store whose tables exist.
func New(store hbase.Store, o Options) *Feeds {
	o.Limit = cmp.Or(o.Limit, tables.FanoutLimit)
	o.TimelineBound = cmp.Or(o.TimelineBound, tables.TimelineBound)
	o.BatchSize = cmp.Or(o.BatchSize, 2500)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Done == nil {
		o.Done = func(tables.Job) {}
	}
	f := &Feeds{store: store, o: o}
	f.outbox = outbox.New(outbox.Config[job]{
		Store:    store,
		Table:    tables.Jobs.Outbox,
		Decode:   decodeJob,
		Describe: func(j job) outbox.Properties { return outbox.Properties{Deferred: j.Cursor == allDelivered} },
		Work:     f.work,
		Workers:  cmp.Or(o.Workers, 4),
		Log:      o.Log,
		Now:      o.Now,
		Rand:     o.Seed,
	})
	return f
}

func decodeJob(row string, cells []hbase.Cell) (job, bool, error) {
	j, ok, err := tables.Jobs.Decode(row, cells)
	return job{j, tables.Jobs.Progress(cells)}, ok, err
}

// Run runs jobs until ctx is done.
func (f *Feeds) Run(ctx context.Context) { f.outbox.Run(ctx, ctx) }

// Sweep runs all jobs that are neither deferred nor leased to another gateway. Corrupt jobs are
// only logged.
func (f *Feeds) Sweep(ctx context.Context) error {
	_, err := f.outbox.Sweep(ctx)
	return err
}

// Notify queues a job that was just put. Otherwise a scan finds it within a second.
func (f *Feeds) Notify(j tables.Job) { f.outbox.Notify(j.ID) }

// Limit returns [Options.Limit], or its default.
func (f *Feeds) Limit() int { return f.o.Limit }

// Lag returns the pending jobs as of the last scan.
func (f *Feeds) Lag() outbox.Lag { return f.outbox.Lag() }

// PendingSince is [outbox.Outbox.PendingSince] of the jobs.
func (f *Feeds) PendingSince() time.Time { return f.outbox.PendingSince() }

func (f *Feeds) work(ctx context.Context, item *outbox.Item[job]) (done bool, err error) {
	o := &fanout{Feeds: f, Job: item.Value.Job, Progress: item.Value.Progress, item: item}
	switch o.Kind {
	case tables.Posted:
		done, err = true, o.deliverOnce(ctx, o.posted)
	case tables.Deleted:
		done, err = true, o.deleted(ctx)
	case tables.Followed:
		done, err = true, o.deliverOnce(ctx, o.followed)
	case tables.Unfollowed:
		done, err = true, o.unfollowed(ctx)
	case tables.Returned:
		done, err = o.returned(ctx)
	default:
		err = fmt.Errorf("%w: %q is not a kind of job", hbase.ErrCorrupt, o.Kind)
	}
	if err == nil && done {
		err = f.write(ctx, tables.Jobs.Remove(o.ID))
	}
	if err != nil {
		return false, fmt.Errorf("%s, author %s: %w", o.Kind, o.Author, err)
	}
	if done {
		f.o.Done(o.Job)
	}
	return done, nil
}

type fanout struct {
	*Feeds
	tables.Job
	// The next renewal of the lease stores Progress.
	tables.Progress
	item *outbox.Item[job]
}

func (f *fanout) renew(ctx context.Context) error { return f.item.Renew(ctx, f.Progress.Cells()...) }

// advance stores the cursor at most once a second.
func (f *fanout) advance(ctx context.Context, cursor string) error {
	f.Cursor = cursor
	if f.item.Remaining() > outbox.LeaseTime-time.Second {
		return nil
	}
	return f.renew(ctx)
}

// deliverOnce calls deliver, unless the cursor is allDelivered. In both cases, it then releases the
// job, so that no other gateway can record a batch.
func (f *fanout) deliverOnce(ctx context.Context, deliver func(context.Context) error) error {
	if err := f.redeliver(ctx); err != nil {
		return err
	}
	if f.Cursor != allDelivered {
		if err := deliver(ctx); err != nil {
			return err
		}
	}
	f.Cursor, f.Unverified = allDelivered, ""
	return f.item.Release(ctx, f.Progress.Cells()...)
}

func (f *Feeds) read(ctx context.Context, gets ...hbase.Get) ([][]hbase.Cell, error) {
	return hbase.GetAll(ctx, f.store, gets)
}

func (f *Feeds) write(ctx context.Context, mutations ...hbase.Mutation) error {
	return hbase.MutateAll(ctx, f.store, mutations)
}
