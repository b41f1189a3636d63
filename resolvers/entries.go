package resolvers

import (
	"context"

	"twibase/graph/explain"
	"twibase/loaders"
)

// entries are objects that are stored in the lists where they are shown, such as twits: they have
// no row of their own. They are gone when the author of the list is.
type entries[T any] struct {
	list    loaders.List[*T]
	parse   func(key string) (entryKey, error) // parses the key in an id
	author  string                             // what explain calls the author
	visible visibility[T]
}

// entryKey is the place of an entry, and the author with whom it is gone.
type entryKey struct {
	loaders.MemberKey
	author string
}

// visibility is which objects of a kind are visible to the viewer.
type visibility[T any] struct {
	// filter replaces the objects that are not visible with nil.
	filter func(ctx context.Context, all []*T) ([]*T, error)
	// cost declares what filter reads for n objects of each object of a set, or for those that have
	// the subject as their author.
	cost func(call *costCall, at explain.Stage, set *explain.Set, subject string, n int) explain.Stage
}

// read returns the entries, nil where there is none. It does not ask whether the viewer may see
// them.
func (e entries[T]) read(ctx context.Context, keys []entryKey) ([]*T, error) {
	places, authors := make([]loaders.MemberKey, len(keys)), make([]string, len(keys))
	for i, key := range keys {
		places[i], authors[i] = key.MemberKey, key.author
	}
	awaitAuthors := loaders.Users.Exists.Ask(ctx, authors)
	members, err := e.list.Members(ctx, places)
	exists, existsErr := awaitAuthors()
	found := make([]*T, len(keys))
	for i, member := range members {
		if exists[i] {
			found[i] = member.Value
		}
	}
	return found, loaders.Join(len(keys), err, existsErr)
}

// readVisible returns the entries that are visible to the viewer, nil where there is none.
func (e entries[T]) readVisible(ctx context.Context, keys []entryKey) ([]*T, error) {
	found, err := e.read(ctx, keys)
	found, visibleErr := e.visible.filter(ctx, found)
	return found, loaders.Join(len(keys), err, visibleErr)
}

// readByKey returns the entries that are visible to the viewer, by the keys in their ids.
func (e entries[T]) readByKey(ctx context.Context, keys []string) ([]*T, error) {
	parsed := make([]entryKey, len(keys))
	for i, key := range keys {
		var err error
		if parsed[i], err = e.parse(key); err != nil {
			return nil, err
		}
	}
	return e.readVisible(ctx, parsed)
}

// readCost declares what readVisible reads for an entry of each object.
func (e entries[T]) readCost(call *costCall, at explain.Stage, set *explain.Set) explain.Stage {
	return e.readCosts(call, at, set, e.author, 1, "")
}

// readCosts declares what readVisible reads for n entries of each object. Those with the author as
// subject are asked about that author once.
func (e entries[T]) readCosts(
	call *costCall, at explain.Stage, set *explain.Set, author string, n int, condition string,
) explain.Stage {
	call.ask(at, set, loaders.Users.Exists.Shape(""), author, n, condition)
	at = call.reads(at, set, e.list.MemberShapes(), n, condition)
	return e.visible.cost(call, at, set, "", n)
}

// payloadCost implements [payloadRead].
func (e entries[T]) payloadCost(call *costCall, at explain.Stage) explain.Stage {
	return e.readCost(call, at, call.Parents)
}

// ifSelected is a payloadRead of an entry that is read only if the field of the payload is
// selected.
type ifSelected[T any] struct {
	field string
	entries[T]
}

func (s ifSelected[T]) selected(ctx context.Context) bool { return selected(ctx).has(s.field) }

// payloadCost implements [payloadRead].
func (s ifSelected[T]) payloadCost(call *costCall, at explain.Stage) explain.Stage {
	if s.selected(call.Ctx) {
		at = s.entries.payloadCost(call, at)
	}
	return at
}

// listed is the source of the entries of lists.
type listed[T any] struct {
	list    loaders.List[*T]
	visible visibility[T]
	// byOwner says that the owner of a list is the author of its entries. The list of a deleted
	// owner is empty at once: it is cleared in the background.
	byOwner bool
	// ownersExist says that the owners are known to exist, or that it does not matter.
	ownersExist bool
}

func (s listed[T]) read(ctx context.Context, spans []loaders.PageKey) ([]candidates[T], error) {
	if !s.byOwner || s.ownersExist {
		pages, err := s.list.Page(ctx, spans)
		return s.filter(ctx, pages, err)
	}
	owners := make([]string, len(spans))
	for i, span := range spans {
		owners[i] = span.Owner
	}
	awaitOwners := loaders.Users.Exists.Ask(ctx, owners)
	pages, err := s.list.Page(ctx, spans)
	exist, existErr := awaitOwners()
	for i := range pages {
		if !exist[i] {
			pages[i] = candidates[T]{}
		}
	}
	return s.filter(ctx, pages, loaders.Join(len(spans), err, existErr))
}

// filter replaces the entries that are not visible with nil.
func (s listed[T]) filter(ctx context.Context, pages []candidates[T], pageErr error) ([]candidates[T], error) {
	members := make([]*T, 0, membersOf(pages))
	for i := range pages {
		members = append(members, pages[i].Members...)
	}
	members, err := s.visible.filter(ctx, members)
	return distribute(pages, members, pageErr, err)
}

func (s listed[T]) cost(call *costCall, at explain.Stage, l look) explain.Stage {
	if s.byOwner && l.first() {
		call.read(at, call.Parents, loaders.Users.Exists.Shape(""))
	}
	at = call.reads(at, call.Parents, s.list.PageShapes(l.Range, l.atBeginning, call.minMembers), 1, l.condition)
	switch {
	case !s.byOwner:
		return s.visible.cost(call, at, call.Parents, "", l.candidates)
	case l.first():
		return s.visible.cost(call, at, call.Parents, byViewer, 1)
	default: // something was hidden in the first look: it is known whether the viewer follows the author
		return at
	}
}
