package rebuild

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Timelines deletes the oldest entries beyond TimelineBound.
func (s *Rebuilder) Timelines(ctx context.Context, owners []string) error {
	return s.groups(ctx, owners, func(ctx context.Context, owners []string) error {
		seen := make(map[string]int, len(owners))
		return BucketPages(ctx, s.Store, &tables.Timelines.AnyList, owners, func(page *BucketPage) error {
			before := seen[page.Owner]
			seen[page.Owner] += len(page.Cells)
			rest := page.Cells[min(max(s.TimelineBound-before, 0), len(page.Cells)):]
			if len(rest) == 0 {
				return nil
			}
			since, deletion, err := tables.TrimTimeline(page.Owner, rest)
			if err != nil {
				return err
			}
			if err := hbase.MutateAll(ctx, s.Store, []hbase.Mutation{since}); err != nil {
				return err
			}
			return hbase.MutateAll(ctx, s.Store, []hbase.Mutation{deletion})
		})
	})
}
