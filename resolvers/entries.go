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
	visible func(ctx context.Context, all []*T) ([]*T, error)
	// visibleCost declares what visible reads for an entry of each object.
	visibleCost func(call *costCall, at explain.Stage, set *explain.Set) explain.Stage
}

// entryKey is the place of an entry, and the author with whom it is gone.
type entryKey struct {
	loaders.MemberKey
	author string
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
	found, visibleErr := e.visible(ctx, found)
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
	call.ask(at, set, loaders.Users.Exists.Outline(""), e.author, 1, "")
	at = call.reads(at, set, e.list.OutlineMembers(), 1, "")
	return e.visibleCost(call, at, set)
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
