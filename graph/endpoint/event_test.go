package endpoint

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/auth"
	"twibase/graph/endpoint/sse"
	"twibase/graph/exec"
	"twibase/graph/plan"
	"twibase/hbase/tables"
)

// posted has subscriptions of one event, which takes eventTime.
type posted struct{ root }

const eventTime = 100 * time.Millisecond

func (posted) Subscription() exec.SubscriptionResolver { return postings{} }
func (posted) Twit() exec.TwitResolver                 { return slowTwit{} }

type postings struct{ exec.SubscriptionResolver }

func (postings) TwitPosted(context.Context, string, *tables.ID) (<-chan *tables.Twit, error) {
	events := make(chan *tables.Twit, 1)
	events <- new(tables.Twit)
	close(events)
	return events, nil
}

type slowTwit struct{ exec.TwitResolver }

func (slowTwit) Author(ctx context.Context, objs []*tables.Twit) ([]*tables.User, error) {
	select {
	case <-time.After(eventTime):
		return []*tables.User{{Username: "a"}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type noTasks struct{}

func (noTasks) Start(int)            {}
func (noTasks) End()                 {}
func (noTasks) Await() map[any]error { return nil }

type eventFixture struct {
	*testing.T
	endpoint *Endpoint
}

// withEvents runs a test with an endpoint with four event slots.
func withEvents(t *testing.T, test func(f *eventFixture)) {
	synctest.Test(t, func(t *testing.T) {
		schema := exec.NewPlannedSchema(exec.Config{Resolvers: posted{}},
			func(context.Context) plan.Tasks { return noTasks{} })
		test(&eventFixture{t, New(schema, Config{Concurrency: 16, Timeout: 3 * eventTime / 2,
			Around: func(ctx context.Context) context.Context { return ctx }})})
	})
}

// subscribe returns the number of events, which must have no errors, and when the subscription
// ended.
func (f *eventFixture) subscribe(ctx context.Context, viewer string) (n int, took time.Duration) {
	begin := time.Now()
	ctx = graphql.StartOperationTrace(auth.WithViewer(ctx, auth.Viewer{Username: viewer}))
	const query = `subscription { twitPosted(username: "a") { author { username } } }`
	for response := range f.endpoint.execute(ctx, &graphql.RawParams{Query: query}) {
		const want = `{"twitPosted":{"author":{"username":"a"}}}`
		if n++; string(response.Data) != want || len(response.Errors) > 0 {
			f.Errorf("got %s, errors %v, want %s", response.Data, response.Errors, want)
		}
	}
	return n, time.Since(begin)
}

func (f *eventFixture) subscribeAll(viewer string, subscriptions int) {
	for range subscriptions {
		go func() {
			if n, _ := f.subscribe(f.Context(), viewer); n != 1 {
				f.Errorf("%d events of %s, want 1", n, viewer)
			}
		}()
		synctest.Wait()
	}
}

func TestHeadDoesNotSubscribe(t *testing.T) {
	withEvents(t, func(f *eventFixture) {
		for method, want := range map[string]int{http.MethodHead: 405, http.MethodGet: 200} {
			r := with(get(`subscription { twitPosted(username: "a") { id } }`, ""), "Accept", sse.MediaType)
			r.Method = method
			w := httptest.NewRecorder()
			f.endpoint.ServeHTTP(w, r)
			if allow := w.Header().Get("Allow"); w.Code != want || (allow == "GET, POST") != (want == 405) {
				f.Errorf("%s: status %d, want %d; Allow: %q", method, w.Code, want, allow)
			}
		}
	})
}

func TestEventSlotsAreShared(t *testing.T) {
	withEvents(t, func(f *eventFixture) {
		f.subscribeAll("a", 400)
		if n, took := f.subscribe(f.Context(), "b"); n != 1 || took > 2*eventTime {
			f.Errorf("%d events of another client after %v, want one after at most %v", n, took, 2*eventTime)
		}
		time.Sleep(time.Minute)
	})
}

func TestEventWaitsLongerThanTheTimeoutOfAResponse(t *testing.T) {
	withEvents(t, func(f *eventFixture) {
		f.subscribeAll("a", 16)
		if n, took := f.subscribe(f.Context(), "a"); n != 1 || took != 5*eventTime {
			f.Errorf("%d events after %v, want one after %v", n, took, 5*eventTime)
		}
	})
}

func TestEventsDoNotTakeTheSlotsOfOperations(t *testing.T) {
	withEvents(t, func(f *eventFixture) {
		f.subscribeAll("a", 100)
		begin, ctx := time.Now(), auth.WithViewer(f.Context(), auth.Viewer{Username: "a"})
		for range 16 {
			release, rejection := f.endpoint.admission.acquire(ctx)
			if rejection != nil {
				f.Fatal(rejection)
			}
			defer release()
		}
		if waited := time.Since(begin); waited > 0 {
			f.Errorf("16 operations waited %v", waited)
		}
		time.Sleep(time.Minute)
	})
}

func TestEventIsNotExecutedAfterTheSubscription(t *testing.T) {
	withEvents(t, func(f *eventFixture) {
		f.subscribeAll("a", 4)
		ctx, cancel := context.WithTimeout(f.Context(), eventTime/2)
		defer cancel()
		if n, took := f.subscribe(ctx, "a"); n != 0 || took != eventTime/2 {
			f.Errorf("%d events after %v, want none after %v", n, took, eventTime/2)
		}
		time.Sleep(time.Minute)
		if used, waiting := f.endpoint.admission.events.Load(); used != 0 || waiting != 0 {
			f.Errorf("%d slots are in use, %d events wait", used, waiting)
		}
	})
}
