// Package resolvers reads the fields of the schema, a file per noun. A resolver is called once with
// all its parents, and passes all keys to the loaders together. Results and errors are
// index-aligned with the parents.
//
// A field with a resolver has a field variable, such as userFollowers for User.followers. The
// methods of fields.generated.go call its method resolve. Its method cost declares the reads. The
// variable of a subscription has only the cost: its resolver is a method of the subscription
// resolver.
//
// The most frequent types of field variables:
//
//	connection           a page of a list                      User.followers
//	filteredConnection   a page of a list, by visibility       Twit.comments
//	scan                 a page of all objects                 Query.games
//	reference            the object whose key a parent has     Comment.author
//	lookup               the object whose key is an argument   Query.user
//	reading              a value of a loader                   Twit.likeCount
//	relationField        whether two objects are related       User.isFollowing
//	objectMutation       a change that returns an object       Mutation.follow
//	payloadEdge          the edge of a changed relation        FollowPayload.userEdge
package resolvers

import (
	"context"

	"twibase/graph/auth"
	"twibase/live"
	"twibase/writers"
)

// Resolver is the root of all resolvers, safe for concurrent use. A request's loaders and viewer
// are in its ctx: see [loaders.With] and [auth.Viewer].
type Resolver struct {
	Writers  *writers.Writers
	Accounts *writers.Accounts
	// Sign-ups and log-ins fail unless Tokens can sign: see [auth.Tokens.Signs].
	Tokens   *auth.Tokens
	Attempts *auth.Attempts
	Live     *live.Poller
	// WithLoaders returns a ctx with new loaders: a subscription outlives those of a response.
	WithLoaders func(ctx context.Context) context.Context
}
