package main

import (
	"context"
	"fmt"
	"time"

	"github.com/Khan/genqlient/graphql"

	"twibase/e2e/clients/genqlient/api"
)

func listen(ctx context.Context, url string, tokens *Tokens, client graphql.Client) (heard []string, err error) {
	profile, err := api.Profile(ctx, client, viewer)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, twit := range profile.User.Twits.Nodes {
		known[twit.Id] = true
	}
	const posts = 20
	listening, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	posted := make(chan error, 1)
	go func() {
		for n := range posts {
			if _, err := post(ctx, client, fmt.Sprintf("news %d", n)); err != nil {
				posted <- err
				cancel()
				return
			}
			time.Sleep(150 * time.Millisecond)
		}
		posted <- nil
	}()
	live := Live{URL: url, Tokens: tokens, Username: viewer, Known: known, After: &profile.User.Twits.Nodes[0].Id}
	live.Receive = func(twit *api.TwitsTwitPostedTwit) {
		if heard = append(heard, twit.Content); len(heard) == posts {
			cancel()
		}
	}
	if err := live.Run(listening); listening.Err() == nil {
		return nil, err
	}
	return heard, <-posted
}
