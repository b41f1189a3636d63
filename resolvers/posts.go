package resolvers

import (
	"context"
	"slices"

	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
)

// posts is a connection of what each user posted, as far as it is visible to the viewer.
type posts struct {
	filteredConnection[tables.User, tables.Twit, model.TwitConnection]
	listed[tables.Twit]
}

func postsOf(list loaders.List[*tables.Twit], total visibleCount) posts {
	source := listed[tables.Twit]{list: list, visible: twitVisibility, byOwner: true}
	return posts{filteredConnection[tables.User, tables.Twit, model.TwitConnection]{
		owners: usernames, list: list.Kind(), source: source, total: total, as: twitConnection[struct{}](nil),
	}, source}
}

func (p posts) resolve(ctx context.Context, users []*tables.User, args pageArgs) ([]*model.TwitConnection, error) {
	// A lazy user who turns out to be deleted is null, with all fields. Not to ask saves a tenth of the
	// CPU time of BenchmarkEmbedded/reference in bench.
	p.listed.ownersExist = !slices.ContainsFunc(users, func(u *tables.User) bool { return u != nil && !u.Promised })
	p.source = p.listed
	return p.filteredConnection.resolve(ctx, users, args)
}

func (p posts) cost(call *costCall) error { return p.filteredConnection.cost(call) }

func twitCounts(u *tables.User) (all, public *int) { return u.TwitCount, u.PublicTwitCount }

func albumCounts(u *tables.User) (all, public *int) { return u.AlbumCount, u.PublicAlbumCount }

// visibleCount is a total of which the viewer sees all, or the public part.
type visibleCount struct {
	field  string
	counts func(*tables.User) (all, public *int)
}

func (c visibleCount) read(ctx context.Context, owners []string) ([]*int, error) {
	users, err := loaders.Users.Read(ctx, owners, []string{c.field})
	totals, visibleErr := visibleCounts(ctx, owners, users, c.counts)
	return totals, loaders.Join(len(owners), err, visibleErr)
}

func (c visibleCount) cost(call *costCall, at explain.Stage) explain.Stage {
	at = call.read(at, call.Parents, loaders.Users.RootShape([]string{c.field}))
	return call.followsCost(at, call.Parents, byViewer, 1, "")
}
