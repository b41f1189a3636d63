package writers

import (
	"context"
	"slices"
	"time"

	"twibase/hbase"
)

// grace is longer than any request that reads lists, plus the difference of clocks: a reader that
// has an old directory finds members where they were.
const grace = 40 * time.Second

// cleanupArgs are the range that a split moved, and when.
type cleanupArgs struct {
	bucketRef
	Start, Stop []byte
	At          int64 // milliseconds: the timestamp of the split
}

// cleanup deletes the old copies of what a split moved, and the column of the pending
// buckets.
var _ = register(opType[cleanupArgs]{
	name: "empty", properties: properties{delay: grace},
	reads: func(a cleanupArgs) []hbase.Get { return []hbase.Get{a.list().Directories(string(a.Owner))} },
	check: func(a *cleanupArgs, r *reading) (decision, error) {
		if a.list().PendingSince(r.cells[0]) != a.At {
			return unchanged, nil // it was done, or is about to be
		}
		return commit(), nil
	},
	plan: func(a cleanupArgs, _ operation) plan {
		end := hbase.Delete{Table: a.List.Table, Row: a.row(0), Columns: []hbase.Deletion{a.list().PendingEnd(a.At)}}
		return plan{later: []stage{
			{a.deleteCopies("delete copies", slices.Compact([]uint32{0, a.Bucket})...)},
			{put{end}},
			// A writer that read the pending buckets may have left a moved marker after bucket 0 was
			// read.
			{a.deleteCopies("delete copies again", 0)},
		}}
	},
})

// deleteCopies deletes the range from buckets that do not cover it, and the moved markers from
// bucket 0. It deletes the last ones first, so that a reader in the range meets no gap.
func (a cleanupArgs) deleteCopies(what string, buckets ...uint32) effect {
	return each{what, func(ctx context.Context, c client, _ func([]effect) error) error {
		for _, bucket := range buckets {
			var copies []hbase.Deletion
			for start := string(a.Start); ; start = hbase.Next(copies[len(copies)-1].Qualifier) {
				cells, err := c.one(ctx, what+", read", a.page(bucket, start, string(a.Stop)))
				if err != nil {
					return err
				}
				for _, cell := range cells {
					copies = append(copies, deletionOfCell(cell, cell.Timestamp))
				}
				if len(cells) < splitPage {
					break
				}
			}
			slices.Reverse(copies)
			for some := range slices.Chunk(copies, splitPage) {
				deletion := hbase.Delete{Table: a.List.Table, Row: a.row(bucket), Columns: some}
				if err := c.mutate(ctx, write{what, deletion}); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

// deletionOfCell deletes all versions of a column up to a timestamp.
func deletionOfCell(c hbase.Cell, timestamp int64) hbase.Deletion {
	return hbase.Deletion{Kind: hbase.AllVersions, Family: c.Family, Qualifier: c.Qualifier, Timestamp: timestamp}
}
