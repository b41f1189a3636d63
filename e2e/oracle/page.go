package oracle

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"time"
)

type list struct {
	kind, owner string
	entries     []entry
	// visible is nil if all nodes are visible.
	visible func(node any) bool
	total   *int
	// reversed lists are shown backwards.
	reversed bool
}

type entry struct {
	key        string
	node       any
	followedAt *time.Time
	day        *string
	count      *int
	depth      *int
}

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

// Keys with the prefix recent are sorted newest first, unknown times last.
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
	if l.reversed {
		backward, after, before = !backward, before, after
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
	// In the direction of paging, the visible entries are known. The other direction has at least
	// the entry of the cursor, and nothing without a cursor.
	ahead, behind := l.existsBetween(last+1, to), l.existsBetween(from, first)
	if backward {
		ahead, behind = l.behindCursor(before, last+1, len(l.entries)), l.orUnknown(behind, from > 0)
	} else {
		ahead, behind = l.orUnknown(ahead, to < len(l.entries)), l.behindCursor(after, 0, first)
	}
	c.info.next, c.info.previous = ahead, behind
	if l.reversed {
		slices.Reverse(c.entries)
		c.info = pageInfo{next: behind, previous: ahead, start: c.info.end, end: c.info.start}
	}
	return c, nil
}

func (l list) take(from, to, size int, backward bool) (looked, shown []int) {
	bound := size
	if l.visible != nil {
		bound *= lookahead
	}
	for n := 0; n < to-from && n < bound && len(shown) < size; n++ {
		i := from + n
		if backward {
			i = to - 1 - n
		}
		looked = append(looked, i)
		if l.visible == nil || l.visible(l.entries[i].node) {
			shown = append(shown, i)
		}
	}
	slices.Sort(shown)
	return looked, shown
}

func (l list) existsBetween(from, to int) any {
	for i := from; i < to; i++ {
		if l.visible == nil || l.visible(l.entries[i].node) {
			return true
		}
	}
	if from < to {
		return Either{}
	}
	return false
}

// orUnknown is for the direction of paging. It replaces false by Either if more entries follow.
func (l list) orUnknown(rest any, more bool) any {
	if rest == false && more {
		return Either{}
	}
	return rest
}

// behindCursor is the same for the other direction.
func (l list) behindCursor(cursor *string, from, to int) any {
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

func number(value any) int {
	if n, ok := value.(int64); ok {
		return int(n)
	}
	return value.(int)
}

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
