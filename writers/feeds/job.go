package feeds

import (
	"context"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/outbox"
)

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
