package feeds

import (
	"context"

	"github.com/cespare/xxhash/v2"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// trimPeriod is the average number of entries written to a timeline per trim: a tenth of the bound,
// because no length is stored. So a timeline rarely exceeds twice the bound, and trimming reads
// about ten entries per entry written.
func (f *Feeds) trimPeriod() int { return max(1, f.o.TimelineBound/10) }

// trims reports whether the delivery of these twits trims the timeline. A hash decides.
func (f *Feeds) trims(owner string, twits []tables.TwitKey) bool {
	if len(twits) >= f.trimPeriod() {
		return true
	}
	for _, twit := range twits {
		if xxhash.Sum64String(owner+"\x00"+twit.Position)%uint64(f.trimPeriod()) == 0 {
			return true
		}
	}
	return false
}

// trim deletes all but the newest entries of a timeline, up to BatchSize at a time.
func (f *Feeds) trim(ctx context.Context, owner string) error {
	for limit := f.o.TimelineBound + f.o.BatchSize; ; {
		cells, err := f.read(ctx, tables.Timelines.Get(owner, 0, hbase.Page{Limit: limit}))
		if err != nil || len(cells[0]) <= f.o.TimelineBound {
			return err
		}
		old := cells[0][f.o.TimelineBound:]
		entries := make([]hbase.Deletion, len(old))
		for i, c := range old {
			entries[i] = deletion(c.Qualifier, c.Timestamp)
		}
		// Before the deletion, so that an incomplete timeline never looks complete.
		if err := f.recordTrimmed(ctx, old[0].Qualifier, owner); err != nil {
			return err
		}
		if err := f.write(ctx, deleteFrom(owner, entries)); err != nil || len(cells[0]) < limit {
			return err
		}
	}
}

// recordTrimmed stores that timelines may lack entries from this position on.
func (f *Feeds) recordTrimmed(ctx context.Context, position string, owners ...string) error {
	twit, err := tables.EntryOf(position)
	if err != nil {
		return err
	}
	at, _, err := twit.Parts()
	if err != nil {
		return err
	}
	puts := make([]hbase.Mutation, len(owners))
	for i, owner := range owners {
		puts[i] = tables.PutTimelineSince(owner, at)
	}
	return f.write(ctx, puts...)
}

// deletion deletes an entry up to the timestamp.
func deletion(qualifier string, timestamp int64) hbase.Deletion {
	return hbase.Deletion{
		Kind: hbase.AllVersions, Family: tables.Timelines.Family, Qualifier: qualifier, Timestamp: timestamp,
	}
}

func deleteFrom(owner string, entries []hbase.Deletion) hbase.Delete {
	return hbase.Delete{Table: tables.Timelines.Table, Row: tables.Timelines.Row(owner, 0), Columns: entries}
}
