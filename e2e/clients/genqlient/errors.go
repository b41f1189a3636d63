package main

import (
	"context"
	"errors"

	"github.com/Khan/genqlient/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/e2e/clients/genqlient/api"
)

// failures returns what a refused field and a refused input look like.
func failures(ctx context.Context, client graphql.Client) (any, error) {
	seen := map[string]any{}
	// recipe: errors
	response, err := api.Partial(ctx, client)
	var failed gqlerror.List
	if !errors.As(err, &failed) {
		return nil, err // the request failed: a *graphql.HTTPError, or no answer at all
	}
	var fields [][2]any
	for _, e := range failed { // fields failed: response has the others
		fields = append(fields, [2]any{e.Path, e.Extensions["code"]})
	}
	seen["failed"], seen["partial"] = fields, response

	var refused UserErrors
	if err := (State{}).Follow(ctx, client, "nobody"); errors.As(err, &refused) {
		seen["refused"] = refused
	}
	// end of recipe
	return seen, nil
}
