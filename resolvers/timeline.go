package resolvers

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

// Timeline is the batch resolver for the timeline field.
func (r *userResolver) Timeline(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.TwitConnection, error) {
	p, err := pageArgs{first, after, last, before}.read(relay.Timeline, loaders.Timelines.Check)
	if err != nil {
		return nil, err
	}
	own, ownErr := owned(ctx, permission.SeeTimeline, usernames(objs))
	var owners []string
	var at []int
	for i, username := range usernames(objs) {
		if own[i] {
			owners, at = append(owners, username), append(at, i)
		}
	}
	found, err := timelines.pages(ctx, owners, p, wanted(ctx, "Twit"))
	pages, errs := make([]*entries[struct{}, tables.Twit], len(objs)), make(loaders.Errors, len(objs))
	for j, i := range at {
		pages[i], errs[i] = found[j], loaders.At(err, j)
	}
	pages, err = settle(pages, loaders.Join(len(objs), ownErr, errs))
	return convert(pages, err, twitConnection)
}

var timelines = filtered[tables.TwitKey, tables.Twit]{kind: relay.Timeline, list: loaders.Timelines, near: true, look: withBroadcasts}

func timelineCost(q *inquiry) error {
	p, err := q.pageArgs().read(relay.Timeline, loaders.Timelines.Check)
	if err != nil {
		return err
	}
	at := q.adminCost(q.Begin(), another)
	if !sightsOf(q.Ctx).known || !wanted(q.Ctx, "Twit").entries {
		return nil
	}
	q.Once(at, readOf(loaders.Broadcasters.Outline(struct{}{})))
	at = timelines.cost(q, at, p, func(at explain.Moment, candidates int, again string) explain.Moment {
		followed := at
		if again == "" { // the second look knows whom they follow
			followed = ask(q, at, q.Parents, loaders.Related, loaders.Follows("", ""), "", tables.MaxBroadcasters, merged)
			q.existCost(at, loaders.Users.Exists, theBroadcasters, tables.MaxBroadcasters, merged)
		}
		if candidates > 0 {
			ask(q, at, q.Parents, loaders.Related, loaders.Follows("", ""), "", candidates, again)
			ask(q, at, q.Parents, loaders.Users.Exists, "", "", candidates, again)
			followed = explain.Latest(followed, q.reads(at, q.Parents, loaders.Twits.OutlineMembers(), candidates, again))
		}
		w := timelines.window(p)
		if again != "" {
			if w.Limit = p.Size * lookahead; p.Backward {
				w.Before = tables.MembersEnd // wherever the first look ended
			}
		}
		posts := loaders.Twits.OutlinePage(w, again == "" && p.After == "", q.half)
		for i := range posts {
			posts[i].Leading = false // they are not in the rows of who asks
		}
		return q.reads(followed, q.Parents, posts, tables.MaxBroadcasters, merged)
	})
	q.Lead("", q.Crowd(q.Parents, int64(p.Size), at))
	return nil
}

// merged is why there are reads of what broadcasters post.
var merged = fmt.Sprintf("they follow broadcasters, of whom there are %d at most", tables.MaxBroadcasters)

// withBroadcasts looks at what the timelines refer to, and at what the broadcasters posted whom their owners follow. A store without broadcasters
// costs no round for them; otherwise the owners' follows of them are read along with those of the authors whom the timelines name, and
// those who do follow one wait a round for the lists of these.
func withBroadcasts(ctx context.Context, spans []loaders.Span) ([]candidates[tables.Twit], error) {
	asked := loaders.Broadcasters.Ask(ctx, []struct{}{{}})
	lists, listErr := loaders.Timelines.Page(ctx, spans)
	broadcasters, err := asked()
	if err != nil {
		return make([]candidates[tables.Twit], len(spans)), loaders.At(err, 0)
	}
	relations := make([]loaders.Relation, 0, len(spans)*len(broadcasters[0]))
	for _, span := range spans {
		for _, author := range broadcasters[0] {
			relations = append(relations, loaders.Follows(span.Owner, author))
		}
	}
	following, existing := loaders.Related.Ask(ctx, relations), loaders.Users.Exists.Ask(ctx, broadcasters[0])
	found, err := referred(ctx, spans, lists, listErr)
	follows, followErr := following()
	exist, existErr := existing()
	var reads []loaders.Span
	var of []int // for which span
	errs := make(loaders.Errors, len(spans))
	for i, relation := range relations {
		j, author := i/len(broadcasters[0]), i%len(broadcasters[0])
		if at := cmp.Or(loaders.At(followErr, i), loaders.At(existErr, author)); at != nil {
			errs[j] = at
		}
		if follows[i] && exist[author] {
			read, at := ofAuthor(spans[j], relation.B)
			if errs[j] == nil {
				errs[j] = at
			}
			reads, of = append(reads, read), append(of, j)
		}
	}
	if len(reads) == 0 {
		return found, loaders.Join(len(spans), err, errs)
	}
	posts, postErr := loaders.Twits.Page(ctx, reads)
	merges := make([][]candidates[tables.Twit], len(spans))
	for i, page := range posts {
		j := of[i]
		if at := loaders.At(postErr, i); at != nil {
			errs[j] = at
		}
		merges[j] = append(merges[j], posted(page))
	}
	for j := range spans {
		if merges[j] != nil {
			found[j] = merge(spans[j].Window, append(merges[j], found[j]))
		}
	}
	return found, loaders.Join(len(spans), err, errs)
}

// ofAuthor returns what of an author's own list lies in a span of a timeline. A position in one says what it is in the other: no two authors have
// twits of one id, so that the ends of the window, which it leaves out, are never twits of theirs that it should have.
func ofAuthor(span loaders.Span, author string) (loaders.Span, error) {
	span.Owner = author
	for _, position := range []*string{&span.After, &span.Before} {
		if *position != "" {
			key, err := tables.EntryOf(*position)
			if err != nil {
				return span, err
			}
			*position = key.Position
		}
	}
	return span, nil
}

// posted makes candidates of what an author posted.
func posted(page loaders.Page[*tables.Twit]) candidates[tables.Twit] {
	page.Positions = make([]string, len(page.Members))
	for i, twit := range page.Members {
		page.Positions[i] = tables.Timelines.Position(twit.Key())
	}
	return page
}

// merge makes one part of a list of several that cover the same window. What stands at a position in several of them is the same: it is
// taken from the first that shows it. Where one was not read to the window's end nothing behind its last member is taken from
// the others, or that one's next members would be passed over.
func merge[T any](w loaders.Window, parts []candidates[T]) candidates[T] {
	things, more, end := map[string]*T{}, false, ""
	for _, c := range parts {
		for i, position := range c.Positions {
			if things[position] == nil {
				things[position] = c.Members[i]
			}
		}
		if n := len(c.Positions); n > 0 && w.Backward && c.HasPrevious {
			more, end = true, max(end, c.Positions[0])
		} else if n > 0 && !w.Backward && c.HasNext {
			if last := c.Positions[n-1]; !more || last < end {
				end = last
			}
			more = true
		}
	}
	positions := slices.Sorted(maps.Keys(things))
	if more {
		positions = slices.DeleteFunc(positions, func(p string) bool { return w.Backward && p < end || !w.Backward && p > end })
	}
	if beyond := len(positions) - w.Limit; beyond > 0 && w.Backward {
		positions, more = positions[beyond:], true
	} else if beyond > 0 {
		positions, more = positions[:w.Limit], true
	}
	c := candidates[T]{Positions: positions, HasNext: more, HasPrevious: w.After != ""}
	if w.Backward {
		c.HasNext, c.HasPrevious = w.Before != "", more
	}
	for _, position := range positions {
		c.Members = append(c.Members, things[position])
	}
	return c
}

// referred answers what pages of timelines refer to.
func referred(ctx context.Context, spans []loaders.Span, lists []loaders.Page[tables.TwitKey], listErr error) ([]candidates[tables.Twit], error) {
	all := membersOf(lists)
	owners, places, pages := make([]string, 0, all), make([]tables.TwitKey, 0, all), make([]candidates[tables.Twit], len(lists))
	for j, list := range lists {
		pages[j] = candidates[tables.Twit]{Positions: list.Positions, HasNext: list.HasNext, HasPrevious: list.HasPrevious}
		for _, place := range list.Members {
			owners, places = append(owners, spans[j].Owner), append(places, place)
		}
	}
	twits, err := followedTwits(ctx, owners, places)
	return dealt(pages, twits, listErr, err)
}

// followedTwits answers what the entries of timelines refer to, nil where the twit is gone or the owner no longer follows its author.
func followedTwits(ctx context.Context, owners []string, places []tables.TwitKey) ([]*tables.Twit, error) {
	relations := make([]loaders.Relation, len(places))
	for i, place := range places {
		relations[i] = loaders.Follows(owners[i], place.Author)
	}
	following := loaders.Related.Ask(ctx, relations)
	twits, err := twitsAt(ctx, places)
	follows, followErr := following()
	for i := range places {
		if !follows[i] {
			twits[i] = nil
		}
	}
	return twits, loaders.Join(len(places), err, followErr)
}
