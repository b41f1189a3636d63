package feeds

import (
	"context"

	"github.com/cespare/xxhash/v2"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// How long a timeline is nobody counts: whoever brings entries looks at one in so many, a tenth of the bound. So a timeline has hardly
// ever more than twice the bound, and a look costs an entry about as much as ten entries are read for.
func (f *Feeds) period() int { return max(1, f.o.TimelineBound/10) }

// due reports whether it is time to look at a timeline that twits are brought into.
func (f *Feeds) due(owner string, twits []tables.TwitKey) bool {
	if len(twits) >= f.period() {
		return true
	}
	for _, twit := range twits {
		if xxhash.Sum64String(owner+"\x00"+twit.Position)%uint64(f.period()) == 0 {
			return true
		}
	}
	return false
}

// trim cuts timelines behind their newest entries.
func (f *Feeds) trim(ctx context.Context, owners []string) error {
	for _, owner := range owners {
		for {
			limit := f.o.TimelineBound + f.o.Chunk
			cells, err := f.read(ctx, tables.Timelines.Get(owner, 0, hbase.Page{Limit: limit}))
			if err != nil {
				return err
			}
			if len(cells[0]) <= f.o.TimelineBound {
				break
			}
			var gone []hbase.Deletion
			for _, c := range cells[0][f.o.TimelineBound:] {
				gone = append(gone, without(c.Qualifier, c.Timestamp))
			}
			// First of all, so that nobody takes the timeline for whole.
			if err := f.cutAt(ctx, cells[0][f.o.TimelineBound].Qualifier, owner); err != nil {
				return err
			}
			if err := f.write(ctx, []hbase.Mutation{deleteFrom(owner, gone)}); err != nil {
				return err
			}
			if len(cells[0]) < limit {
				break
			}
		}
	}
	return nil
}

// cutAt notes that timelines may have been cut from the entry at this position on.
func (f *Feeds) cutAt(ctx context.Context, position string, owners ...string) error {
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
	return f.write(ctx, puts)
}

// without takes an entry away, as far as it is not younger than the timestamp.
func without(qualifier string, timestamp int64) hbase.Deletion {
	return hbase.Deletion{Kind: hbase.AllVersions, Family: tables.Timelines.Family, Qualifier: qualifier, Timestamp: timestamp}
}

func deleteFrom(owner string, gone []hbase.Deletion) hbase.Delete {
	return hbase.Delete{Table: tables.Timelines.Table, Row: tables.Timelines.Row(owner, 0), Columns: gone}
}
