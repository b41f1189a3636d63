package resolvers

import (
	"context"
	"slices"

	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
)

// posts is a connection of what each user posted, as far as it is visible to the viewer.
type posts struct {
	kind  relay.List
	list  loaders.List[*tables.Twit]
	total visibleCount
}

func twitCounts(u *tables.User) (all, public *int) { return u.TwitCount, u.PublicTwitCount }

func albumCounts(u *tables.User) (all, public *int) { return u.AlbumCount, u.PublicAlbumCount }

func (p posts) resolve(ctx context.Context, users []*tables.User, args pageArgs) ([]*model.TwitConnection, error) {
	// A lazy user who turns out to be deleted is null, with all fields.
	lazy := !slices.ContainsFunc(users, func(u *tables.User) bool { return u != nil && !u.Promised })
	return p.connection(lazy).resolve(ctx, users, args)
}

func (p posts) cost(call *costCall) error { return p.connection(false).cost(call) }

func (p posts) connection(authorsExist bool) filteredConnection[tables.User, tables.Twit, model.TwitConnection] {
	return filteredConnection[tables.User, tables.Twit, model.TwitConnection]{
		owners: usernames, kind: p.kind, source: postSource{p.list, authorsExist}, total: p.total,
		as: twitConnection[struct{}](nil),
	}
}

// postSource reads what authors posted. A deleted author's list is empty at once: it is cleared in
// the background.
type postSource struct {
	list loaders.List[*tables.Twit]
	// authorsExist says that the authors are known to exist, or that it does not matter.
	authorsExist bool
}

func (s postSource) check(position string) error { return s.list.Check(position) }

func (s postSource) read(ctx context.Context, spans []loaders.PageKey) ([]candidates[tables.Twit], error) {
	if s.authorsExist {
		pages, err := s.list.Page(ctx, spans)
		return seen(ctx, pages, err, visibleTwits)
	}
	authors := make([]string, len(spans))
	for i, span := range spans {
		authors[i] = span.Owner
	}
	awaitAuthors := loaders.Users.Exists.Ask(ctx, authors)
	pages, err := s.list.Page(ctx, spans)
	exists, existsErr := awaitAuthors()
	for i := range pages {
		if !exists[i] {
			pages[i] = candidates[tables.Twit]{}
		}
	}
	return seen(ctx, pages, loaders.Join(len(spans), err, existsErr), visibleTwits)
}

func (s postSource) cost(call *costCall, at explain.Stage, l look) explain.Stage {
	if l.first() {
		call.read(at, call.Parents, loaders.Users.Exists.Outline(""))
	}
	at = call.reads(at, call.Parents, s.list.OutlinePage(l.Range, l.atBeginning, call.minMembers), 1, l.condition)
	if !l.first() { // something was hidden in the first look: it is known whether the viewer follows the author
		return at
	}
	return call.followsCost(at, call.Parents, byViewer, 1, ifMoments)
}

// visibleCount is a total of which the viewer sees all, or the public part.
type visibleCount struct {
	field  string
	counts func(*tables.User) (all, public *int)
}

func (c visibleCount) ask(ctx context.Context, owners []string) func() ([]*int, error) {
	awaitUsers := loaders.Users.Later(ctx, owners, []string{c.field})
	return func() ([]*int, error) {
		users, err := awaitUsers()
		totals, visibleErr := visibleCounts(ctx, owners, users, c.counts)
		return totals, loaders.Join(len(owners), err, visibleErr)
	}
}

func (c visibleCount) askCost(call *costCall, at explain.Stage) func(at explain.Stage) explain.Stage {
	counted := call.read(at, call.Parents, loaders.Users.OutlineRoot([]string{c.field}))
	return func(at explain.Stage) explain.Stage {
		return call.followsCost(explain.Latest(at, counted), call.Parents, byViewer, 1, "")
	}
}
