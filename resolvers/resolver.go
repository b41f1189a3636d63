// Package resolvers answers the fields of the schema: one file per noun, thin, and plural. A resolver takes all its parents at
// once and asks the loaders for all of them at once.
package resolvers

import (
	"context"

	"twibase/graph/auth"
	"twibase/news"
	"twibase/writers"
)

// Resolver is the root of all resolvers. What a request needs, its loaders and its viewer, is in the ctx: see [loaders.With] and
// [auth.Viewer]. It is safe for concurrent use.
type Resolver struct {
	// Writers make changes.
	Writers *writers.Writers
	// Accounts, Tokens and Attempts are for those who sign up and log in. Tokens may be nil: then nobody can.
	Accounts *writers.Accounts
	Tokens   *auth.Tokens
	Attempts *auth.Attempts
	// News are for those who subscribe, and Fresh gives them new loaders: a subscription is no response, and lives longer than one.
	News  *news.Poller
	Fresh func(ctx context.Context) context.Context
}
