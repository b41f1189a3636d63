package endpoint

import (
	"context"
	"math"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/endpoint/websocket"
	"twibase/graph/plan"
	"twibase/hbase/fair"
)

const (
	// queueTimeout bounds the wait for a slot. Most clients give up later.
	queueTimeout  = time.Second
	queuedPerSlot = 4
	// slotReserve limits a client to 1/(1+5) of the slots while other clients send requests:
	// running operations compete for the processors and the store. docs/LIMITS.md has the latencies
	// during attacks.
	slotReserve = 5
	// placeReserve likewise limits a client that already holds places to 1/(1+1) of all places. One
	// screen may need several heavy operations.
	placeReserve = 1
	// eventReserve limits a client that already holds event slots to 1/(1+1) of them.
	eventReserve = 1
)

type admission struct {
	slots *fair.Semaphore // nil admits all
	// events are separate slots, a quarter as many, for subscription events: one twit is an event
	// for each subscriber.
	events   *fair.Semaphore
	rejected atomic.Int64
}

func newAdmission(slots int) *admission {
	a := new(admission)
	if slots > 0 {
		a.slots = fair.New(int64(slots), slotReserve, queuedPerSlot*slots)
		a.events = fair.New(int64(slots+3)/4, eventReserve, math.MaxInt)
	}
	return a
}

// acquire's release may be called repeatedly.
func (a *admission) acquire(ctx context.Context) (release func(), rejection *apierr.Error) {
	if a.slots == nil {
		return func() {}, nil
	}
	client := auth.ClientOf(ctx)
	if !a.slots.Acquire(ctx, client, 1, queueTimeout) {
		return nil, a.reject()
	}
	// Yield to goroutines that wait for the network. Go's scheduler prefers goroutines that others
	// wake: under overload, operations wake each other, and new requests would wait for seconds.
	runtime.Gosched()
	return sync.OnceFunc(func() { a.slots.Release(client, 1) }), nil
}

// eventSlot holds a slot while an event is executed. It waits without a timeout, because a client
// can't request an event again, and returns nil if ctx is done first.
func (a *admission) eventSlot(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if a.events != nil && plan.IsEvent(ctx) {
		client := auth.ClientOf(ctx)
		if !a.events.Acquire(ctx, client, 1, math.MaxInt64) {
			return nil
		}
		defer a.events.Release(client, 1)
	}
	return next(ctx)
}

const (
	// Bodies and messages of at most shortBody bytes need no share of parsedBytes.
	shortBody = 16 << 10
	// parsedBytes bounds the total length of longer ones being parsed, because parsing takes
	// several times their length in memory. At most waitingParsed wait, each up to queueTimeout.
	parsedBytes   = 16 << 20
	waitingParsed = 16
	parsedReserve = 1
)

func (e *Endpoint) acquireParsing(ctx context.Context, bytes int) (release func(), rejection *apierr.Error) {
	if bytes <= shortBody {
		return func() {}, nil
	}
	client := auth.ClientOf(ctx)
	if !e.parsing.Acquire(ctx, client, int64(bytes), queueTimeout) {
		return nil, e.admission.reject()
	}
	return func() { e.parsing.Release(client, int64(bytes)) }, nil
}

func (a *admission) reject() *apierr.Error {
	a.rejected.Add(1)
	return &apierr.Error{Code: apierr.CodeUnavailable, Message: "the server is busy; try again later"}
}

// Overloaded reports whether the endpoint would now reject r because of its load. For WebSockets
// and shared streams it is false, because their operations are rejected instead.
func (e *Endpoint) Overloaded(r *http.Request) bool {
	slots := e.admission.slots
	full := slots != nil && slots.Full(auth.ClientOf(r.Context()))
	return full && r.Method != http.MethodOptions && !websocket.IsHandshake(r) && !isShared(r)
}

// Reject rejects a request without reading the body, which may be slow.
func (e *Endpoint) Reject(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", accepted(r).contentType())
	traceOf(r.Context()).Rejected = true
	e.admission.reject().Reject(w)
}

// Load returns the numbers of running and waiting operations, and of rejections so far, including
// bodies and messages, but not those of [Endpoint.Overdrawn].
func (e *Endpoint) Load() (running, waiting, rejected int64) {
	a := e.admission
	if a.slots == nil {
		return 0, 0, a.rejected.Load()
	}
	running, queued := a.slots.Load()
	_, heavy := e.heavy.places.Load()
	return running, int64(queued + heavy), a.rejected.Load()
}

// Places returns the places that running heavy operations hold.
func (e *Endpoint) Places() int64 {
	if e.heavy.places == nil {
		return 0
	}
	places, _ := e.heavy.places.Load()
	return places
}

func (e *Endpoint) limitStreams(w http.ResponseWriter, r *http.Request, serve func()) {
	if remove, ok := e.admit(w, r); ok {
		defer remove()
		serve()
	}
}

// admit counts a stream for the client's address until remove is called, or rejects the request.
func (e *Endpoint) admit(w http.ResponseWriter, r *http.Request) (remove func(), ok bool) {
	address := auth.AddressOf(r.Context())
	n, ok := e.streams.add(address, 1)
	if !ok {
		w.Header().Set("Retry-After", "30")
		apierr.LimitExceeded("the number of WebSockets and event streams of an address", e.streams.limit, n).
			Write(w, http.StatusTooManyRequests)
		return nil, false
	}
	return func() { e.streams.remove(address, 1) }, true
}

// The documents and variables of an address's subscriptions may have textEach bytes for each stream
// that the address may have. A subscription keeps its parsed document and its variables.
const textEach = 4 << 10

// An address may have subscriptionsEach subscriptions for each stream that it may have. Each list
// with a subscriber is polled.
const subscriptionsEach = 4

type perAddress struct {
	limit  int // 0 for no limit
	mu     sync.Mutex
	counts map[string]int
}

// add changes nothing if the sum exceeds the limit.
func (p *perAddress) add(address string, n int) (all int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if all = p.counts[address] + n; p.limit > 0 && all > p.limit {
		return all, false
	}
	if p.counts == nil {
		p.counts = map[string]int{}
	}
	p.counts[address] = all
	return all, true
}

func (p *perAddress) remove(address string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts[address] -= n; p.counts[address] == 0 {
		delete(p.counts, address)
	}
}
