package feeds

import (
	"context"

	"github.com/cespare/xxhash/v2"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// trimPeriod is the average number of entries written between two trims of a timeline. Trims are
// pseudo-random, because the length is not stored. They read about ten entries per written entry.
func (f *Feeds) trimPeriod() int { return max(1, f.o.TimelineBound/10) }

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

func (f *Feeds) trim(ctx context.Context, owner string) error {
	for limit := f.o.TimelineBound + f.o.BatchSize; ; {
		cells, err := f.read(ctx, tables.Timelines.Get(owner, 0, hbase.Page{Limit: limit}))
		if err != nil || len(cells[0]) <= f.o.TimelineBound {
			return err
		}
		since, deletion, err := tables.TrimTimeline(owner, cells[0][f.o.TimelineBound:])
		if err != nil {
			return err
		}
		if err := f.write(ctx, since); err != nil {
			return err
		}
		if err := f.write(ctx, deletion); err != nil || len(cells[0]) < limit {
			return err
		}
	}
}

func deleteFrom(owner string, entries []hbase.Cell) hbase.Delete {
	return hbase.DeleteCells(tables.Timelines.Table, tables.Timelines.Row(owner, 0), entries...)
}
