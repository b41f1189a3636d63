// Package resolvers answers the fields of the schema: one file per noun, thin, and plural. A
// resolver takes all its parents at once and asks the loaders for all of them at once.
//
// A field with a resolver is a variable that is named after its object and itself: userFollowers is
// User.followers. It is a value such as a [connection], whose methods read the field and declare
// what that costs. The generated methods of fields.generated.go call these variables. Only
// subscriptions have methods that are written by hand.
package resolvers

import (
	"context"

	"twibase/graph/auth"
	"twibase/live"
	"twibase/writers"
)

// Resolver is the root of all resolvers. What a request needs, its loaders and its viewer, is in
// the ctx: see [loaders.With] and [auth.Viewer]. It is safe for concurrent use.
type Resolver struct {
	// Writers make changes.
	Writers *writers.Writers
	// Accounts, Tokens and Attempts are for those who sign up and log in. Tokens may be nil: then
	// nobody can.
	Accounts *writers.Accounts
	Tokens   *auth.Tokens
	Attempts *auth.Attempts
	// Live delivers twits to subscribers. Fresh returns a context with new loaders: a
	// subscription lives longer than the loaders of a response.
	Live  *live.Poller
	Fresh func(ctx context.Context) context.Context
}
