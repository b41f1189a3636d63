// Package feeds delivers twits to timelines in the background, and removes them from timelines.
//
// A write that changes timelines leaves a [tables.Job] in the store. The jobs are the items of an
// [outbox.Outbox], so any gateway does them, and a crash loses none. A job may run twice, or in two gateways at
// the same time: an entry of a timeline is a column, and every job that writes it writes the same cell.
//
// # Delivery
//
// A job delivers twits in batches: some of the author's twits to some of the followers. Followers and twits may
// go while a batch is on its way, and the job that removes their entries may have run before the entries arrive.
// So each batch has three steps:
//
//	record    store the batch in the job's row, in the CheckAndPut that renews the lease
//	put       write the entries
//	verify    read the author's lists again, and delete the entries of followers and twits that are gone
//
// A batch stays recorded until it was verified. If the gateway dies, the next one puts and verifies the recorded
// batch again: whatever the dead gateway's calls still write, however late, is then either rightly there or
// masked by a deletion. A gateway that lost its lease cannot record, so it puts nothing that its successor does
// not know of. docs/FEEDS.md shows why no entry is missing and none is left over.
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
	// allDelivered is the cursor of a job that has delivered everything. It follows all followers.
	allDelivered = tables.MembersEnd
)

// Options configure the feeds of a gateway. The zero value has the defaults.
type Options struct {
	// Limit is the number of followers above which an author becomes a broadcaster. The default is
	// [tables.FanoutLimit].
	Limit int
	// TimelineBound is how many entries a timeline keeps. The default is [tables.TimelineBound]; tests use less.
	TimelineBound int
	// BatchSize is how many entries are written together. The default is 2,500; tests use less.
	BatchSize int
	// Workers is how many jobs the gateway does at a time, so that a long one does not hold up all others. The
	// default is 4; tests use 1.
	Workers int
	// Log is for jobs that fail and will be tried again. The default logs nothing.
	Log *slog.Logger
	// Done is called with each job that this gateway has done. It must not block.
	Done func(tables.Job)
	// Now is the clock. The default is the machine's.
	Now func() time.Time
	// Seed makes lease holders and the ids of jobs repeatable, for tests. The default is random.
	Seed rand.Source
}

// Feeds does the fan-out jobs of one gateway. Its methods are safe for concurrent use.
type Feeds struct {
	store  hbase.Store
	o      Options
	outbox *outbox.Outbox[job]
}

// job is an item of the outbox.
type job struct {
	tables.Job
	tables.Progress
}

// New returns the feeds of a store whose tables exist.
func New(store hbase.Store, o Options) *Feeds {
	o.Limit = cmp.Or(o.Limit, tables.FanoutLimit)
	o.TimelineBound = cmp.Or(o.TimelineBound, tables.TimelineBound)
	o.BatchSize = cmp.Or(o.BatchSize, 2500)
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

// Run does jobs until ctx is done.
func (f *Feeds) Run(ctx context.Context) { f.outbox.Run(ctx, ctx) }

// Sweep does all jobs that no other gateway has taken, and returns the errors of those that failed. Jobs that
// cannot be read are logged.
func (f *Feeds) Sweep(ctx context.Context) error {
	_, err := f.outbox.Sweep(ctx)
	return err
}

// Notify says that a job was put into the store: Run does it at once, unless older ones wait. Without Notify a
// scan finds it within seconds.
func (f *Feeds) Notify(j tables.Job) { f.outbox.Notify(j.ID) }

// Lag returns how far timelines are behind, of the whole store.
func (f *Feeds) Lag() outbox.Lag { return f.outbox.Lag() }

// PendingSince returns when the oldest job was created that timelines wait for, the zero time if there is none,
// and 1970 if the outbox has not been scanned yet.
func (f *Feeds) PendingSince() time.Time { return f.outbox.PendingSince() }

// work does a job, for the outbox.
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

// fanout is one execution of a job by this gateway.
type fanout struct {
	*Feeds
	tables.Job
	// Progress is what the next renewal of the lease stores.
	tables.Progress
	item *outbox.Item[job]
}

// renew takes the job, or extends the lease, and stores the progress.
func (f *fanout) renew(ctx context.Context) error { return f.item.Renew(ctx, f.Progress.Cells()...) }

// advance moves the cursor. It stores that once a second: a successor repeats no more than that.
func (f *fanout) advance(ctx context.Context, cursor string) error {
	f.Cursor = cursor
	if f.item.Remaining() > outbox.LeaseTime-time.Second {
		return nil
	}
	return f.renew(ctx)
}

// deliverOnce does a job that is done when it has delivered. The release keeps other gateways from recording
// further batches before the job is removed.
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
