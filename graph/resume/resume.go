// Package resume continues a subscription whose token expired.
//
// Clients repeat the operation with a new token, but without a position. So the gateway keeps the
// position for a minute, and resumes the viewer's next operation with the same [Key]
// (docs/SUBSCRIPTIONS.md):
//
//	endpoint   Start                                                                 End
//	             │                                                                    ▲
//	resolver     └─► Resume ─► events, until Expiry is closed ─► Stop(position) ──────┘
//
// If the token expired, the position after the last event that was sent is kept. If the operation
// ends otherwise, nothing is kept. There is one exception: a resumed operation that has sent no
// event keeps the position where it resumed, until that position's minute ends.
package resume

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"twibase/graph/auth"
)

// Grace is the time to send the events from before the expiry of the token. Events that are unsent
// then are sent when the subscription resumes.
const Grace = 5 * time.Second

// Position is a position in the events of a subscription.
type Position interface {
	// MoveTo moves the position back to that of an earlier operation.
	MoveTo(earlier Position)
	// Rewind moves the position back to just after the first events that the operation sent.
	Rewind(sent int)
	// Close releases an unused position.
	Close()
}

// Key identifies an operation: see [KeyOf].
type Key [sha256.Size]byte

type (
	idKey        struct{}
	operationKey struct{}
	endKey       struct{}
)

// WithID sets the client's id of the operation.
func WithID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, idKey{}, id)
}

// WithEnd makes an operation expire when the context end is done.
func WithEnd(ctx, end context.Context) context.Context {
	return context.WithValue(ctx, endKey{}, end)
}

// KeyOf hashes the viewer, id, document, name and variables of an operation. ok is false if the
// viewer is anonymous, or the token never expires.
func KeyOf(ctx context.Context, document, name string, variables map[string]any) (key Key, ok bool) {
	viewer, known := auth.ViewerOf(ctx)
	if _, expires := auth.ExpiryOf(ctx); !known || !expires {
		return Key{}, false
	}
	id, _ := ctx.Value(idKey{}).(string)
	text, err := json.Marshal([]any{viewer, id, document, name, variables})
	if err != nil {
		return Key{}, false
	}
	return sha256.Sum256(text), true
}

// Operation is a subscription, safe for concurrent use.
type Operation struct {
	positions *Positions
	key       Key
	viewer    string
	expiry    context.Context
	release   context.CancelFunc

	mu       sync.Mutex
	until    time.Time // when the resumed position expires
	sent     int       // events
	ended    bool
	expired  bool
	position Position
}

// Start returns an operation and the ctx of its resolver. The zero key can't be resumed. The caller
// calls End.
func (p *Positions) Start(ctx context.Context, key Key) (context.Context, *Operation) {
	viewer, _ := auth.ViewerOf(ctx)
	o := &Operation{positions: p, key: key, viewer: viewer.Username}
	end, ok := ctx.Value(endKey{}).(context.Context)
	if !ok {
		end = context.Background()
	}
	if expires, ok := auth.ExpiryOf(ctx); ok {
		o.expiry, o.release = context.WithDeadline(end, expires)
	} else {
		o.expiry, o.release = context.WithCancel(end)
	}
	return context.WithValue(ctx, operationKey{}, o), o
}

// Of returns the operation of ctx, or a new one that can't be resumed.
func Of(ctx context.Context) *Operation {
	o, ok := ctx.Value(operationKey{}).(*Operation)
	if !ok {
		_, o = new(Positions).Start(ctx, Key{})
	}
	return o
}

// Resume returns the position at which the operation resumes, or nil. A caller that does not resume
// there must close the position.
func (o *Operation) Resume() Position {
	position, until := o.positions.take(o.key)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.until = until
	return position
}

// Expiry is closed when the token expires, the context of [WithEnd] is done, or the operation ends.
func (o *Operation) Expiry() <-chan struct{} { return o.expiry.Done() }

// Sent records that an event was sent.
func (o *Operation) Sent() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent++
}

// Stop records the position at which the resolver stopped because the operation expired or its ctx
// is done.
func (o *Operation) Stop(position Position) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.position = position; o.ended {
		o.keepOrClose()
	}
}

// keepOrClose applies the rules of the package comment. The caller holds mu.
func (o *Operation) keepOrClose() {
	position := o.position
	o.position = nil
	now := time.Now()
	switch {
	case position == nil:
	case o.key == Key{}:
		position.Close()
	case o.expired:
		position.Rewind(o.sent)
		if expires, ok := o.expiry.Deadline(); ok && expires.Before(now) {
			now = expires
		}
		o.positions.keep(o.key, o.viewer, position, now.Add(TTL))
	case o.sent == 0 && now.Before(o.until):
		position.Rewind(0)
		o.positions.keep(o.key, o.viewer, position, o.until)
	default:
		position.Close()
	}
}

// End ends the operation, and reports whether the resolver has stopped at a position. expired is
// false if the client, a lost connection or a shutdown ended it. Later calls return false.
func (o *Operation) End(expired bool) (stopped bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return false
	}
	o.ended, o.expired = true, expired
	o.release()
	stopped = o.position != nil
	o.keepOrClose()
	return stopped
}
