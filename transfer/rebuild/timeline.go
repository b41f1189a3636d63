package rebuild

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Timelines trims the timelines of these owners to the bound: it deletes the oldest entries.
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
			twit, err := tables.EntryOf(rest[0].Qualifier)
			if err != nil {
				return err
			}
			at, _, err := twit.Parts()
			if err != nil {
				return err
			}
			// This comes first, so that no reader takes a trimmed timeline for complete.
			if err := hbase.MutateAll(ctx, s.Store, []hbase.Mutation{tables.PutTimelineSince(span.Owner, at)}); err != nil {
				return err
			}
			row := tables.Timelines.Row(span.Owner, span.Bucket)
			return hbase.MutateAll(ctx, s.Store, []hbase.Mutation{Remove(tables.Timelines.Table, row, rest...)})
		})
	})
}
