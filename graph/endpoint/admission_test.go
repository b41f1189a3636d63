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

	"twibase/graph/endpoint/sse"
	"twibase/graph/exec"
)

func TestAdmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(2)
		enter := func(ctx context.Context) (leave func(), waited time.Duration) {
			start := time.Now()
			leave, refusal := a.acquire(ctx)
			if (leave == nil) != (refusal != nil) {
				t.Errorf("admitted %t, and refused with %v", leave != nil, refusal)
			}
			return leave, time.Since(start)
		}
		first, waited := enter(t.Context())
		if second, also := enter(t.Context()); first == nil || second == nil || waited+also > 0 {
			t.Fatalf("two are not admitted at once: they wait %v and %v", waited, also)
		}

		admitted, rejected := make(chan func(), queuedPerSlot*2), make(chan time.Duration, queuedPerSlot*2)
		for range queuedPerSlot * 2 {
			go func() {
				if leave, waited := enter(t.Context()); leave != nil {
					admitted <- leave
				} else {
					rejected <- waited
				}
			}()
		}
		synctest.Wait()
		if leave, waited := enter(t.Context()); leave != nil || waited > 0 {
			t.Errorf("one too many waits %v, and is admitted: %t", waited, leave != nil)
		}
		first()
		first() // a second time, which is nothing
		synctest.Wait()
		select {
		case leave := <-admitted:
			defer leave()
		default:
			t.Error("nobody takes the turn of who left")
		}
		time.Sleep(queueTimeout)
		synctest.Wait()
		if n := len(rejected); n != queuedPerSlot*2-1 {
			t.Errorf("%d ran into the timeout", n)
		}
		for range len(rejected) {
			if waited := <-rejected; waited != queueTimeout {
				t.Errorf("one waited %v", waited)
			}
		}

		gone, leave := context.WithCancel(t.Context())
		leave()
		if leave, waited := enter(gone); leave != nil || waited > 0 {
			t.Errorf("who has gone waits %v, and is admitted: %t", waited, leave != nil)
		}
		if n := a.waiting.Load(); n != 0 {
			t.Errorf("%d wait for ever", n)
		}
	})
}

func TestEventsWaitForAsLongAsTheyLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(5)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		first, _ := a.acquireEvent(ctx)
		if _, err := a.acquireEvent(ctx); first == nil || err != nil {
			t.Fatalf("a quarter of five is not two: %v", err)
		}
		executed := make(chan time.Duration)
		start := time.Now()
		for range 2 {
			go func() {
				if _, err := a.acquireEvent(ctx); err == nil {
					executed <- time.Since(start)
				} else {
					executed <- -time.Since(start)
				}
			}()
		}
		for range 5 {
			if leave, refusal := a.acquire(ctx); refusal != nil {
				t.Error("requests wait for events")
			} else {
				defer leave()
			}
		}
		time.Sleep(30 * time.Second)
		first()
		if waited := <-executed; waited != 30*time.Second {
			t.Errorf("one waited %v", waited)
		}
		if waited := <-executed; waited != -time.Minute {
			t.Errorf("the other is refused after %v", -waited)
		}
	})
}

func TestWithoutABoundAllAreAdmitted(t *testing.T) {
	a := newAdmission(0)
	for range 100 {
		if _, refusal := a.acquire(t.Context()); refusal != nil {
			t.Fatal(refusal)
		}
		if _, err := a.acquireEvent(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// unread is a body that nobody may read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

func TestWhereTooManyWaitABodyIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(exec.NewExecutableSchema(exec.Config{Resolvers: root{}}), Config{Timeout: time.Minute, Concurrency: 1,
			Around: func(ctx context.Context) context.Context { return ctx }})
		leave, _ := e.admission.acquire(t.Context())
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
		synctest.Wait() // until the others have lost theirs
		leave()
		w = httptest.NewRecorder()
		e.ServeHTTP(w, post(`{"query":"{ __typename }"}`))
		if _, _, refused := e.Load(); w.Code != http.StatusOK || refused != 1+queuedPerSlot {
			t.Errorf("status %d: %s; %d were sent away", w.Code, w.Body, refused)
		}
	})
}

func TestWhereTooManyWaitStreamsAreOpenedAndServedAsBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(exec.NewExecutableSchema(exec.Config{Resolvers: root{}}), Config{Timeout: time.Minute, Concurrency: 1})
		leave, _ := e.admission.acquire(t.Context())
		defer leave()
		for name, test := range map[string]struct {
			asked *http.Request
			want  bool
		}{
			"an operation":                      {post(`{"query":"{ __typename }"}`), true},
			"one by GET":                        {httptest.NewRequest(http.MethodGet, "/graphql?query={__typename}", nil), true},
			"a subscription":                    {with(post(`{"query":"subscription { a }"}`), "Accept", sse.MediaType), true},
			"what is allowed":                   {httptest.NewRequest(http.MethodOptions, "/graphql", nil), false},
			"a WebSocket":                       {with(httptest.NewRequest(http.MethodGet, "/graphql", nil), "Upgrade", "websocket"), false},
			"a shared stream that is reserved":  {httptest.NewRequest(http.MethodPut, "/graphql", nil), false},
			"a shared stream that is opened":    {with(httptest.NewRequest(http.MethodGet, "/graphql", nil), sse.TokenHeader, "T"), false},
			"an operation over a shared stream": {with(post(`{"query":"{ __typename }"}`), sse.TokenHeader, "T"), false},
		} {
			if e.Overloaded(test.asked) {
				t.Errorf("%s is refused though nobody waits", name)
			}
			for range queuedPerSlot {
				go e.admission.acquire(t.Context())
			}
			synctest.Wait()
			if got := e.Overloaded(test.asked); got != test.want {
				t.Errorf("%s: refused is %t", name, got)
			}
			time.Sleep(queueTimeout)
			synctest.Wait()
		}
	})
}

// Operations hand their turns to each other here, and never wait for anything else: so there is always one that can go on.
func TestWhoHasATurnGoesBehindWhoHasCome(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const operations, comers = 5, 20
	a := newAdmission(1)
	var stop atomic.Bool
	var executed atomic.Int64
	var all sync.WaitGroup
	for range operations {
		all.Go(func() {
			for !stop.Load() {
				if leave, refusal := a.acquire(t.Context()); refusal == nil {
					executed.Add(1)
					leave()
				}
			}
		})
	}
	before := executed.Load()
	for range comers {
		runtime.Gosched() // puts this one where the network's are put
	}
	each := float64(executed.Load()-before) / comers
	stop.Store(true)
	all.Wait()
	if each > 2*operations {
		t.Errorf("%.1f operations go before one who has come", each)
	}
}

// stuck is a client that reads nothing until read is closed.
type stuck struct {
	*httptest.ResponseRecorder
	read chan struct{}
}

func (s stuck) Write(text []byte) (int, error) {
	<-s.read
	return s.ResponseRecorder.Write(text)
}

func TestWhoReadsSlowlyKeepsNobodyWaiting(t *testing.T) {
	const query = `{"query":"{ __typename }","extensions":{"operationId":"1"}}`
	for name, asked := range map[string]func(e *Endpoint, read chan struct{}){
		"an answer": func(e *Endpoint, read chan struct{}) {
			e.ServeHTTP(stuck{httptest.NewRecorder(), read}, post(query))
		},
		"an answer of events": func(e *Endpoint, read chan struct{}) {
			e.ServeHTTP(stuck{httptest.NewRecorder(), read}, with(post(query), "Accept", sse.MediaType))
		},
		"a refusal": func(e *Endpoint, read chan struct{}) {
			e.ServeHTTP(stuck{httptest.NewRecorder(), read}, ask("{ nothing }"))
		},
		"a stream of events that is reserved": func(e *Endpoint, _ chan struct{}) {
			reserved := httptest.NewRecorder()
			e.ServeHTTP(reserved, httptest.NewRequest(http.MethodPut, "/graphql", nil))
			e.ServeHTTP(httptest.NewRecorder(), with(post(query), sse.TokenHeader, reserved.Body.String()))
		},
		"a WebSocket": func(e *Endpoint, read chan struct{}) {
			for range e.execute(graphql.StartOperationTrace(context.Background()), &graphql.RawParams{Query: "{ __typename }"}) {
				<-read
			}
		},
		"what a WebSocket refuses": func(e *Endpoint, read chan struct{}) {
			for range e.execute(graphql.StartOperationTrace(context.Background()), &graphql.RawParams{Query: "{ nothing }"}) {
				<-read
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := New(exec.NewExecutableSchema(exec.Config{Resolvers: root{}}), Config{Timeout: time.Minute, Concurrency: 1,
					Around: func(ctx context.Context) context.Context { return ctx }})
				read := make(chan struct{})
				go asked(e, read)
				synctest.Wait()
				next := httptest.NewRecorder()
				e.ServeHTTP(next, post(query))
				if next.Code != http.StatusOK || !strings.Contains(next.Body.String(), `"Query"`) {
					t.Errorf("the next one is answered with status %d: %s", next.Code, next.Body)
				}
				close(read)
				time.Sleep(time.Minute) // until streams that nobody opened are forgotten
			})
		})
	}
}
