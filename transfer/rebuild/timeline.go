package rebuild

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Timelines deletes the oldest entries beyond the bound.
func (s *Rebuilder) Timelines(ctx context.Context, owners []string) error {
	return s.groups(ctx, owners, func(ctx context.Context, owners []string) error {
		seen := make(map[string]int, len(owners))
		return Spans(ctx, s.Store, &tables.Timelines.AnyList, owners, func(span *Span) error {
			before := seen[span.Owner]
			seen[span.Owner] += len(span.Cells)
			rest := span.Cells[min(max(s.TimelineBound-before, 0), len(span.Cells)):]
			if len(rest) == 0 {
				return nil
			}
			since, deletion, err := tables.TrimTimeline(span.Owner, rest)
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
