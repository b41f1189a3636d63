package feeds

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

// members reads the members of an owner's list, a page at a time. It does not see members that join
// the list before its position meanwhile.
type members[E any] struct {
	f     *Feeds
	list  *tables.List[E]
	owner string
	rest  listscan.Range // what has not been read
	page  listscan.Scan  // the page that is being read
	done  bool
}

// membersAfter starts after a position, or at the list's beginning if it is empty.
func membersAfter[E any](f *Feeds, list *tables.List[E], owner, position string) *members[E] {
	return &members[E]{f: f, list: list, owner: owner, rest: listscan.Range{After: position, Far: position != ""}}
}

// gets starts a page of at most limit members, and returns its first Gets. Their cells go to take.
func (m *members[E]) gets(limit int) []hbase.Get {
	m.rest.Limit = limit
	m.page = listscan.New(&m.list.AnyList, m.owner, &m.rest)
	return m.page.Gets()
}

// take reads the rest of the page. It returns the page's members and their positions. No members
// are left if it returns none.
func (m *members[E]) take(ctx context.Context, cells [][]hbase.Cell) (page []E, positions []string, err error) {
	if err := m.page.Take(listscan.Results(cells)); err != nil {
		return nil, nil, err
	}
	err = m.page.Run(func(gets []hbase.Get) ([][]hbase.Cell, error) { return m.f.read(ctx, gets...) })
	if err != nil {
		return nil, nil, err
	}
	if page, positions, _, err = m.list.Decode(m.owner, m.page.Cells()); err != nil {
		return nil, nil, err
	}
	m.done = !m.page.HasNext()
	if n := len(positions); n > 0 {
		m.rest.From, m.rest.After, m.rest.Far = "", positions[n-1], true
	}
	return page, positions, nil
}

// next reads a page of at most limit members. No members are left if it returns none.
func (m *members[E]) next(ctx context.Context, limit int) (page []E, positions []string, err error) {
	if m.done {
		return nil, nil, nil
	}
	cells, err := m.f.read(ctx, m.gets(limit)...)
	if err != nil {
		return nil, nil, err
	}
	return m.take(ctx, cells)
}

// absent returns those of some members that are not in the owner's list any more. The members and
// their positions are in the list's order.
func absent[E, M any](ctx context.Context, f *Feeds, list *tables.List[E], owner string, all []M, positions []string) (
	gone []M, err error,
) {
	i, last := 0, positions[len(positions)-1]
	present := &members[E]{f: f, list: list, owner: owner,
		rest: listscan.Range{From: positions[0], Before: hbase.Next(last), Far: true}}
	for !present.done {
		_, found, err := present.next(ctx, len(all))
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			for ; i < len(all) && positions[i] < p; i++ {
				gone = append(gone, all[i])
			}
			if i < len(all) && positions[i] == p {
				i++
			}
		}
	}
	return append(gone, all[i:]...), nil
}
