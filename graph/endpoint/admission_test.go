package endpoint

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/auth"
	"twibase/graph/endpoint/sse"
)

func TestOperationsBeyondSlotsAndQueueAreRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(2)
		acquire := func(ctx context.Context) (release func(), waited time.Duration) {
			start := time.Now()
			release, rejection := a.acquire(ctx)
			if (release == nil) != (rejection != nil) {
				t.Errorf("admitted is %t, and the rejection %v", release != nil, rejection)
			}
			return release, time.Since(start)
		}
		first, waited := acquire(t.Context())
		if second, also := acquire(t.Context()); first == nil || second == nil || waited+also > 0 {
			t.Fatalf("two operations waited %v and %v, want no wait", waited, also)
		}

		admitted, rejected := make(chan func(), queuedPerSlot*2), make(chan time.Duration, queuedPerSlot*2)
		for range queuedPerSlot * 2 {
			go func() {
				if release, waited := acquire(t.Context()); release != nil {
					admitted <- release
				} else {
					rejected <- waited
				}
			}()
		}
		synctest.Wait()
		if release, waited := acquire(t.Context()); release != nil || waited > 0 {
			t.Errorf("an operation above the limit: waited %v, admitted %t", waited, release != nil)
		}
		first()
		first() // again, without effect
		synctest.Wait()
		select {
		case release := <-admitted:
			defer release()
		default:
			t.Error("no waiting operation got the released slot")
		}
		time.Sleep(queueTimeout)
		synctest.Wait()
		if n := len(rejected); n != queuedPerSlot*2-1 {
			t.Errorf("%d operations timed out, want %d", n, queuedPerSlot*2-1)
		}
		for range len(rejected) {
			if waited := <-rejected; waited != queueTimeout {
				t.Errorf("an operation waited %v, want %v", waited, queueTimeout)
			}
		}

		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if release, waited := acquire(gone); release != nil || waited > 0 {
			t.Errorf("a cancelled operation: waited %v, admitted %t", waited, release != nil)
		}
		if _, n := a.slots.Load(); n != 0 {
			t.Errorf("%d operations wait, want none", n)
		}
	})
}

func TestNextSlotIsForTheClientWithFewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slots = 20
		a := newAdmission(slots)
		client := func(name string) context.Context { return auth.WithViewer(t.Context(), auth.Viewer{Username: name}) }
		finish := make(chan struct{})
		defer synctest.Wait()
		defer close(finish)
		var running []func()
		for range slots {
			release, _ := a.acquire(client("greedy"))
			running = append(running, release)
		}
		for range queuedPerSlot * slots {
			go func() {
				if release, rejection := a.acquire(client("greedy")); rejection == nil {
					<-finish
					release()
				}
			}()
		}
		synctest.Wait()
		admitted := make(chan struct{})
		go func() {
			release, rejection := a.acquire(client("modest"))
			if rejection != nil {
				t.Errorf("another client is rejected: %v", rejection)
				return
			}
			close(admitted)
			release()
		}()
		synctest.Wait()
		running[0]()
		synctest.Wait()
		select {
		case <-admitted:
		default:
			t.Error("another client does not get the first released slot")
		}
		for _, release := range running[1:] {
			release()
		}
		synctest.Wait()
		if n, _ := a.slots.Load(); n != slots/(1+slotReserve) {
			t.Errorf("the client with many holds %d slots, want %d", n, slots/(1+slotReserve))
		}
		if _, rejection := a.acquire(client("third")); rejection != nil {
			t.Errorf("a third client is rejected: %v", rejection)
		}
	})
}

// The embedded store has at least 16 slots.
func TestClientWithASlowOperationGetsAnotherSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(16)
		at := func(address string) (ctx context.Context) {
			r := httptest.NewRequest(http.MethodGet, "/graphql", nil)
			r.RemoteAddr = address + ":1"
			auth.Proxies(nil).Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				ctx = r.Context()
			})).ServeHTTP(httptest.NewRecorder(), r)
			return ctx
		}
		for _, other := range []string{"192.0.2.2", "192.0.2.3", "192.0.2.2", "192.0.2.3"} {
			release, _ := a.acquire(at(other))
			defer release()
		}
		slow, _ := a.acquire(at("192.0.2.1"))
		defer slow()
		start := time.Now()
		release, rejection := a.acquire(at("192.0.2.1"))
		if rejection != nil || time.Since(start) > 0 {
			t.Fatalf("a second operation waited %v, rejection %v; 11 of 16 slots are free", time.Since(start), rejection)
		}
		release()
	})
}

func TestZeroConcurrencyAdmitsAll(t *testing.T) {
	a := newAdmission(0)
	for range 100 {
		if _, rejection := a.acquire(t.Context()); rejection != nil {
			t.Fatal(rejection)
		}
	}
}

func TestOperationBeyondALimitKeepsItsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(Config{Concurrency: 1, Around: func(ctx context.Context) context.Context {
			return context.WithValue(ctx, nameKey{}, new(string))
		}})
		took := func(query string) time.Duration {
			begun, w := time.Now(), httptest.NewRecorder()
			e.ServeHTTP(w, ask(query))
			if strings.Contains(w.Body.String(), "LIMIT_EXCEEDED") != strings.Contains(query, "first") {
				t.Errorf("%s: %s", query, w.Body)
			}
			return time.Since(begun)
		}
		beyond := `{user(username:"a"){followers(first:100000){totalCount}}}`
		for _, test := range []struct {
			query string
			want  time.Duration
		}{
			{`{user(username:"a"){username}}`, 0},
			{`{user(username:"broken"){username}}`, 0},
			{beyond, 0}, // its own response is not delayed
			{`{user(username:"a"){username}}`, limitPenalty},
			{`{user(username:"a"){username}}`, 0},
			{beyond, 0},
			{beyond, limitPenalty},
		} {
			if got := took(test.query); got != test.want {
				t.Errorf("%s took %v, want %v", test.query, got, test.want)
			}
		}
		time.Sleep(limitPenalty)
		synctest.Wait()
		if running, _, _ := e.Load(); running != 0 {
			t.Errorf("%d slots are in use", running)
		}
	})
}

type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

func TestOverloadRejectsWithoutReadingTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(Config{Concurrency: 1})
		release, _ := e.admission.acquire(t.Context())
		for range queuedPerSlot {
			go e.admission.acquire(t.Context())
		}
		synctest.Wait()
		var trace Trace
		r := httptest.NewRequest(http.MethodPost, "/graphql", unread{t}).WithContext(WithTrace(t.Context(), &trace))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" || !trace.Rejected {
			t.Errorf("status %d, %v: %s; traced: %+v", w.Code, w.Header(), w.Body, trace)
		}
		time.Sleep(queueTimeout)
		synctest.Wait() // until the waiting operations have timed out
		release()
		w = httptest.NewRecorder()
		e.ServeHTTP(w, post(`{"query":"{ __typename }"}`))
		if _, _, rejected := e.Load(); w.Code != http.StatusOK || rejected != 1+queuedPerSlot {
			t.Errorf("status %d: %s; %d were rejected", w.Code, w.Body, rejected)
		}
	})
}

func TestOverloadDoesNotAffectStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(Config{Concurrency: 1})
		release, _ := e.admission.acquire(t.Context())
		defer release()
		for name, test := range map[string]struct {
			request *http.Request
			want    bool
		}{
			"an operation":   {post(`{"query":"{ __typename }"}`), true},
			"a GET":          {httptest.NewRequest(http.MethodGet, "/graphql?query={__typename}", nil), true},
			"a subscription": {with(post(`{"query":"subscription { a }"}`), "Accept", sse.MediaType), true},
			"OPTIONS":        {httptest.NewRequest(http.MethodOptions, "/graphql", nil), false},
			"a WebSocket": {with(httptest.NewRequest(http.MethodGet, "/graphql", nil), "Upgrade",
				"websocket"), false},
			"a shared stream that is reserved": {httptest.NewRequest(http.MethodPut, "/graphql", nil), false},
			"a shared stream that is opened": {with(httptest.NewRequest(http.MethodGet, "/graphql", nil), sse.TokenHeader,
				"T"), false},
			"an operation over a shared stream": {with(post(`{"query":"{ __typename }"}`), sse.TokenHeader, "T"), false},
		} {
			if e.Overloaded(test.request) {
				t.Errorf("%s is rejected although no operation waits", name)
			}
			for range queuedPerSlot {
				go e.admission.acquire(t.Context())
			}
			synctest.Wait()
			if got := e.Overloaded(test.request); got != test.want {
				t.Errorf("%s: rejected is %t, want %t", name, got, test.want)
			}
			time.Sleep(queueTimeout)
			synctest.Wait()
		}
	})
}

// The operations wait only for the slot, so one of them can always run.
func TestNewRequestsRunBeforeAdmittedOperations(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const operations, newRequests = 5, 20
	a := newAdmission(1)
	var stop atomic.Bool
	var executed atomic.Int64
	var all sync.WaitGroup
	for range operations {
		all.Go(func() {
			for !stop.Load() {
				if release, rejection := a.acquire(t.Context()); rejection == nil {
					executed.Add(1)
					release()
				}
			}
		})
	}
	before := executed.Load()
	for range newRequests {
		runtime.Gosched() // like a goroutine that waits for the network
	}
	each := float64(executed.Load()-before) / newRequests
	stop.Store(true)
	all.Wait()
	if each > 2*operations {
		t.Errorf("%.1f operations run before a new request, want at most %d", each, 2*operations)
	}
}

func TestSlowReaderHoldsNoSlot(t *testing.T) {
	const query = `{"query":"{ __typename }","extensions":{"operationId":"1"}}`
	for name, request := range map[string]func(e *Endpoint, read chan struct{}){
		"a response": func(e *Endpoint, read chan struct{}) {
			e.ServeHTTP(writerFunc{httptest.NewRecorder(), func() { <-read }}, post(query))
		},
		"events": func(e *Endpoint, read chan struct{}) {
			e.ServeHTTP(writerFunc{httptest.NewRecorder(), func() { <-read }}, with(post(query), "Accept", sse.MediaType))
		},
		"a rejection": func(e *Endpoint, read chan struct{}) {
			e.ServeHTTP(writerFunc{httptest.NewRecorder(), func() { <-read }}, ask("{ nothing }"))
		},
		"a reserved stream": func(e *Endpoint, _ chan struct{}) {
			reserved := httptest.NewRecorder()
			e.ServeHTTP(reserved, httptest.NewRequest(http.MethodPut, "/graphql", nil))
			e.ServeHTTP(httptest.NewRecorder(), with(post(query), sse.TokenHeader, reserved.Body.String()))
		},
		"a WebSocket": func(e *Endpoint, read chan struct{}) {
			ctx := graphql.StartOperationTrace(context.Background())
			for range e.execute(ctx, &graphql.RawParams{Query: "{ __typename }"}) {
				<-read
			}
		},
		"an error over a WebSocket": func(e *Endpoint, read chan struct{}) {
			ctx := graphql.StartOperationTrace(context.Background())
			for range e.execute(ctx, &graphql.RawParams{Query: "{ nothing }"}) {
				<-read
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEndpoint(Config{Concurrency: 1})
				read := make(chan struct{})
				go request(e, read)
				synctest.Wait()
				next := httptest.NewRecorder()
				e.ServeHTTP(next, post(query))
				if next.Code != http.StatusOK || !strings.Contains(next.Body.String(), `"Query"`) {
					t.Errorf("the next request has status %d: %s", next.Code, next.Body)
				}
				close(read)
				time.Sleep(time.Minute) // until unopened streams are removed
			})
		})
	}
}
