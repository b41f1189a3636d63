package writers

import (
	"context"
	"slices"
	"time"

	"twibase/hbase"
)

// grace is longer than any request takes that reads lists, with what clocks differ by: who found the way to a member before it moved, reads
// it where it was.
const grace = 40 * time.Second

// emptyArgs are the range that was cut off a bucket, and when.
type emptyArgs struct {
	List        listName
	Owner       []byte
	Bucket      uint32
	Start, Stop []byte
	At          int64 // milliseconds: the timestamp of the cut
}

func (a emptyArgs) cut() cutArgs { return cutArgs{List: a.List, Owner: a.Owner, Bucket: a.Bucket} }

// empty takes the members away that a cut moved, and the announcement of the cut.
var _ = register(kind[emptyArgs]{
	name: "empty", rest: grace,
	reads: func(a emptyArgs) []hbase.Get { return []hbase.Get{a.cut().list().Directories(string(a.Owner))} },
	decide: func(a *emptyArgs, r *reading) ([]hbase.Cell, error) {
		if a.cut().list().Announced(r.cells[0]) != a.At {
			return nil, errNothing // it was done, or is about to be
		}
		return nil, nil
	},
	plan: func(a emptyArgs, _ op) plan {
		row := a.cut().list().Row(string(a.Owner), 0)
		end := hbase.Delete{Table: a.List.Table, Row: row, Columns: []hbase.Deletion{a.cut().list().AnnouncementEnd(a.At)}}
		// Who found the announcement, and told of a member in bucket 0 after that was read, may also have looked again before it went.
		return plan{later: []stage{{a.empty("empty", slices.Compact([]uint32{0, a.Bucket})...)}, {put{end}}, {a.empty("empty again", 0)}}}
	},
})

// empty takes away what is in the range of buckets that do not cover it: in bucket 0 also what told of members that joined meanwhile. The last
// go first: a reader who is among them meets no gap.
func (a emptyArgs) empty(what string, buckets ...uint32) step {
	return each{what, func(ctx context.Context, p port, _ string) ([]step, string, error) {
		for _, bucket := range buckets {
			var gone []hbase.Deletion
			for page := a.cut().page(bucket, string(a.Start), string(a.Stop)); ; page.Page.Start = hbase.Next(gone[len(gone)-1].Qualifier) {
				cells, err := p.one(ctx, what+", read", page)
				if err != nil {
					return nil, "", err
				}
				for _, c := range cells {
					gone = append(gone, hbase.Deletion{Kind: hbase.AllVersions, Family: c.Family, Qualifier: c.Qualifier, Timestamp: c.Timestamp})
				}
				if len(cells) < cutPage {
					break
				}
			}
			slices.Reverse(gone)
			for some := range slices.Chunk(gone, cutPage) {
				err := p.mutate(ctx, write{what, hbase.Delete{Table: a.List.Table, Row: a.cut().list().Row(string(a.Owner), bucket), Columns: some}})
				if err != nil {
					return nil, "", err
				}
			}
		}
		return nil, "", nil
	}}
}
