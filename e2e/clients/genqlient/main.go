// Genqlient uses the API with genqlient, and prints a report as JSON: go run . URL TOKENS LIVE
//
// TOKENS is as in ../harness.mjs, for LiLei. LIVE is the same endpoint as URL, over connections
// that are sometimes lost.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/Khan/genqlient/graphql"

	"twibase/e2e/clients/genqlient/api"
)

const viewer = "LiLei"

type Twit = api.ProfileUserTwitsTwitConnectionNodesTwit

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	report, err := run(ctx, os.Args[1], source(os.Args[2]), os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		log.Fatal(err)
	}
}

// source is the URL of tokens.
type source string

func (s source) token(ctx context.Context, query string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, string(s)+query, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	token, err := io.ReadAll(response.Body)
	return string(token), err
}

func (s source) tokens(ctx context.Context, lives string, renewals *int) (*Tokens, error) {
	first, err := s.token(ctx, "?lives="+lives)
	return &Tokens{token: first, Get: func(ctx context.Context) (string, error) {
		*renewals++
		return s.token(ctx, "")
	}}, err
}

func run(ctx context.Context, url string, source source, liveURL string) (map[string]any, error) {
	var overHTTP, overWebSocket int
	tokens, err := source.tokens(ctx, "-1s", &overHTTP)
	if err != nil {
		return nil, err
	}
	client := graphql.NewClient(url, &http.Client{Transport: tokens, Timeout: 30 * time.Second})

	profile, err := api.Profile(ctx, client, viewer)
	if err != nil {
		return nil, err
	}
	forward, err := followers(ctx, client, viewer, 10)
	if err != nil {
		return nil, err
	}
	backward, err := followersBackward(ctx, client, viewer, 10)
	if err != nil {
		return nil, err
	}
	changed, err := change(ctx, client, profile.User)
	if err != nil {
		return nil, fmt.Errorf("change: %w", err)
	}
	updated, err := update(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("update: %w", err)
	}
	short, err := source.tokens(ctx, "2s", &overWebSocket)
	if err != nil {
		return nil, err
	}
	live, err := listen(ctx, liveURL, short, client)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	rejected, err := failures(ctx, client, url)
	if err != nil {
		return nil, fmt.Errorf("failures: %w", err)
	}
	return map[string]any{
		"profile": profile.User, "forward": forward, "backward": backward, "change": changed, "update": updated,
		"live": live, "errors": rejected, "renewals": map[string]int{"HTTP": overHTTP, "WebSocket": overWebSocket},
	}, nil
}

func change(ctx context.Context, client graphql.Client, me *api.ProfileUser) (any, error) {
	polly, err := api.Profile(ctx, client, "Polly")
	if err != nil {
		return nil, err
	}
	id := polly.User.Id
	state := State{me.Id: me.Counts, id: polly.User.Counts}
	before := State{me.Id: state[me.Id], id: state[id]}
	if err := state.Follow(ctx, client, "Polly"); err != nil {
		return nil, err
	}
	posted, err := post(ctx, client, "Polly can say hello.")
	if err != nil {
		return nil, err
	}
	state[me.Id] = *posted.Author
	newest := []*Twit{{Id: posted.Id, Content: posted.Content}, me.Twits.Nodes[0]}

	if polly, err = api.Profile(ctx, client, "Polly"); err != nil {
		return nil, err
	}
	again, err := api.Profile(ctx, client, viewer)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"followers": []*int{before[id].FollowerCount, state[id].FollowerCount, polly.User.FollowerCount},
		"follows":   []*bool{before[id].ViewerFollows, state[id].ViewerFollows, polly.User.ViewerFollows},
		"twits":     []*int{before[me.Id].TwitCount, state[me.Id].TwitCount, again.User.TwitCount},
		"newest":    [][]*Twit{newest, again.User.Twits.Nodes},
	}, nil
}

// post posts twice, as if the first response had been lost.
func post(ctx context.Context, client graphql.Client, content string) (*api.PostPostTwitPostTwitPayloadTwit, error) {
	var twit *api.PostPostTwitPostTwitPayloadTwit
	key := rand.Text()
	for range 2 {
		response, err := api.Post(ctx, client, api.PostTwitInput{Content: content, IdempotencyKey: &key})
		if err != nil {
			return nil, err
		}
		twit = response.PostTwit.Twit
	}
	return twit, nil
}

func update(ctx context.Context, client graphql.Client) (any, error) {
	username, name := viewer, "Li Lei"
	input := api.UpdateUserInput{Username: &username, Name: &name, Age: json.RawMessage("null")}
	response, err := api.Update(ctx, client, input)
	if err != nil {
		return nil, err
	}
	return response.UpdateUser.User, nil
}
