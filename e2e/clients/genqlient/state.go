package main

import (
	"context"
	"fmt"

	"github.com/Khan/genqlient/graphql"

	"twibase/e2e/clients/genqlient/api"
)

func followers(ctx context.Context, client graphql.Client, username string, size int) (names []string, err error) {
	var after *string
	for {
		response, err := api.Followers(ctx, client, username, &size, after, nil, nil)
		if err != nil {
			return nil, err
		}
		if response.User == nil {
			return nil, nil // there is no such user
		}
		page := response.User.Followers
		for _, user := range page.Nodes {
			if user != nil { // null is a user who could not be read
				names = append(names, user.Username)
			}
		}
		if !page.PageInfo.HasNextPage {
			return names, nil
		}
		after = page.PageInfo.EndCursor
	}
}

func followersBackward(ctx context.Context, client graphql.Client, username string, size int) ([]string, error) {
	var names []string
	var before *string
	for {
		response, err := api.Followers(ctx, client, username, nil, nil, &size, before)
		if err != nil {
			return nil, err
		}
		if response.User == nil {
			return nil, nil // there is no such user
		}
		page := response.User.Followers
		var found []string
		for _, user := range page.Nodes {
			if user != nil {
				found = append(found, user.Username)
			}
		}
		names = append(found, names...)
		if !page.PageInfo.HasPreviousPage {
			return names, nil
		}
		before = page.PageInfo.StartCursor
	}
}

// State is by user id. Its fragment gives it one type in all operations.
type State map[string]api.Counts

// UserErrors has the reasons why a mutation did nothing.
type UserErrors []api.UserError

func (e UserErrors) Error() string { return fmt.Sprintf("%s (%s)", e[0].Message, e[0].Code) }

func (s State) Follow(ctx context.Context, client graphql.Client, username string) error {
	response, err := api.Follow(ctx, client, api.FollowInput{Username: &username})
	if err != nil {
		return err
	}
	if rejected := response.Follow.UserErrors; len(rejected) > 0 {
		return UserErrors(rejected)
	}
	user := response.Follow.User
	s[user.Id] = *user
	return nil
}
