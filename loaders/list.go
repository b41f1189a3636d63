package loaders

import (
	"context"

	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

// Range is the part of a list, or of all objects, to read.
type Range = listscan.Range

// PageKey is the key of [List.Page]: whose list, and which part of it.
type PageKey struct {
	Owner string
	Range
}

// Whole is the range of a whole list, whatever its length.
var Whole = Range{Limit: 1 << 30}

// Page is a part of a list, in the list's order. Positions are those of the members.
type Page[E any] struct {
	Members     []E
	Positions   []string
	HasNext     bool
	HasPrevious bool
}

// List loads pages of the lists of one kind.
type List[E any] struct {
	name string
	of   *tables.List[E]
	// Length loads the length of the owner's list. Only some lists keep it.
	Length Loader[string, int]
}

func list[E any](name string, of *tables.List[E]) List[E] {
	return List[E]{name, of, Loader[string, int]{
		name:   name + "Length",
		get:    func(_ *memory, owner string) get { return of.Length(owner) },
		decode: func(_ *memory, _ string, cells []cell) (int, error) { return tables.DecodeCount(cells) },
	}}
}

// Check reports why a position, which may come from a client, cannot be one in such a list.
func (l List[E]) Check(position string) error { return l.of.Check(position) }

// Page loads pages of many lists. The scans advance together: what they read in one round is one
// batch. Most pages take one round. A page may be short while HasPrevious is true: see
// [listscan.Scan].
func (l List[E]) Page(ctx context.Context, keys []PageKey) ([]Page[E], error) {
	scans, open, errs := make([]listscan.Scan, len(keys)), make([]int, 0, len(keys)), failures{n: len(keys)}
	for i := range keys {
		if scans[i] = listscan.New(&l.of.AnyList, keys[i].Owner, &keys[i].Range); !scans[i].Done() {
			open = append(open, i)
		}
	}
	for len(open) > 0 {
		open = l.round(ctx, scans, open, &errs)
	}
	pages, d := make([]Page[E], len(keys)), l.of.Decoder()
	for i := range pages {
		if errs.at(i) != nil {
			continue
		}
		p, s, err := &pages[i], &scans[i], error(nil)
		p.HasNext, p.HasPrevious = s.HasNext(), s.HasPrevious()
		if p.Members, p.Positions, _, err = d.Decode(keys[i].Owner, s.Cells()); err != nil {
			errs.set(i, err)
		}
	}
	return pages, errs.err()
}

// round reads the next round of the open scans, and returns those that are still open.
func (l List[E]) round(ctx context.Context, scans []listscan.Scan, open []int, errs *failures) (rest []int) {
	if err := ctx.Err(); err != nil {
		for _, i := range open {
			errs.set(i, err)
		}
		return nil
	}
	var m memory
	reads := newRequests(len(open))
	for _, i := range open {
		for k := range scans[i].Reads() {
			reads.add(scans[i].Get(&m, k))
		}
	}
	results := from(ctx).read(ctx, l.name, reads.list)
	rest = open[:0]
	for _, i := range open {
		n := scans[i].Reads()
		if err := scans[i].Take(results[:n]); err != nil {
			errs.set(i, err)
		} else if !scans[i].Done() {
			rest = append(rest, i)
		}
		results = results[n:]
	}
	return rest
}
