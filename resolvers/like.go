package resolvers

import (
	"context"

	"twibase/graph/explain"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var (
	mutationLike = likeMutation[model.LikeInput]{
		mutationOf(permission.Like, twitEntries), (*writers.Writers).Relate,
		func(in *model.LikeInput) tables.ID { return in.TwitID },
	}
	mutationUnlike = likeMutation[model.UnlikeInput]{
		mutationOf(permission.Unlike, twitEntries), (*writers.Writers).Unrelate,
		func(in *model.UnlikeInput) tables.ID { return in.TwitID },
	}

	likedTwit           = func(p *model.LikePayload) *tables.Twit { return p.Twit }
	likePayloadTwitEdge = payloadEdge[model.LikePayload, tables.LikedTwit, tables.Twit, model.TwitEdge]{
		relay.CursorsOf(loaders.LikedTwits.Kind()),
		relatedEntry[model.LikePayload, tables.LikedTwit]{
			loaders.LikedTwits, tables.Likes, viewerKey[model.LikePayload], keyIn(twitKeys, likedTwit),
		},
		ownNode[model.LikePayload, tables.Twit](likedTwit),
		func(p *page[tables.LikedTwit, tables.Twit]) []*model.TwitEdge {
			return twitConnection[tables.LikedTwit](nil)(p).Edges
		},
	}
	likePayloadUserEdge = edgeOfRelation(twitLikes, userEdges, tables.Likes, viewerKey, keyIn(twitKeys, likedTwit))
	likePayloadViewer   = payloadViewer[model.LikePayload]{}
	unlikePayloadViewer = payloadViewer[model.UnlikePayload]{}

	twitLikes = connectionOf(
		twitKeys, loaders.TwitLikes, loaders.Users, followed, userConnection[tables.Follow](nil))
	twitLikeCount   = reading[tables.Twit, int]{twitKeys, loaders.TwitLikes.Length}
	twitViewerLikes = viewerIsRelated(twitKeys, tables.Likes)
	userLikedTwits  = filteredConnection[tables.User, tables.Twit, model.TwitConnection]{
		owners: usernames, list: loaders.LikedTwits.Kind(), source: likedSource{}, as: twitConnection[struct{}](nil),
	}
)

type likedSource struct{}

func (likedSource) read(ctx context.Context, pageKeys []loaders.PageKey) ([]candidates[tables.Twit], error) {
	lists, err := loaders.LikedTwits.Page(ctx, pageKeys)
	keys := make([]entryKey, 0, membersOf(lists))
	for _, list := range lists {
		for _, liked := range list.Members {
			keys = append(keys, entryOf(liked.Twit))
		}
	}
	twits, twitErr := twitEntries.readVisible(ctx, keys)
	return distribute(unread[tables.Twit](lists), twits, err, twitErr)
}

func (likedSource) cost(call *costCall, at explain.Stage, l candidateRead) explain.Stage {
	page := loaders.LikedTwits.PageShapes(l.Range, l.atBeginning, call.minMembers)
	at = call.reads(at, call.Parents, page, 1, l.condition)
	at = twitEntries.readCost(call, at, call.Parents, "", l.candidates, l.condition)
	return twitEntries.visible.cost(call, at, call.Parents, "", l.candidates)
}

type likeMutation[I any] struct {
	mutation
	write relationWriter
	twit  func(in *I) tables.ID
}

func (m likeMutation[I]) resolve(
	ctx context.Context, r *Resolver, in *I, twit **tables.Twit,
) (userErrors []*model.UserError, err error) {
	id := m.twit(in)
	*twit, userErrors, err = m.onTwit(ctx, id, func(ctx context.Context, viewer string) error {
		key := ""
		if id.Noun == tables.NounTwit {
			key = id.Key
		}
		return m.write(r.Writers, ctx, tables.Likes, viewer, key)
	})
	return userErrors, err
}
