package writers

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"twibase/hbase"
	"twibase/hbase/tables"
)

const (
	splitPage = 2000
	// maxPieces limits the new buckets. A bucket that is still too long is split again.
	maxPieces = 4
	// grace is how long old copies stay for readers with an old directory: see docs/WRITES.md.
	grace = 40 * time.Second
)

// bucketRef identifies a bucket in JSON. Owner has bytes, because keys need not be UTF-8.
type bucketRef struct {
	List   listName
	Owner  []byte
	Bucket uint32
}

func (b bucketRef) list() *tables.AnyList { return tables.ListOf(b.List.Table, b.List.Family) }

func (b bucketRef) row(bucket uint32) string { return b.list().Row(string(b.Owner), bucket) }

func (b bucketRef) pages(get getter, bucket uint32, start, stop string) iter.Seq2[[]hbase.Cell, error] {
	return b.columns(get, bucket, start, stop, hbase.Page{Limit: b.list().PageSize(splitPage)})
}

func (b bucketRef) keys(get getter, bucket uint32, start, stop string) iter.Seq2[[]hbase.Cell, error] {
	return b.columns(get, bucket, start, stop, hbase.Page{Limit: splitPage, NoValues: true})
}

func (b bucketRef) columns(
	get getter, bucket uint32, start, stop string, page hbase.Page,
) iter.Seq2[[]hbase.Cell, error] {
	page.Start, page.Stop = start, cmp.Or(stop, tables.MembersEnd)
	return hbase.ColumnPages(b.list().Get(string(b.Owner), bucket, page), get.one)
}

type splitArgs struct {
	bucketRef
	Bound int // of members in a bucket
	// check sets the new buckets, and the columns of the directory to write.
	Created []storedBucket `json:"Fresh,omitempty"`
	Columns []storedBucket `json:"Named,omitempty"`
}

type storedBucket struct {
	Number      uint32
	Start, Stop []byte
}

func (b storedBucket) bucket() tables.Bucket {
	return tables.Bucket{Number: b.Number, Start: string(b.Start), Stop: string(b.Stop)}
}

// docs/WRITES.md, "Splits", explains why no member is lost. The list is not split again until the
// cleanup has removed the pending column.
var split = register(opType[splitArgs]{
	name: "cut", properties: properties{readsEffects: true},
	row:   func(a splitArgs) hbase.Get { return tables.Splits.Get(a.List.Table, a.List.Family, string(a.Owner)) },
	reads: func(a splitArgs) []hbase.Get { return []hbase.Get{a.list().Directories(string(a.Owner))} },
	check: func(a *splitArgs, r *reading) (decision, error) {
		directory, err := a.list().DecodeDirectory(string(a.Owner), r.cells[0])
		if err != nil || a.list().PendingSince(r.cells[0]) != 0 {
			return unchanged, err
		}
		var positions []string
		for page, err := range a.keys(r.get, a.Bucket, "", "") {
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
		starts := splitPositions(positions, a.Bound)
		created, columns := tables.Split(directory, a.Bucket, freeNumber(r.id, directory, len(starts)), starts)
		a.Created, a.Columns = storedBuckets(created), storedBuckets(columns)
		return commit(), nil
	},
	effects: func(a splitArgs, o operation) effects {
		pending := make([]tables.Bucket, len(a.Created))
		for i, b := range a.Created {
			pending[i] = b.bucket()
		}
		announced := hbase.PutCells(a.List.Table, a.row(0), a.list().PendingCell(pending, o.at))
		directory := hbase.Put{Table: a.List.Table, Row: a.row(0)}
		for _, b := range a.Columns {
			directory.Cells = append(directory.Cells, a.list().BucketCell(b.bucket(), o.at))
		}
		cleanup := cleanupArgs{a.bucketRef, a.Created[0].Start, a.Created[len(a.Created)-1].Stop, o.at}
		return effects{later: []stage{
			{put{announced}},
			{a.copyTo(pending)},
			{put{directory}},
			{nested{"empty", &cleanup}},
		}}
	},
})

// Each new bucket gets bound/2 members.
func splitPositions(positions []string, bound int) (starts []string) {
	half := max(1, bound/2)
	pieces := min(max(1, len(positions)/half-1), maxPieces)
	for first := len(positions) - pieces*half; len(starts) < pieces; first += half {
		starts = append(starts, positions[first])
	}
	return starts
}

// freeNumber returns the first of n consecutive free numbers. They depend on the operation's id,
// because a failed split may have written to buckets outside the directory.
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

// copyTo is idempotent, because the copies keep their timestamps.
func (b bucketRef) copyTo(created []tables.Bucket) effect {
	return each{"copy", func(ctx context.Context, c client, apply pageApplier) error {
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
			if proceed, err := apply(copies); !proceed {
				return err
			}
		}
		return nil
	}}
}

// A split reads the whole bucket, so only one in listBound/8 additions, at random, starts a split.
func (x *execution) splitFull(ctx context.Context, s stage, lengths map[column]int) {
	var full []*splitArgs
	for _, m := range s.members() {
		if m.removed {
			continue
		}
		owner := location{m.list.Owner.Table, tables.RowKey(m.owner)}
		length := column{owner, tables.Attributes + ":" + m.list.Count}
		if n, counted := lengths[length]; (!counted || n > x.w.listBound) && x.w.oneIn(x.w.listBound/8) {
			bucket := bucketRef{listName{m.list.Table, m.list.Family}, []byte(m.owner), m.buckets.Covering}
			full = append(full, &splitArgs{bucketRef: bucket, Bound: x.w.listBound})
		}
	}
	if len(full) == 0 || x.w.enter() != nil {
		return
	}
	ctx, cancel := x.w.outlive(ctx)
	go func() {
		defer x.w.running.Done()
		defer cancel()
		for _, a := range full {
			if err := execute(ctx, x.w, nil, split, a); err != nil {
				x.w.log.Warn("list could not be split",
					"list", a.list().String(), "owner", string(a.Owner), "error", err)
			}
		}
	}()
}

// Start and Stop are the range that moved. At is the timestamp of the split, in milliseconds.
type cleanupArgs struct {
	bucketRef
	Start, Stop []byte
	At          int64
}

var _ = register(opType[cleanupArgs]{
	name: "empty", properties: properties{delay: grace},
	reads: func(a cleanupArgs) []hbase.Get { return []hbase.Get{a.list().Directories(string(a.Owner))} },
	check: func(a *cleanupArgs, r *reading) (decision, error) {
		if a.list().PendingSince(r.cells[0]) != a.At {
			return unchanged, nil
		}
		return commit(), nil
	},
	effects: func(a cleanupArgs, _ operation) effects {
		end := hbase.Delete{Table: a.List.Table, Row: a.row(0), Columns: []hbase.Deletion{a.list().PendingEnd(a.At)}}
		return effects{later: []stage{
			{a.deleteCopies("delete copies", slices.Compact([]uint32{0, a.Bucket})...)},
			{put{end}},
			// A late writer may have put a moved marker after the first pass.
			{a.deleteCopies("delete copies again", 0)},
		}}
	},
})

// deleteCopies deletes in reverse order, so that the remaining copies have no gap: a reader of
// bucket 0 reads to the last one, and continues in the bucket that the directory names.
func (a cleanupArgs) deleteCopies(name string, buckets ...uint32) effect {
	return each{name, func(ctx context.Context, c client, _ pageApplier) error {
		for _, bucket := range buckets {
			var copies []hbase.Cell
			for cells, err := range a.keys(c.getter(ctx, name+", read"), bucket, string(a.Start), string(a.Stop)) {
				if err != nil {
					return err
				}
				copies = append(copies, cells...)
			}
			slices.Reverse(copies)
			for some := range slices.Chunk(copies, splitPage) {
				deletion := hbase.DeleteCells(a.List.Table, a.row(bucket), some...)
				if err := c.mutate(ctx, write{name, deletion}); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}
