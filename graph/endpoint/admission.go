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

const (
	// queueTimeout is how long an operation waits for a slot. After that most clients have given up.
	queueTimeout = time.Second
	// queuedPerSlot is how many operations may wait for each slot.
	queuedPerSlot = 4
)

// admission bounds how many operations are executed at a time. Some more wait for a slot; all
// others are rejected immediately. A server that accepts everything under overload answers no
// request in time, and its memory grows with the waiting ones.
type admission struct {
	slots chan struct{} // nil admits all
	// events are the slots for events of subscriptions, a quarter as many: one twit makes an event for each of
	// its subscribers.
	events   chan struct{}
	waiting  atomic.Int64
	rejected atomic.Int64
}

// newAdmission returns admission control with this number of slots, 0 for any number.
func newAdmission(slots int) *admission {
	a := &admission{}
	if slots > 0 {
		a.slots, a.events = make(chan struct{}, slots), make(chan struct{}, (slots+3)/4)
	}
	return a
}

// acquire waits for a slot for an operation, or rejects it. release gives the slot back; it may be called
// repeatedly.
func (a *admission) acquire(ctx context.Context) (release func(), rejection *apierr.Error) {
	if a.slots == nil {
		return func() {}, nil
	}
	if !a.wait(ctx) {
		return nil, a.reject()
	}
	// Go runs goroutines that other goroutines wake before those that the network wakes. Under overload operations
	// wake each other all the time, and new requests would wait for seconds to be read. So let those run first.
	runtime.Gosched()
	return sync.OnceFunc(func() { <-a.slots }), nil
}

// wait reports whether an operation got a slot.
func (a *admission) wait(ctx context.Context) bool {
	select {
	case a.slots <- struct{}{}:
		return true
	default:
	}
	defer a.waiting.Add(-1)
	if a.waiting.Add(1) > int64(queuedPerSlot*cap(a.slots)) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	select {
	case a.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// acquireEvent waits for a slot for an event until ctx is done: clients do not request an event
// again.
func (a *admission) acquireEvent(ctx context.Context) (release func(), err error) {
	if a.events == nil {
		return func() {}, nil
	}
	select {
	case a.events <- struct{}{}:
		return func() { <-a.events }, nil
	case <-ctx.Done():
		return nil, a.reject()
	}
}

// reject counts a rejected operation and returns its error.
func (a *admission) reject() *apierr.Error {
	a.rejected.Add(1)
	return &apierr.Error{Code: apierr.CodeUnavailable, Message: "the server is busy; try again later"}
}

// Overloaded reports whether the endpoint would reject a request now because too many operations wait. Requests
// that open a stream or belong to one are no operations; the operations of a stream wait like all others.
func (e *Endpoint) Overloaded(r *http.Request) bool {
	a := e.admission
	full := a.slots != nil && a.waiting.Load() >= int64(queuedPerSlot*cap(a.slots))
	return full && r.Method != http.MethodOptions && !websocket.Asked(r) && !shares(r)
}

// Reject answers a request for which Overloaded is true. It does not read the body, which may be
// slow.
func (e *Endpoint) Reject(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", accepted(r).contentType())
	traceOf(r.Context()).Rejected = true
	e.admission.reject().Reject(w)
}

// Load returns how many operations are being executed and wait now, and how many were rejected so far.
func (e *Endpoint) Load() (running, waiting, rejected int64) {
	a := e.admission
	return int64(len(a.slots)), a.waiting.Load(), a.rejected.Load()
}
