package endpoint

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"twibase/graph/apierr"
	"twibase/graph/endpoint/websocket"
)

// patience is how long an operation waits for its turn. Who asked has mostly gone by then.
const patience = time.Second

// waitersEach is how many operations may wait for each that is executed.
const waitersEach = 4

// admission lets so many operations be executed at the same time, has a few more wait, and sends the rest away at once: a server that takes all
// that comes serves nobody in time, and its memory grows with what waits.
type admission struct {
	running chan struct{} // nil admits all
	// events are the events of subscriptions that are executed, a quarter of what running has room for: one twit makes as many as it has subscribers.
	events  chan struct{}
	waiting atomic.Int64
	refused atomic.Int64
}

func newAdmission(most int) *admission {
	a := &admission{}
	if most > 0 {
		a.running, a.events = make(chan struct{}, most), make(chan struct{}, (most+3)/4)
	}
	return a
}

// enter waits for the turn of an operation. leave ends it, and may be called again.
func (a *admission) enter(ctx context.Context) (leave func(), refusal *apierr.Error) {
	if a.running == nil {
		return func() {}, nil
	}
	if !a.wait(ctx) {
		return nil, a.refuse()
	}
	// Go runs what goroutines wake before what the network wakes. Operations wake each other without end where too many come, and these would wait for
	// seconds to be so much as read: so who has a turn goes behind who has come.
	runtime.Gosched()
	return sync.OnceFunc(func() { <-a.running }), nil
}

// wait reports whether an operation got its turn.
func (a *admission) wait(ctx context.Context) bool {
	select {
	case a.running <- struct{}{}:
		return true
	default:
	}
	defer a.waiting.Add(-1)
	if a.waiting.Add(1) > int64(waitersEach*cap(a.running)) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case a.running <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// turn waits for the turn of an event: for as long as ctx lasts, since nobody would ask again.
func (a *admission) turn(ctx context.Context) (leave func(), err error) {
	if a.events == nil {
		return func() {}, nil
	}
	select {
	case a.events <- struct{}{}:
		return func() { <-a.events }, nil
	case <-ctx.Done():
		return nil, a.refuse()
	}
}

// crowded reports whether an operation would be refused now.
func (a *admission) crowded() bool {
	return a.running != nil && a.waiting.Load() >= int64(waitersEach*cap(a.running))
}

func (a *admission) refuse() *apierr.Error {
	a.refused.Add(1)
	return &apierr.Error{Code: apierr.CodeUnavailable, Message: "the server is busy; try again later"}
}

// Crowded reports whether a request would be refused now since too many operations wait. What is about a stream or opens one is not: it is no operation,
// and those over it wait like all others.
func (e *Endpoint) Crowded(r *http.Request) bool {
	return e.admission.crowded() && r.Method != http.MethodOptions && !websocket.Asked(r) && !shares(r)
}

// SendAway refuses a request for which Crowded is true. It does not read the body, which may take long.
func (e *Endpoint) SendAway(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", accepted(r).contentType())
	busy(r.Context(), w, e.admission.refuse())
}

// busy answers a request that was not admitted.
func busy(ctx context.Context, w http.ResponseWriter, refusal *apierr.Error) {
	traceOf(ctx).SentAway = true
	refusal.SendAway(w)
}

// Load is how many operations are executed and wait now, and how many were sent away since the start.
func (e *Endpoint) Load() (running, waiting, refused int64) {
	a := e.admission
	return int64(len(a.running)), a.waiting.Load(), a.refused.Load()
}
