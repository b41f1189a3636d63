package endpoint

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
	"twibase/graph/auth"
)

func TestHeavyOperationsWaitForPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slots = 8
		e := newEndpoint(Config{Concurrency: slots})
		acquire := func(rows int64) (release func(), rejection *apierr.Error, waited time.Duration) {
			begun := time.Now()
			release, rejection = e.admission.acquire(t.Context())
			if rejection == nil {
				release, rejection = e.acquirePlaces(t.Context(), predict(rows), release)
			}
			return release, rejection, time.Since(begun)
		}
		first, rejection, waited := acquire(100 * rowsPerPlace) // all places
		if rejection != nil || waited > 0 {
			t.Fatalf("got %v after %v", rejection, waited)
		}
		if places := e.Places(); places != slots/2 {
			t.Errorf("%d places are in use, want %d", places, slots/2)
		}
		rejected := make(chan time.Duration, 100)
		admitted := make(chan func(), 100)
		for range 3 * slots {
			go func() {
				if release, rejection, waited := acquire(rowsPerPlace + 1); rejection != nil {
					rejected <- waited
				} else {
					admitted <- release
				}
			}()
		}
		synctest.Wait()
		if n := len(rejected); n != 3*slots-queuedPerSlot*slots/2 {
			t.Errorf("%d heavy operations are rejected at once", n)
		}
		for range slots - 1 {
			release, rejection, waited := acquire(rowsPerPlace)
			if rejection != nil || waited > 0 {
				t.Fatalf("another operation: got %v after %v", rejection, waited)
			}
			defer release()
		}
		first()
		first() // again, without effect
		synctest.Wait()
		if n := len(admitted); n != 1 {
			t.Errorf("%d heavy operations run in the only free slot, want 1", n)
		}
		if _, waiting, _ := e.Load(); waiting == 0 {
			t.Error("no operation waits for places")
		}
		time.Sleep(2 * queueTimeout)
		synctest.Wait()
		if n := len(rejected) + len(admitted); n != 3*slots {
			t.Errorf("%d heavy operations were admitted or rejected, want %d", n, 3*slots)
		}
		for range len(admitted) {
			(<-admitted)()
		}
		if running, waiting, _ := e.Load(); running != slots-1 || waiting != 0 || e.Places() != 0 {
			t.Errorf("%d run, %d wait, and %d places are in use", running, waiting, e.Places())
		}
		if !e.heavy.places.TryAcquire("", e.heavy.size) {
			t.Error("places are lost")
		}
	})
}

func predict(bound int64) prediction { return prediction{bound, new(atomic.Uint64)} }

func TestPredictionFollowsTheRowsRead(t *testing.T) {
	const bound = 100 * rowsPerPlace
	p := predict(bound)
	expect := func(what string, want int64) {
		t.Helper()
		if got := p.rows(); got != want {
			t.Errorf("%s: got %d, want %d", what, got, want)
		}
	}
	expect("an unknown operation", bound)
	prediction{rowsPerPlace, p.fraction}.learn(0)
	expect("a run that was not heavy", bound)
	p.learn(bound / 4)
	expect("a quarter", bound/4)
	prediction{bound / 2, p.fraction}.learn(bound / 2)
	expect("more rows count immediately", bound)
	p.learn(0)
	expect("fewer rows count slowly", bound*9/10)
	p.learn(2 * bound)
	expect("no more than the bound", bound)
	p = predict(bound)
	p.learn(0)
	expect("an operation that read nothing", bound/16)
}

// A run for a user without followers precedes runs for a user with many.
func TestOperationsThatReadLittleDoNotAdmitMany(t *testing.T) {
	const slots, bound = 64, 100_000
	e := newEndpoint(Config{Concurrency: slots})
	p := predict(bound)
	p.learn(1)
	running := 0
	for range slots {
		if e.heavy.places.TryAcquire("", e.heavy.weigh(p.rows())) {
			running++
		}
	}
	if running != 8 {
		t.Errorf("%d operations run, want 8: 32 places, and 4 for a sixteenth of 100,000 rows", running)
	}
}

func TestFailedOperationsAreNotLearned(t *testing.T) {
	const bound = 100 * rowsPerPlace
	e := newEndpoint(Config{Rows: func(context.Context) int64 { return 1 }})
	for username, want := range map[string]int64{"broken": bound, "nobody": bound / 16} {
		ctx := graphql.StartOperationTrace(t.Context())
		op, rejection, failed := e.begin(ctx, &graphql.RawParams{Query: `{ user(username: "` + username + `") { id } }`})
		if op == nil {
			t.Fatalf("%s: %v, %v", username, rejection, failed)
		}
		op.bound = bound
		for response := range e.responses(ctx, op) {
			if got := op.rows(); got != want {
				t.Errorf("after %+v: predicted %d rows, want %d", response, got, want)
			}
		}
	}
}

func TestClientAboveItsRowBudgetIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const perSecond = 10
		e := newEndpoint(Config{
			Rows: func(context.Context) int64 { return 130 }, RowBudget: auth.NewRows(perSecond, time.Now),
		})
		send := func(username string) *httptest.ResponseRecorder {
			w, r := httptest.NewRecorder(), post(`{"query":"{ __typename }"}`)
			e.ServeHTTP(w, r.WithContext(auth.WithViewer(r.Context(), auth.Viewer{Username: username})))
			return w
		}
		if w := send("greedy"); w.Code != http.StatusOK {
			t.Fatalf("the first operation: status %d: %s", w.Code, w.Body)
		}
		w := send("greedy")
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "3" ||
			!strings.Contains(w.Body.String(), `"code":"LIMIT_EXCEEDED","limit":10,"retryAfterMs":3000`) {
			t.Errorf("after 130 of 100 rows: status %d, Retry-After %q: %s", w.Code, w.Header().Get("Retry-After"), w.Body)
		}
		if w := send("modest"); w.Code != http.StatusOK {
			t.Errorf("another viewer: status %d: %s", w.Code, w.Body)
		}
		time.Sleep(3 * time.Second)
		if w := send("greedy"); w.Code != http.StatusOK {
			t.Errorf("after the wait: status %d: %s", w.Code, w.Body)
		}
		if n := e.Overdrawn(); n != 1 {
			t.Errorf("%d operations are counted, want 1", n)
		}
	})
}
