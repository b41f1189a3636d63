package relay

import "twibase/graph/apierr"

// The sizes of pages.
const (
	MaxPage     = 100
	DefaultPage = 20
)

// Page is what the arguments of a connection ask for.
type Page struct {
	// Size is how many entries to return, from 1 to [MaxPage].
	Size int
	// Backward takes them from the end.
	Backward bool
	// After and Before are the positions between which the entries lie; empty means no bound.
	After, Before string
}

// Page reads the arguments of a connection of such a list. check, such as that of a [tables.List], says whether a position
// can be one. Its errors are for clients: an error, never a page that is silently cut.
func (l List) Page(first *int, after *string, last *int, before *string, check func(position string) error) (Page, error) {
	p := Page{Size: DefaultPage}
	switch {
	case first != nil && last != nil:
		return Page{}, apierr.BadUserInput("first and last exclude each other: pass one of them")
	case first != nil:
		p.Size = *first
	case last != nil:
		p.Size, p.Backward = *last, true
	}
	switch {
	case p.Size < 1:
		return Page{}, apierr.BadUserInput("first and last are at least 1: who wants the total alone selects nothing else")
	case p.Size > MaxPage:
		return Page{}, apierr.LimitExceeded("a page's number of entries", MaxPage, p.Size)
	}
	var err error
	if p.After, err = l.bound(after, check); err == nil {
		p.Before, err = l.bound(before, check)
	}
	return p, err
}

func (l List) bound(cursor *string, check func(position string) error) (string, error) {
	if cursor == nil {
		return "", nil
	}
	position, err := l.DecodeCursor(*cursor)
	if err == nil && check(position) != nil {
		err = BadCursor()
	}
	if err != nil {
		return "", err
	}
	return position, nil
}
