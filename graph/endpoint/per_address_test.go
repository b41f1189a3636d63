package endpoint

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/exec"
	"twibase/hbase/tables"
)

type silent struct{ root }

func (silent) Subscription() exec.SubscriptionResolver { return silence{} }

type silence struct{ exec.SubscriptionResolver }

func (silence) TwitPosted(ctx context.Context, _ string, _ *tables.ID) (<-chan *tables.Twit, error) {
	events := make(chan *tables.Twit)
	context.AfterFunc(ctx, func() { close(events) })
	return events, nil
}

func TestDocumentsPerAddressAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(exec.NewExecutableSchema(exec.Config{Resolvers: silent{}}), Config{Timeout: time.Minute, Streams: 1,
			Around: func(ctx context.Context) context.Context { return ctx }})
		query := `subscription { twitPosted(username: "u") { id } } # ` + strings.Repeat("x", textEach/2)
		subscribe := func(ctx context.Context) (message string) {
			for response := range e.execute(graphql.StartOperationTrace(ctx), &graphql.RawParams{Query: query}) {
				message = response.Errors[0].Message
			}
			return message
		}
		ctx, cancel := context.WithCancel(context.Background())
		go subscribe(ctx)
		synctest.Wait()
		const want = "the length of the documents of all subscriptions of an address, in bytes, is limited to 4096, and this is 4200"
		if got := subscribe(ctx); got != want {
			t.Errorf("second subscription: got %q, want %q", got, want)
		}
		cancel()
		synctest.Wait()
		ctx, cancel = context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if got := subscribe(ctx); got != "" {
			t.Errorf("subscription after the end of the first: got %q", got)
		}
	})
}

func TestSubscriptionsPerAddressAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(exec.NewExecutableSchema(exec.Config{Resolvers: silent{}}), Config{Timeout: time.Minute, Streams: 1,
			Around: func(ctx context.Context) context.Context { return ctx }})
		subscribe := func(ctx context.Context) (failed *gqlerror.Error) {
			const query = `subscription { twitPosted(username: "u") { id } }`
			for response := range e.execute(graphql.StartOperationTrace(ctx), &graphql.RawParams{Query: query}) {
				failed = response.Errors[0]
			}
			return failed
		}
		ctx, cancel := context.WithCancel(context.Background())
		for range subscriptionsEach {
			go subscribe(ctx)
		}
		synctest.Wait()
		failed := subscribe(ctx)
		if failed == nil || failed.Extensions["code"] != "LIMIT_EXCEEDED" ||
			failed.Extensions["retryAfterMs"] != int64(1000) {
			t.Errorf("one more subscription: got %+v, want LIMIT_EXCEEDED with retryAfterMs", failed)
		}
		cancel()
		synctest.Wait()
		ctx, cancel = context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if failed := subscribe(ctx); failed != nil {
			t.Errorf("a subscription after the others have ended: got %v", failed)
		}
	})
}
