package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/Khan/genqlient/graphql"
	"github.com/gorilla/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/e2e/clients/genqlient/api"
)

// Live receives the twits of a user, and reconnects if a connection is lost.
type Live struct {
	URL      string // of the endpoint, http or https
	Tokens   *Tokens
	Username string
	Known    map[string]bool // ids of twits that the program has
	After    *string         // the newest of them; nil if it has none
	Receive  func(twit *api.TwitsTwitPostedTwit)
}

// Run receives each twit once, until ctx ends or the server rejects the subscription. The error of
// a rejection is a gqlerror.List.
func (l *Live) Run(ctx context.Context) error {
	rejected, pause := "", 100*time.Millisecond
	for ctx.Err() == nil {
		began := time.Now()
		token, err := l.Tokens.Token(ctx, rejected)
		if err == nil {
			err = l.listen(ctx, token)
		}
		var closed *websocket.CloseError
		var failed gqlerror.List
		switch {
		case errors.As(err, &failed):
			return failed
		case errors.As(err, &closed) && closed.Code == 4403:
			rejected = token
		}
		if pause = min(2*pause, 30*time.Second); time.Since(began) > time.Second {
			pause = 100 * time.Millisecond
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return ctx.Err()
}

// listen uses one connection, and returns why it ended.
func (l *Live) listen(ctx context.Context, token string) error {
	var conn *socket
	client := graphql.NewClientUsingWebSocket(
		strings.Replace(l.URL, "http", "ws", 1),
		dial(func(s *socket) { conn = s }),
		graphql.WithConnectionParams(map[string]any{"authorization": "Bearer " + token}),
	)
	failed, err := client.Start(ctx)
	if err != nil {
		return err
	}
	twits, _, err := api.Twits(ctx, client, l.Username, l.After)
	// genqlient's reader blocks until its channels are read, even if the connection is closed. Its
	// Close and Unsubscribe are unsafe while messages arrive.
	var lost error
	defer func() {
		_ = conn.Close()
		for lost == nil {
			select {
			case <-twits:
			case lost = <-failed:
			}
		}
	}()
	for err == nil {
		select {
		case response, open := <-twits:
			switch {
			case !open:
				err = io.EOF
			case len(response.Errors) > 0:
				err = response.Errors
			default:
				l.keep(response.Data.TwitPosted)
			}
		case lost = <-failed:
			err = lost
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return err
}

func (l *Live) keep(twit *api.TwitsTwitPostedTwit) {
	if twit == nil {
		return
	}
	l.After = &twit.Id
	if !l.Known[twit.Id] {
		l.Known[twit.Id] = true
		l.Receive(twit)
	}
}
