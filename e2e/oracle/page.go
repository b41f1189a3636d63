package oracle

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"time"
)

// list is what a connection pages through.
type list struct {
	kind, owner string
	entries     []entry // by key
	// seen says which of the candidates the viewer sees; nil if all.
	seen  func(node any) bool
	total *int
}

// entry is an element of a list.
type entry struct {
	key        string // its place, among all places that such lists have
	node       any
	followedAt *time.Time
	day        *string
	count      *int
	depth      *int
}

// connection is a page of a list, and edge one of its entries.
type connection struct {
	noun    string
	entries []edge
	info    pageInfo
	total   *int
}

type edge struct {
	noun string
	entry
	cursor Ref
}

type pageInfo struct {
	next, previous any // bool or Either
	start, end     *Ref
}

// recent is the part of a key that sorts the newest first, and what has no time last.
func recent(at *time.Time) string {
	if at == nil {
		return fmt.Sprintf("%020d", int64(math.MaxInt64))
	}
	return fmt.Sprintf("%020d", math.MaxInt64-at.UnixMilli())
}

const (
	maxPage     = 100
	defaultPage = 20
	maxLength   = 512
	lookahead   = 4
)

// page answers a connection's arguments.
func (l list) page(noun string, args map[string]any) (*connection, error) {
	size, backward, err := sizeOf(args)
	if err != nil {
		return nil, err
	}
	from, to := 0, len(l.entries)
	after, err := l.bound(args["after"])
	if err != nil {
		return nil, err
	}
	before, err := l.bound(args["before"])
	if err != nil {
		return nil, err
	}
	if after != nil {
		from = sort.Search(len(l.entries), func(i int) bool { return l.entries[i].key > *after })
	}
	if before != nil {
		to = max(from, sort.Search(len(l.entries), func(i int) bool { return l.entries[i].key >= *before }))
	}
	looked, shown := l.take(from, to, size, backward)
	c := &connection{noun: noun, total: l.total}
	for _, i := range shown {
		c.entries = append(c.entries, edge{noun, l.entries[i], l.cursor(i)})
	}
	first, last := from, from-1
	if backward {
		first, last = to, to-1
	}
	if len(looked) > 0 {
		first, last = slices.Min(looked), slices.Max(looked)
		start, end := l.cursor(first), l.cursor(last)
		c.info.start, c.info.end = &start, &end
	}
	// What lies in the direction of paging is told for certain. In the other direction lies at least the entry of the cursor, and without a
	// cursor nothing.
	ahead, behind := l.rest(last+1, to), l.rest(from, first)
	if backward {
		ahead, behind = l.beyond(before, last+1, len(l.entries)), l.within(behind, from > 0)
	} else {
		ahead, behind = l.within(ahead, to < len(l.entries)), l.beyond(after, 0, first)
	}
	c.info.next, c.info.previous = ahead, behind
	return c, nil
}

// take returns the indices of the candidates that a page looks at, and of those that it shows, ascending.
func (l list) take(from, to, size int, backward bool) (looked, shown []int) {
	bound := size
	if l.seen != nil {
		bound *= lookahead
	}
	for n := 0; n < to-from && n < bound && len(shown) < size; n++ {
		i := from + n
		if backward {
			i = to - 1 - n
		}
		looked = append(looked, i)
		if l.seen == nil || l.seen(l.entries[i].node) {
			shown = append(shown, i)
		}
	}
	slices.Sort(shown)
	return looked, shown
}

// rest tells whether there is something from one index up to another: no if there is nothing, yes if there is something to be seen.
func (l list) rest(from, to int) any {
	for i := from; i < to; i++ {
		if l.seen == nil || l.seen(l.entries[i].node) {
			return true
		}
	}
	if from < to {
		return Either{}
	}
	return false
}

// within is what is told of the side to which a page may go on, given what lies there up to the bound, and whether something lies behind that.
func (l list) within(rest any, more bool) any {
	if rest == false && more {
		return Either{}
	}
	return rest
}

// beyond is what is told of the side from which a page comes.
func (l list) beyond(cursor *string, from, to int) any {
	switch {
	case cursor == nil:
		return false
	case from < to:
		return true
	}
	return Either{}
}

func sizeOf(args map[string]any) (size int, backward bool, err error) {
	first, last := args["first"], args["last"]
	switch {
	case first != nil && last != nil:
		return 0, false, errBadInput
	case first != nil:
		size = number(first)
	case last != nil:
		size, backward = number(last), true
	default:
		size = defaultPage
	}
	switch {
	case size < 1:
		return 0, false, errBadInput
	case size > maxPage:
		return 0, false, errLimitExceeded
	}
	return size, backward, nil
}

// number is an Int, written in a query or in a variable.
func number(value any) int {
	if n, ok := value.(int64); ok {
		return int(n)
	}
	return value.(int)
}

// bound is the place of a cursor; nil if there is no cursor.
func (l list) bound(cursor any) (*string, error) {
	switch cursor := cursor.(type) {
	case nil:
		return nil, nil
	case Ref:
		if cursor.Kind != l.kind {
			return nil, errBadInput
		}
		return &cursor.Key, nil
	case string:
		if len(cursor) > maxLength {
			return nil, errLimitExceeded
		}
	}
	return nil, errBadInput
}

func (l list) cursor(i int) Ref { return Ref{l.kind, l.owner, l.entries[i].key} }
