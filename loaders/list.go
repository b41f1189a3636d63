package loaders

import (
	"context"
	"slices"
	"sync"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

// Range is the part of a list, or of all objects, to read.
type Range = listscan.Range

// Whole is the range of a whole list.
var Whole = Range{Limit: 1 << 30}

// PageKey is the key of [List.Page]. Keys may share a range.
type PageKey struct {
	Owner string
	*Range
}

// Page is a part of a list, in the list's order.
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
	// Length may be used only if the owner has a count of the list.
	Length Loader[string, int]
}

func list[E any](name string, of *tables.List[E]) List[E] {
	return List[E]{name, of, Loader[string, int]{
		name: name + "Length",
		get:  func(_ *tables.Memory, owner string) hbase.Get { return of.Length(owner) },
		decode: func(_ *tables.Memory, _ string, cells []hbase.Cell) (int, error) {
			return tables.DecodeCount(cells)
		},
	}}
}

func (l List[E]) Kind() *tables.AnyList { return &l.of.AnyList }

// Page loads pages of many lists. A backward page may have fewer members than the limit although
// HasPrevious is true.
func (l List[E]) Page(ctx context.Context, keys []PageKey) ([]Page[E], error) {
	p := pager[E]{List: l, decoder: l.of.Decoder(), keys: keys, pages: make([]Page[E], len(keys))}
	buffer := scanBuffers.Get().(*[]openScan)
	scans := slices.Grow(*buffer, len(keys))[:len(keys)]
	defer func(all []openScan) {
		if clear(all); cap(all) <= maxPooledScans {
			*buffer = all[:0]
			scanBuffers.Put(buffer)
		}
	}(scans)
	for i := range scans {
		scans[i].key = i
		scans[i].Begin(&l.of.AnyList, keys[i].Owner, keys[i].Range)
	}
	for len(scans) > 0 {
		scans = p.step(ctx, scans)
	}
	return p.pages, p.errs.orNil()
}

// scanBuffers reuses memory: see scan-buffers in 'go -C bench run . without'.
var scanBuffers = sync.Pool{New: func() any { return new([]openScan) }}

const maxPooledScans = 4096

// Any loads whether lists have members, by owner.
type Any[E any] struct{ list List[E] }

// Load reads one column of each bucket, up to the first member.
func (a Any[E]) Load(ctx context.Context, owners []string) ([]bool, error) {
	keys, found := make([]PageKey, len(owners)), make([]bool, len(owners))
	first := new(Range)
	for i, owner := range owners {
		keys[i] = PageKey{owner, first}
	}
	pages, err := a.list.Page(ctx, keys)
	for i, p := range pages {
		found[i] = p.HasNext
	}
	return found, err
}

// MemberKey is the key of [List.Members].
type MemberKey struct{ Owner, Position string }

// Member is a value of [List.Members].
type Member[E any] struct {
	Value E
	Found bool
}

// Members loads single members. If a list was never split, each takes one Get of one column.
func (l List[E]) Members(ctx context.Context, keys []MemberKey) ([]Member[E], error) {
	ranges, members := make([]PageKey, len(keys)), make([]Member[E], len(keys))
	for i, k := range keys {
		ranges[i] = PageKey{k.Owner, &Range{From: k.Position, Before: hbase.Next(k.Position), Limit: 1}}
	}
	pages, err := l.Page(ctx, ranges)
	for i, p := range pages {
		if len(p.Members) > 0 {
			members[i] = Member[E]{p.Members[0], true}
		}
	}
	return members, err
}

// Related derives the list member of an edge, and its position, from a read of the edge.
func (l List[E]) Related(ctx context.Context, key EdgeKey) (member Member[E], position string, err error) {
	at, err := RelatedAt.Load(ctx, []EdgeKey{key})
	if err != nil || at[0] == nil {
		return member, "", At(err, 0)
	}
	end, owner, counterpart := &key.Relation.From, key.From, key.To
	if end.List != l.Kind() {
		end, owner, counterpart = &key.Relation.To, key.To, key.From
	}
	members, positions, err := l.of.Decode(owner, []hbase.Cell{end.Member(counterpart, *at[0], 0)})
	if err != nil {
		return member, "", err
	}
	return Member[E]{members[0], true}, positions[0], nil
}

func (l List[E]) Position(e E) string { return l.of.Position(e) }

type pager[E any] struct {
	List[E]
	decoder *tables.Decoder[E]
	keys    []PageKey
	pages   []Page[E]
	errs    Errors
}

type openScan struct {
	listscan.Scan
	key int // index of pager.keys
}

// step reads the next round of all scans, and returns those that need more.
func (p *pager[E]) step(ctx context.Context, scans []openScan) (open []openScan) {
	if err := ctx.Err(); err != nil {
		for i := range scans {
			p.errs.set(scans[i].key, len(p.keys), err)
		}
		return nil
	}
	var m tables.Memory
	set := newReadSet(len(scans))
	for i := range scans {
		for k := range scans[i].Reads() {
			set.add(scans[i].Get(&m, k))
		}
	}
	l := from(ctx)
	l.enqueue(ctx, p.name, set)
	l.wait(set)
	open = scans[:0]
	var results []hbase.Result
	next := 0
	for i := range scans {
		s := &scans[i]
		results = results[:0]
		for range s.Reads() {
			results, next = append(results, set.result(next)), next+1
		}
		var err error
		if !s.Done() { // an empty range is done from the start
			err = s.Take(results)
		}
		switch {
		case err != nil:
			p.errs.set(s.key, len(p.keys), err)
		case s.Done():
			p.finish(s)
		default:
			open = append(open, *s)
		}
	}
	return open
}

func (p *pager[E]) finish(s *openScan) {
	page, err := &p.pages[s.key], error(nil)
	page.HasNext, page.HasPrevious = s.HasNext(), s.HasPrevious()
	if page.Members, page.Positions, err = p.decoder.Decode(p.keys[s.key].Owner, s.Cells()); err != nil {
		p.errs.set(s.key, len(p.keys), err)
	}
}
