package writers

import (
	"context"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// cutArgs are those of the cut of one bucket of a list. Bytes are what need not be UTF-8.
type cutArgs struct {
	List   listName
	Owner  []byte
	Bucket uint32
	Bound  int
	// Fresh are the new buckets, Named all directory columns that change. decide completes both.
	Fresh, Named []cutBucket `json:",omitempty"`
}

type cutBucket struct {
	Number      uint32
	Start, Stop []byte
}

func (b cutBucket) bucket() tables.Bucket {
	return tables.Bucket{Number: b.Number, Start: string(b.Start), Stop: string(b.Stop)}
}

// cutPage is how many members a cut reads or writes at a time.
const cutPage = 2000

func (a cutArgs) list() *tables.AnyList { return tables.ListOf(a.List.Table, a.List.Family) }

func (a cutArgs) page(bucket uint32, start, stop string) hbase.Get {
	if stop == "" {
		stop = tables.MembersEnd
	}
	return a.list().Get(string(a.Owner), bucket, hbase.Page{Start: start, Stop: stop, Limit: cutPage})
}

// cutPieces is how many new buckets, at most, a cut makes. What is left too long then is cut again.
const cutPieces = 4

// cut lets a bucket that has grown too long go on in new ones. It announces them, fills them, names them in the directory in one step, and
// has the range emptied where it was. Who adds or removes a member looks at the announcements afterwards: so the new buckets miss
// nothing that was done before, and whoever did something later did it in both places. The announcement stands until the range is
// empty, and no list is cut meanwhile.
var cut = register(kind[cutArgs]{
	name: "cut", ordered: true,
	row: func(a cutArgs) hbase.Get { return tables.Splits.Get(a.List.Table, a.List.Family, string(a.Owner)) },
	reads: func(a cutArgs) []hbase.Get {
		return []hbase.Get{a.list().Directories(string(a.Owner)), a.page(a.Bucket, "", "")}
	},
	more: func(a cutArgs, r *reading) []hbase.Get {
		last := r.cells[len(r.cells)-1]
		if len(last) < cutPage {
			return nil
		}
		return []hbase.Get{a.page(a.Bucket, hbase.Next(last[len(last)-1].Qualifier), "")}
	},
	decide: func(a *cutArgs, r *reading) ([]hbase.Cell, error) {
		directory, err := a.list().DecodeDirectory(string(a.Owner), r.cells[0])
		if err != nil || a.list().Announced(r.cells[0]) != 0 {
			return nil, orNothing(err)
		}
		var positions []string
		for _, cells := range r.cells[1:] {
			for _, c := range cells {
				if tables.BucketOf(directory, c.Qualifier) == a.Bucket {
					positions = append(positions, c.Qualifier)
				}
			}
		}
		if len(positions) <= a.Bound {
			return nil, errNothing
		}
		var cuts []string
		half := max(1, a.Bound/2)
		pieces := min(max(1, len(positions)/half-1), cutPieces)
		for first := len(positions) - pieces*half; len(cuts) < pieces; first += half {
			cuts = append(cuts, positions[first])
		}
		fresh, named := tables.Split(directory, a.Bucket, cuts)
		// A number that no other cut has, so that what one that came to nothing left behind is never read.
		first, number := fresh[0].Number, uint32(xxhash.Sum64String(r.id))>>2
		renumbered := func(list []tables.Bucket) (out []cutBucket) {
			for _, b := range list {
				if b.Number >= first && b.Number != a.Bucket {
					b.Number = number + b.Number - first + 1
				}
				out = append(out, cutBucket{b.Number, []byte(b.Start), []byte(b.Stop)})
			}
			return out
		}
		taken := func(b tables.Bucket) bool { return b.Number-number <= uint32(len(fresh)) }
		for slices.ContainsFunc(directory, taken) {
			number += uint32(len(fresh)) + 1
		}
		a.Fresh, a.Named = renumbered(fresh), renumbered(named)
		return nil, nil
	},
	plan: func(a cutArgs, o op) plan {
		owner := string(a.Owner)
		fresh := make([]tables.Bucket, len(a.Fresh))
		for i, b := range a.Fresh {
			fresh[i] = b.bucket()
		}
		row := a.list().Row(owner, 0)
		names := hbase.Put{Table: a.List.Table, Row: row}
		for _, b := range a.Named {
			names.Cells = append(names.Cells, a.list().BucketCell(b.bucket(), o.at))
		}
		return plan{later: []stage{
			{put{hbase.Put{Table: a.List.Table, Row: row, Cells: []hbase.Cell{a.list().AnnouncementCell(fresh, o.at)}}}},
			{a.fill(fresh)},
			{put{names}},
			{demand{"empty", &emptyArgs{a.List, a.Owner, a.Bucket, []byte(fresh[0].Start), []byte(fresh[len(fresh)-1].Stop), o.at}}},
		}}
	},
})

// fill copies what the new buckets will cover, cells as they are. When it is done again, somebody may have joined them already.
func (a cutArgs) fill(fresh []tables.Bucket) step {
	return each{"fill", func(ctx context.Context, p port, after string) ([]step, string, error) {
		start := fresh[0].Start
		if after != "" {
			start = hbase.Next(after)
		}
		cells, err := p.one(ctx, "fill, read", a.page(a.Bucket, start, fresh[len(fresh)-1].Stop))
		if err != nil || len(cells) == 0 {
			return nil, "", err
		}
		var items []step
		for _, b := range fresh {
			mine := slices.DeleteFunc(slices.Clone(cells), func(c hbase.Cell) bool {
				return c.Qualifier < b.Start || b.Stop != "" && c.Qualifier >= b.Stop || tables.Moved(c)
			})
			if len(mine) > 0 {
				items = append(items, put{hbase.Put{Table: a.List.Table, Row: a.list().Row(string(a.Owner), b.Number), Cells: mine}})
			}
		}
		if len(cells) < cutPage {
			return items, "", nil
		}
		return items, cells[len(cells)-1].Qualifier, nil
	}}
}

// grown begins to cut the buckets that members were added to, in the background and one after the other, if they may be too long: the list
// is, or nobody counts how long it is. Not every member makes it look, for a look reads the bucket: those of one bucket do so often enough
// together.
func (x *execution) grown(ctx context.Context, steps []step, lengths map[column]int) {
	var cuts []*cutArgs
	for _, st := range steps {
		m, ok := st.(*member)
		if !ok || m.gone {
			continue
		}
		if n, counted := lengths[m.length]; (!counted || n > x.w.bound) && x.w.oneIn(x.w.bound/8) {
			cuts = append(cuts, &cutArgs{List: m.name, Owner: []byte(m.owner), Bucket: x.placed[m].Covering, Bound: x.w.bound})
		}
	}
	if len(cuts) == 0 || x.w.enter() != nil {
		return
	}
	ctx, cancel := x.w.outlive(context.WithValue(ctx, parentsKey{}, []string(nil)))
	go func() {
		defer x.w.running.Done()
		defer cancel()
		for _, a := range cuts {
			switch o, err := do(ctx, x.w, cut, a); {
			case err == nil && o.id != "":
				x.w.Counters.Cuts.Add(1)
			case err != nil:
				x.w.log.Warn("a list could not be cut", "list", fmt.Sprint(a.List), "owner", string(a.Owner), "error", err)
			}
		}
	}()
}
