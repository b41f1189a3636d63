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

func TestDocumentsAndVariablesPerAddressAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(exec.NewExecutableSchema(exec.Config{Resolvers: silent{}}), Config{Timeout: time.Minute, Streams: 1,
			Around: func(ctx context.Context) context.Context { return ctx }})
		const inline = `subscription { twitPosted(username: "u") { id } } # `
		const variable = `subscription($u: String!) { twitPosted(username: $u) { id } }`
		x := strings.Repeat("x", textEach/2)
		subscribe := func(ctx context.Context, params graphql.RawParams) (message string) {
			for response := range e.execute(graphql.StartOperationTrace(ctx), &params) {
				message = response.Errors[0].Message
			}
			return message
		}
		ctx, cancel := context.WithCancel(context.Background())
		document := graphql.RawParams{Query: inline + x}
		go subscribe(ctx, document)
		synctest.Wait()
		for name, params := range map[string]graphql.RawParams{
			"document": document,
			"variable": {Query: variable, Variables: map[string]any{"u": x[:len(inline+x)-len(variable)-len("u")-1]}},
		} {
			const want = "the size of the documents and variables of all subscriptions of an address, in bytes, " +
				"is limited to 4096, and this is 4200"
			if got := subscribe(ctx, params); got != want {
				t.Errorf("second subscription with a long %s: got %q, want %q", name, got, want)
			}
		}
		cancel()
		synctest.Wait()
		ctx, cancel = context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if got := subscribe(ctx, document); got != "" {
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
