package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/google/go-cmp/cmp"

	"twibase/graph/apierr"
	"twibase/graph/exec"
	"twibase/graph/plan"
	"twibase/graph/plan/plantest"
	"twibase/graph/report"
	"twibase/hbase/tables"
)

type broadcast struct{ exec.ResolverRoot }

func (broadcast) Subscription() exec.SubscriptionResolver { return subscription{} }
func (broadcast) Twit() exec.TwitResolver                 { return twit{} }
func (broadcast) User() exec.UserResolver                 { return user{} }

type subscription struct{ exec.SubscriptionResolver }

func (subscription) TwitPosted(ctx context.Context, username string, _ *tables.ID) (<-chan *tables.Twit, error) {
	switch username {
	case "rejected":
		return nil, errors.New("no")
	case "panic":
		panic("at the subscription")
	}
	events := make(chan *tables.Twit)
	go func() {
		defer close(events)
		for _, twit := range []*tables.Twit{
			{
				AuthorName: username, Name: "1", Content: "a \"quoted\" line\n", PostedAt: time.UnixMilli(1),
				Visibility: tables.Public,
			},
			nil,
			{
				AuthorName: "broken", Name: "2", Content: "b", PostedAt: time.UnixMilli(2),
				PhotoURLs: []string{"http://x/y"}, Visibility: tables.FollowersOnly,
			},
		} {
			select {
			case events <- twit:
			case <-ctx.Done():
				return
			}
		}
		if username == "ended" {
			plan.End(ctx, errors.New("reconnect"))
		}
	}()
	return events, nil
}

type twit struct{ exec.TwitResolver }

func (twit) Author(_ context.Context, objs []*tables.Twit) ([]*tables.User, error) {
	if objs[0].AuthorName == "broken" {
		return nil, errors.New("author is unreadable")
	}
	return []*tables.User{{Username: objs[0].AuthorName, Name: new(string)}}, nil
}

type user struct{ exec.UserResolver }

func (user) TwitCount(ctx context.Context, objs []*tables.User) ([]*int, error) {
	number, _ := ctx.Value(numberKey{}).(int)
	return []*int{&number}, nil
}

type numberKey struct{}

type idle struct{}

func (idle) Start(int)            {}
func (idle) End()                 {}
func (idle) Await() map[any]error { return nil }

func newExecutor(schema graphql.ExecutableSchema, around ...graphql.ResponseMiddleware) *executor.Executor {
	e := executor.New(schema)
	e.SetRecoverFunc(func(_ context.Context, p any) error { return fmt.Errorf("panic %v", p) })
	number := 0
	e.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		number++
		return next(context.WithValue(ctx, numberKey{}, number))
	})
	for _, middleware := range around {
		e.AroundResponses(middleware)
	}
	e.Use(plan.Events{})
	return e
}

func responses(t *testing.T, e *executor.Executor, query string) (all []string) {
	t.Helper()
	ctx := graphql.StartOperationTrace(t.Context())
	params := &graphql.RawParams{Query: query, Headers: map[string][]string{report.Header: {"1"}}}
	op, errs := e.CreateOperationContext(ctx, params)
	if errs != nil {
		t.Fatal(errs)
	}
	respond, ctx := e.DispatchOperation(ctx, op)
	for response := respond(ctx); response != nil; response = respond(ctx) {
		text, err := json.Marshal(response)
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, string(text)); len(all) > 9 {
			t.Fatal("more than 9 responses")
		}
	}
	return all
}

func TestEventDataIsNotReused(t *testing.T) {
	const query = `subscription{twitPosted(username:"a"){id content ...@defer(if:false){title}}}`
	for _, test := range []struct {
		name, query string
		schema      graphql.ExecutableSchema
	}{
		{"plan", query, planned()},
		{"gqlgen", query, stock()},
		{"plan with @defer", strings.Replace(query, "false", "true", 1), planned()},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := newExecutor(test.schema)
			ctx := graphql.StartOperationTrace(t.Context())
			op, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: test.query})
			if errs != nil {
				t.Fatal(errs)
			}
			respond, ctx := e.DispatchOperation(ctx, op)
			var data []json.RawMessage
			var before []string
			for response := respond(ctx); response != nil && len(data) < 3; response = respond(ctx) {
				data, before = append(data, response.Data), append(before, string(response.Data))
			}
			if len(data) != 3 {
				t.Fatalf("%d events, want 3", len(data))
			}
			for i := range data {
				if string(data[i]) != before[i] {
					t.Errorf("event %d changed from %s to %s", i, before[i], data[i])
				}
			}
		})
	}
}

func planned() graphql.ExecutableSchema {
	return exec.NewPlannedSchema(exec.Config{Resolvers: broadcast{}}, noTasks)
}

func stock() graphql.ExecutableSchema {
	return plantest.Gqlgen(exec.NewExecutableSchema(exec.Config{Resolvers: broadcast{}}), nil)
}

func TestEventsMatchGqlgen(t *testing.T) {
	for _, test := range []struct{ name, query string }{
		{"fields without resolvers", `subscription{twitPosted(username:"a"){id content title photoUrls visibility postedAt __typename}}`},
		{"an alias of the event", `subscription{x:twitPosted(username:"a"){content}}`},
		{"resolvers have the ctx of the response", `subscription{twitPosted(username:"a"){content author{username twitCount}}}`},
		{"fragments", `subscription{...S} fragment S on Subscription{twitPosted(username:"a"){...T ...on Node{id}}} fragment T on Twit{a:author{name}}`},
		{"the resolver returns an error", `subscription{twitPosted(username:"rejected"){content}}`},
		{"the resolver panics", `subscription{x:twitPosted(username:"panic"){content}}`},
		{"an empty id", `subscription{twitPosted(username:"a",after:""){content}}`},
		{"no field", `subscription{twitPosted(username:"a")@skip(if:true){content}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			gqlgen := responses(t, newExecutor(stock()), test.query)
			plan := responses(t, newExecutor(planned()), test.query)
			if diff := cmp.Diff(withoutPaths(gqlgen), withoutPaths(plan)); diff != "" {
				t.Errorf("(-gqlgen +plan):\n%s", diff)
			}
			if len(gqlgen) == 0 {
				t.Error("no response")
			}
		})
	}
}

// withoutPaths removes paths and locations: gqlgen's executor omits the event's field in paths.
func withoutPaths(responses []string) []string {
	paths := regexp.MustCompile(`,"(path|locations)":\[[^]]*\]`)
	for i := range responses {
		responses[i] = paths.ReplaceAllString(responses[i], "")
	}
	return responses
}

func TestEventErrorPath(t *testing.T) {
	all := responses(t, newExecutor(planned()), `subscription{x:twitPosted(username:"a"){content a:author{name}}}`)
	want := `{"errors":[{"message":"author is unreadable","path":["x","a"],"locations":[{"line":1,"column":49}]}],"data":{"x":{"content":"b","a":null}}}`
	if len(all) != 3 || all[2] != want {
		t.Errorf("got %q", all)
	}
}

func TestEndSendsLastError(t *testing.T) {
	all := responses(t, newExecutor(planned()), `subscription{twitPosted(username:"ended"){content}}`)
	if len(all) != 4 || all[3] != `{"errors":[{"message":"reconnect"}],"data":null}` {
		t.Errorf("got %q", all)
	}
}

func TestEachEventHasItsReport(t *testing.T) {
	reported := 0
	reports := report.Middleware(func(ctx context.Context) func() []report.Level {
		reported++
		number := ctx.Value(numberKey{}).(int)
		return func() []report.Level { return make([]report.Level, number) }
	}, 0)
	for i, text := range responses(t, newExecutor(planned(), reports), `subscription{twitPosted(username:"a"){content}}`) {
		var response struct {
			Extensions struct{ Report report.Report }
		}
		if err := json.Unmarshal([]byte(text), &response); err != nil {
			t.Fatal(err)
		}
		if r := response.Extensions.Report; r.Rounds != i+1 || r.Executor != "plan" {
			t.Errorf("event %d: %s", i, text)
		}
	}
	if reported != 3 {
		t.Errorf("%d reports, want 3", reported)
	}
}

func TestSubscriptionEndsWithItsContext(t *testing.T) {
	e := newExecutor(planned())
	ctx, cancel := context.WithCancel(graphql.StartOperationTrace(t.Context()))
	op, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: `subscription{twitPosted(username:"a"){content}}`})
	if errs != nil {
		t.Fatal(errs)
	}
	respond, ctx := e.DispatchOperation(ctx, op)
	if respond(ctx) == nil {
		t.Fatal("no event")
	}
	cancel()
	if response := respond(ctx); response != nil {
		t.Errorf("a response after the cancellation: %s", response.Data)
	}
}

func TestIsEventIsFalseForTheLastError(t *testing.T) {
	var events []bool
	responses(t, newExecutor(planned(), func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		events = append(events, plan.IsEvent(ctx))
		return next(ctx)
	}), `subscription{twitPosted(username:"ended"){content}}`)
	if diff := cmp.Diff([]bool{true, true, true, false}, events); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSubscriptionNeedsExactlyOneField(t *testing.T) {
	for _, query := range []string{
		`subscription{a:twitPosted(username:"a"){content} b:twitPosted(username:"a"){content}}`,
		`subscription{twitPosted(username:"a")@skip(if:true){content}}`,
	} {
		e := newExecutor(planned())
		e.SetErrorPresenter(apierr.Present)
		want := []string{`{"errors":[{"message":"must subscribe to exactly one stream","extensions":{"code":"BAD_USER_INPUT"}}],"data":null}`}
		if diff := cmp.Diff(want, responses(t, e, query)); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", query, diff)
		}
	}
}
