package resolvers

import (
	"context"
	"slices"

	"twibase/graph/explain"
	"twibase/loaders"
)

// entries reads entries: objects without a row of their own, such as twits.
type entries[T any] struct {
	list    loaders.List[*T]
	parse   func(key string) (entryKey, error)
	author  string // the [explain.Read].Subject of the check that the author exists
	visible visibility[T]
}

// entryKey has the owner of the list, the position of an entry, and the user whose deletion also
// deletes the entry.
type entryKey struct {
	loaders.MemberKey
	author string // of a twit or of a comment's twit, or the owner of a change event's list
}

type visibility[T any] struct {
	// filter replaces invisible objects with nil.
	filter func(ctx context.Context, all []*T) ([]*T, error)
	// cost declares the reads of filter, for n entries of each object of a set. If all n entries
	// have the same author, subject identifies the reads about this author; otherwise it is empty.
	cost func(call *costCall, at explain.Stage, set *explain.Set, subject string, n int) explain.Stage
}

func (e entries[T]) read(ctx context.Context, keys []entryKey) ([]*T, error) {
	memberKeys, authors := make([]loaders.MemberKey, len(keys)), make([]string, len(keys))
	for i, key := range keys {
		memberKeys[i], authors[i] = key.MemberKey, key.author
	}
	awaitAuthors := loaders.Users.Exists.Enqueue(ctx, authors)
	members, err := e.list.Members(ctx, memberKeys)
	exists, existsErr := awaitAuthors()
	found := make([]*T, len(keys))
	for i, member := range members {
		if exists[i] {
			found[i] = member.Value
		}
	}
	return found, loaders.Join(len(keys), err, existsErr)
}

// readCost declares the reads of n entries for each object of a set. If author is not empty, it is
// the [explain.Read].Subject of the check that the author exists.
func (e entries[T]) readCost(
	call *costCall, at explain.Stage, set *explain.Set, author string, n int, condition string,
) explain.Stage {
	call.readOther(at, set, loaders.Users.Exists.Shape(""), author, n, condition)
	return call.reads(at, set, e.list.MemberShapes(), n, condition)
}

func (e entries[T]) readVisible(ctx context.Context, keys []entryKey) ([]*T, error) {
	found, err := e.read(ctx, keys)
	found, visibleErr := e.visible.filter(ctx, found)
	return found, loaders.Join(len(keys), err, visibleErr)
}

func (e entries[T]) readVisibleCost(call *costCall, at explain.Stage, set *explain.Set) explain.Stage {
	return e.visible.cost(call, e.readCost(call, at, set, e.author, 1, ""), set, "", 1)
}

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

func (e entries[T]) payloadCost(call *costCall, at explain.Stage) explain.Stage {
	return e.readVisibleCost(call, at, call.Parents)
}

type ifSelected[T any] struct {
	fields []string
	entries[T]
}

func (s ifSelected[T]) selected(ctx context.Context) bool {
	return slices.ContainsFunc(s.fields, selected(ctx).has)
}

func (s ifSelected[T]) payloadCost(call *costCall, at explain.Stage) explain.Stage {
	if s.selected(call.Ctx) {
		at = s.entries.payloadCost(call, at)
	}
	return at
}

type listed[T any] struct {
	list    loaders.List[*T]
	visible visibility[T]
	// byOwner is true if the list's owner is the author of its entries. The lists of deleted owners
	// are hidden, because background work may not have cleared them yet.
	byOwner     bool
	ownersExist bool // so that read does not check them
}

func (s listed[T]) read(ctx context.Context, pageKeys []loaders.PageKey) ([]candidates[T], error) {
	if !s.byOwner || s.ownersExist {
		pages, err := s.list.Page(ctx, pageKeys)
		return s.filter(ctx, pages, err)
	}
	owners := make([]string, len(pageKeys))
	for i, pageKey := range pageKeys {
		owners[i] = pageKey.Owner
	}
	awaitOwners := loaders.Users.Exists.Enqueue(ctx, owners)
	pages, err := s.list.Page(ctx, pageKeys)
	exist, existErr := awaitOwners()
	for i := range pages {
		if !exist[i] {
			pages[i] = candidates[T]{}
		}
	}
	return s.filter(ctx, pages, loaders.Join(len(pageKeys), err, existErr))
}

func (s listed[T]) filter(ctx context.Context, pages []candidates[T], pageErr error) ([]candidates[T], error) {
	members := make([]*T, 0, membersOf(pages))
	for i := range pages {
		members = append(members, pages[i].Members...)
	}
	members, err := s.visible.filter(ctx, members)
	return distribute(pages, members, pageErr, err)
}

func (s listed[T]) cost(call *costCall, at explain.Stage, l candidateRead) explain.Stage {
	if s.byOwner && l.first() {
		call.read(at, call.Parents, loaders.Users.Exists.Shape(""))
	}
	at = call.reads(at, call.Parents, s.list.PageShapes(l.Range, l.atBeginning, call.minMembers), 1, l.condition)
	switch {
	case !s.byOwner:
		return s.visible.cost(call, at, call.Parents, "", l.candidates)
	case l.first():
		return s.visible.cost(call, at, call.Parents, byViewer, 1)
	default: // the first read has read whether the viewer follows the author
		return at
	}
}
