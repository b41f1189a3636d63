package main

import (
	"context"
	"errors"
	"strings"

	"github.com/Khan/genqlient/graphql"
	"github.com/gorilla/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/e2e/clients/genqlient/api"
)

func failures(ctx context.Context, client graphql.Client, url string) (any, error) {
	seen := map[string]any{}
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

	var rejected UserErrors
	if err := (State{}).Follow(ctx, client, "nobody"); errors.As(err, &rejected) {
		seen["rejected"] = rejected
	}

	if seen["subscription"], err = rejectedSubscription(ctx, url); err != nil {
		return nil, err
	}
	return seen, nil
}

// rejectedSubscription first pings the server: the socket must hide the pong from genqlient.
func rejectedSubscription(ctx context.Context, url string) (code any, err error) {
	var conn *socket
	client := graphql.NewClientUsingWebSocket(strings.Replace(url, "http", "ws", 1), dial(func(s *socket) { conn = s }))
	failed, err := client.Start(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"ping"}`)); err != nil {
		return nil, err
	}
	after := "junk"
	twits, _, err := api.Twits(ctx, client, viewer, &after)
	if err != nil {
		return nil, err
	}
	select {
	case response := <-twits:
		return response.Errors[0].Extensions["code"], nil
	case err := <-failed:
		return nil, err
	}
}
