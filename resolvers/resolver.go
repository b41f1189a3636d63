// Package resolvers reads the fields of the schema, a file per noun. A resolver is called once with
// all its parents, and passes all keys to the loaders together. Results and errors are
// index-aligned with the parents.
//
// Each field with a resolver has a field variable, named after the object type and the field:
// userFollowers is for User.followers. Its value, such as a [connection], has a method resolve,
// which the generated methods of fields.generated.go call, and a method cost. Subscriptions are
// methods of the subscription resolver instead.
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
	// Live delivers entries, such as twits, to subscribers. WithLoaders returns a context with new
	// loaders, because a subscription outlives the loaders of a response.
	Live        *live.Poller
	WithLoaders func(ctx context.Context) context.Context
}
