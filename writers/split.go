package writers

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"twibase/hbase"
	"twibase/hbase/tables"
)

const (
	// splitPage is how many members a split reads or writes at a time.
	splitPage = 2000
	// maxPieces is how many new buckets, at most, a split makes. A bucket that is still too long is
	// split again.
	maxPieces = 4
	// grace is longer than any request that reads lists, plus the difference of clocks: a reader that
	// has an old directory finds members where they were.
	grace = 40 * time.Second
)

// bucketRef names a bucket of a list. Bytes need not be UTF-8.
type bucketRef struct {
	List   listName
	Owner  []byte
	Bucket uint32
}

func (b bucketRef) list() *tables.AnyList { return tables.ListOf(b.List.Table, b.List.Family) }

func (b bucketRef) row(bucket uint32) string { return b.list().Row(string(b.Owner), bucket) }

// pages iterates over the columns of a bucket in a range, a page at a time. An empty stop is the end.
func (b bucketRef) pages(get getter, bucket uint32, start, stop string) iter.Seq2[[]hbase.Cell, error] {
	return func(yield func([]hbase.Cell, error) bool) {
		if stop == "" {
			stop = tables.MembersEnd
		}
		for {
			cells, err := get(b.list().Get(string(b.Owner), bucket, hbase.Page{Start: start, Stop: stop, Limit: splitPage}))
			if err != nil {
				yield(nil, err)
				return
			}
			page := cells[0]
			if len(page) == 0 || !yield(page, nil) || len(page) < splitPage {
				return
			}
			start = hbase.Next(page[len(page)-1].Qualifier)
		}
	}
}

type splitArgs struct {
	bucketRef
	Bound int
	// Created are the new buckets, and Columns all directory columns that change: check completes
	// both.
	Created []storedBucket `json:"Fresh,omitempty"`
	Columns []storedBucket `json:"Named,omitempty"`
}

// storedBucket is a [tables.Bucket] in JSON.
type storedBucket struct {
	Number      uint32
	Start, Stop []byte
}

func (b storedBucket) bucket() tables.Bucket {
	return tables.Bucket{Number: b.Number, Start: string(b.Start), Stop: string(b.Stop)}
}

// split moves the end of a full bucket to new buckets: see package listscan. Writers that add or
// remove a member read the pending buckets afterwards, so the new buckets miss nothing that was
// written before, and what is written later is written to both places. The buckets stay pending
// until the old copies are deleted. Until then the list is not split again.
var split = register(opType[splitArgs]{
	name: "cut", properties: properties{needsPredecessor: true},
	row:   func(a splitArgs) hbase.Get { return tables.Splits.Get(a.List.Table, a.List.Family, string(a.Owner)) },
	reads: func(a splitArgs) []hbase.Get { return []hbase.Get{a.list().Directories(string(a.Owner))} },
	check: func(a *splitArgs, r *reading) (decision, error) {
		directory, err := a.list().DecodeDirectory(string(a.Owner), r.cells[0])
		if err != nil || a.list().PendingSince(r.cells[0]) != 0 {
			return unchanged, err
		}
		var positions []string
		for page, err := range a.pages(r.get, a.Bucket, "", "") {
			if err != nil {
				return unchanged, err
			}
			for _, c := range page {
				if tables.BucketOf(directory, c.Qualifier) == a.Bucket {
					positions = append(positions, c.Qualifier)
				}
			}
		}
		if len(positions) <= a.Bound {
			return unchanged, nil
		}
		cuts := cutsOf(positions, a.Bound)
		created, columns := tables.Split(directory, a.Bucket, freeNumber(r.id, directory, len(cuts)), cuts)
		a.Created, a.Columns = storedBuckets(created), storedBuckets(columns)
		return commit(), nil
	},
	plan: func(a splitArgs, o operation) plan {
		pending := make([]tables.Bucket, len(a.Created))
		for i, b := range a.Created {
			pending[i] = b.bucket()
		}
		announcement := hbase.Put{Table: a.List.Table, Row: a.row(0), Cells: []hbase.Cell{a.list().PendingCell(pending, o.at)}}
		names := hbase.Put{Table: a.List.Table, Row: a.row(0)}
		for _, b := range a.Columns {
			names.Cells = append(names.Cells, a.list().BucketCell(b.bucket(), o.at))
		}
		cleanup := cleanupArgs{a.bucketRef, a.Created[0].Start, a.Created[len(a.Created)-1].Stop, o.at}
		return plan{later: []stage{
			{put{announcement}},
			{a.copyTo(pending)},
			{put{names}},
			{nested{"empty", &cleanup}},
		}}
	},
})

// cutsOf returns the first positions of the new buckets, each of half the bound.
func cutsOf(positions []string, bound int) (cuts []string) {
	half := max(1, bound/2)
	pieces := min(max(1, len(positions)/half-1), maxPieces)
	for first := len(positions) - pieces*half; len(cuts) < pieces; first += half {
		cuts = append(cuts, positions[first])
	}
	return cuts
}

// freeNumber returns the first of n consecutive numbers of no bucket in the directory. Numbers follow
// from the operation's id, so that no bucket gets the rows that a failed split left behind.
func freeNumber(op string, directory []tables.Bucket, n int) uint32 {
	number := uint32(xxhash.Sum64String(op)) >> 2
	taken := func(b tables.Bucket) bool { return b.Number-number <= uint32(n) }
	for slices.ContainsFunc(directory, taken) {
		number += uint32(n) + 1
	}
	return number + 1
}

func storedBuckets(buckets []tables.Bucket) (stored []storedBucket) {
	for _, b := range buckets {
		stored = append(stored, storedBucket{b.Number, []byte(b.Start), []byte(b.Stop)})
	}
	return stored
}

// copyTo copies the cells that the new buckets will cover, as they are. After a crash it copies
// them again, though members may have joined the new buckets.
func (b bucketRef) copyTo(created []tables.Bucket) effect {
	return each{"copy", func(ctx context.Context, c client, apply func([]effect) error) error {
		start, stop := created[0].Start, created[len(created)-1].Stop
		for cells, err := range b.pages(c.getter(ctx, "copy, read"), b.Bucket, start, stop) {
			if err != nil {
				return err
			}
			var copies []effect
			for _, to := range created {
				covered := slices.DeleteFunc(slices.Clone(cells), func(c hbase.Cell) bool {
					return c.Qualifier < to.Start || to.Stop != "" && c.Qualifier >= to.Stop || tables.Moved(c)
				})
				if len(covered) > 0 {
					copies = append(copies, put{hbase.Put{Table: b.List.Table, Row: b.row(to.Number), Cells: covered}})
				}
			}
			if err := apply(copies); err != nil {
				return err
			}
		}
		return nil
	}}
}

// splitFull splits the buckets that members were added to, in the background, if they may be too
// long: if the list is, or if its length is not counted. To look costs a read of the bucket, so
// only some of the members cause it.
func (x *execution) splitFull(ctx context.Context, s stage, lengths map[column]int) {
	var full []*splitArgs
	for _, m := range s.members() {
		if m.gone {
			continue
		}
		length := column{location{m.list.Owner.Table, tables.RowKey(m.owner)}, tables.Attributes + ":" + m.list.Count}
		if n, counted := lengths[length]; (!counted || n > x.w.bound) && x.w.oneIn(x.w.bound/8) {
			bucket := bucketRef{listName{m.list.Table, m.list.Family}, []byte(m.owner), m.place.Covering}
			full = append(full, &splitArgs{bucketRef: bucket, Bound: x.w.bound})
		}
	}
	if len(full) == 0 || x.w.enter() != nil {
		return
	}
	ctx, cancel := x.w.outlive(context.WithValue(ctx, parentsKey{}, []string(nil)))
	go func() {
		defer x.w.running.Done()
		defer cancel()
		for _, a := range full {
			if err := do(ctx, x.w, split, a); err != nil {
				x.w.log.Warn("list could not be split", "list", a.list().String(), "owner", string(a.Owner), "error", err)
			}
		}
	}()
}

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
			for cells, err := range a.pages(c.getter(ctx, what+", read"), bucket, string(a.Start), string(a.Stop)) {
				if err != nil {
					return err
				}
				for _, cell := range cells {
					copies = append(copies, deletionOfCell(cell, cell.Timestamp))
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
