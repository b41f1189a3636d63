package resolvers

import (
	"context"
	"time"

	"twibase/hbase/tables"
	"twibase/live"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

type eventSource[T any] struct {
	kind live.Kind
	key  func(entry *T) live.Key
	// position returns the position in the polled row.
	position func(live.Key) string
	read     func(ctx context.Context, pageKeys []loaders.PageKey) ([]candidates[T], error)
	// visible returns nil for invisible entries.
	visible func(ctx context.Context, all []live.Candidate) ([]*T, error)
	// kept is the lifetime of entries. 0 is unlimited.
	kept time.Duration
}

// eventsOf is for lists that store their entries. Entries that are read in pages, for a replay, are
// checked like polled ones: as [live.Candidate]s.
func eventsOf[T any](
	kind live.Kind, list loaders.List[*T], key func(*T) live.Key,
	visible func(context.Context, []live.Candidate) ([]*T, error), kept time.Duration,
) eventSource[T] {
	read := func(ctx context.Context, pageKeys []loaders.PageKey) ([]candidates[T], error) {
		pages, err := list.Page(ctx, pageKeys)
		var all []live.Candidate
		for i, page := range pages {
			owner := pageKeys[i].Owner
			for j, position := range page.Positions {
				all = append(all, live.Candidate{Subscriber: ctx, Kind: kind, Owner: owner,
					Key: live.Key{Owner: owner, Position: position}, Entry: page.Members[j]})
			}
		}
		entries, visibleErr := visible(ctx, all)
		return distribute(pages, entries, err, visibleErr)
	}
	return eventSource[T]{kind, key, ownPosition, read, visible, kept}
}

var (
	timelineEvents = eventSource[tables.Twit]{live.Timeline, twitEvent, func(k live.Key) string {
		return tables.Timelines.Position(tables.TwitKey{Author: k.Owner, Position: k.Position})
	}, timelineSource{}.read, visibleDelivered, 0}
	postEvents    = eventSource[tables.Twit]{live.Posts, twitEvent, ownPosition, userTwits.listed.read, visiblePosts, 0}
	commentEvents = eventsOf(live.Comments, loaders.Comments, func(c *tables.Comment) live.Key {
		key := c.Key()
		return live.Key{Owner: key.Twit.String(), Position: key.Position}
	}, visibleAdded, 0)
	deletionEvents = eventsOf(live.Deletions, loaders.TwitDeletions, func(d *tables.TwitDeletion) live.Key {
		return live.Key{Owner: d.Twit.Author, Position: d.Position()}
	}, visibleDeletions, tables.EventsKept)
	changeEvents = eventsOf(live.Changes, loaders.FollowerChanges, func(c *tables.FollowerChange) live.Key {
		return live.Key{Owner: c.Followed, Position: c.Position()}
	}, visibleChanges, tables.EventsKept)
)

func twitEvent(t *tables.Twit) live.Key {
	key := t.Key()
	return live.Key{Owner: key.Author, Position: key.Position}
}

func (s eventSource[T]) expired(after *live.Key) bool {
	if after == nil || s.kept == 0 {
		return false
	}
	at, err := tables.TimeAt(after.Position)
	return err != nil || time.Since(at) > s.kept
}

func ownPosition(k live.Key) string { return k.Position }

// Visible returns [live.Options].Visible. The checks take one round, but two for comments, which
// need their twits, and for posts and deletions that must be read first.
func Visible(
	withLoaders func(context.Context) context.Context,
) func(context.Context, []live.Candidate) ([]any, []error) {
	return func(ctx context.Context, all []live.Candidate) ([]any, []error) {
		if len(all) == 0 {
			return nil, nil
		}
		ctx, end := newTask(ctx, withLoaders)
		defer end()
		entries, errs := make([]any, len(all)), make(loaders.Errors, len(all))
		loaders.Together(ctx,
			func() { timelineEvents.check(ctx, all, entries, errs) },
			func() { postEvents.check(ctx, all, entries, errs) },
			func() { commentEvents.check(ctx, all, entries, errs) },
			func() { deletionEvents.check(ctx, all, entries, errs) },
			func() { changeEvents.check(ctx, all, entries, errs) },
		)
		if loaders.Join(len(all), errs) == nil {
			return entries, nil
		}
		return entries, errs
	}
}

// EntrySize is [live.Options].Size.
func EntrySize(entry any) (bytes int) {
	switch entry := entry.(type) {
	case *tables.Twit:
		bytes = len(entry.Content)
		for _, url := range entry.PhotoURLs {
			bytes += len(url)
		}
	case *tables.Comment:
		bytes = len(entry.Content)
	}
	return bytes
}

func (s eventSource[T]) check(ctx context.Context, all []live.Candidate, entries []any, errs loaders.Errors) {
	var own []live.Candidate
	var indexes []int
	for i, c := range all {
		if c.Kind == s.kind {
			own, indexes = append(own, c), append(indexes, i)
		}
	}
	if len(own) == 0 {
		return
	}
	visible, err := s.visible(ctx, own)
	for j, i := range indexes {
		if errs[i] = loaders.At(err, j); visible[j] != nil {
			entries[i] = visible[j]
		}
	}
}

// visibleDelivered checks only the follows, because followers may see all twits.
func visibleDelivered(ctx context.Context, all []live.Candidate) ([]*tables.Twit, error) {
	keys := make([]tables.TwitKey, len(all))
	for i, c := range all {
		keys[i] = tables.TwitKey{Author: c.Key.Owner, Position: c.Key.Position}
	}
	return followedTwits(ctx, ownersOf(all), keys)
}

func ownersOf(all []live.Candidate) []string {
	owners := make([]string, len(all))
	for i, c := range all {
		owners[i] = c.Owner
	}
	return owners
}

func visiblePosts(ctx context.Context, all []live.Candidate) ([]*tables.Twit, error) {
	twits, readErr := entriesOf(ctx, all, twitEntries, entryOfOwner)
	awaitAuthors := loaders.Users.Exists.Enqueue(ctx, ownersOf(all))
	may, mayErr := allowed(ctx, len(all), func(i int) (string, permission.Verdict) {
		viewer := accessOf(all[i].Subscriber)
		return viewer.viewer.Username, viewer.twit(twits[i])
	})
	exist, existErr := awaitAuthors()
	for i := range twits {
		may[i] = may[i] && exist[i]
	}
	hide(twits, may)
	return twits, loaders.Join(len(all), readErr, existErr, mayErr)
}

// entryOfOwner is for entries that are deleted with the owner of their list.
func entryOfOwner(k live.Key) entryKey {
	return entryKey{loaders.MemberKey{Owner: k.Owner, Position: k.Position}, k.Owner}
}

// entriesOf returns the entries of candidates. It reads an entry if Candidate.Entry is nil.
func entriesOf[T any](
	ctx context.Context, all []live.Candidate, list entries[T], keyOf func(live.Key) entryKey,
) ([]*T, error) {
	found, errs := make([]*T, len(all)), make(loaders.Errors, len(all))
	var old []entryKey
	var indexes []int
	for i, c := range all {
		if c.Entry == nil {
			old, indexes = append(old, keyOf(c.Key)), append(indexes, i)
		} else {
			found[i] = c.Entry.(*T)
		}
	}
	if len(old) == 0 {
		return found, nil
	}
	read, err := list.read(ctx, old)
	scatter(found, errs, indexes, read, err)
	return found, loaders.Join(len(all), errs)
}
