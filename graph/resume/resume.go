// Package resume lets a subscription continue where it stopped when the token of its viewer
// expired.
//
// The clients graphql-ws and graphql-sse react to an expired token by connecting again with a new
// one. They repeat the operation as it was, without saying what they have received. So the gateway
// keeps the subscription's position for a while, and gives it to the viewer's next operation with
// the same key: see [KeyOf].
//
// The endpoint makes an [Operation] for each subscription. The resolver starts at the position of
// [Operation.Resume], if there is one, and passes the position at which the token expired to
// [Operation.Expire]. The endpoint keeps it with [Operation.End] if every event before it was sent.
package resume

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"twibase/graph/auth"
)

// Grace is how long a subscription may take to send the events from before the token expired. After
// that nothing is sent, and no position is kept.
const Grace = 5 * time.Second

// Position is where a subscription stopped.
type Position interface {
	// Fork returns another position at the same place. The two are independent.
	Fork() Position
	// Close releases the position. It is called for positions that no operation continues from.
	Close()
}

// Key identifies what a client repeats when it connects again.
type Key [sha256.Size]byte

type (
	idKey        struct{}
	operationKey struct{}
)

// WithID returns a ctx for an operation with an id that the client chose, and uses again when it
// repeats the operation.
func WithID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, idKey{}, id)
}

// KeyOf returns the key of an operation in ctx: a hash of its viewer, id (if it has one), document,
// name and variables. ok is false if the operation can't be continued: its viewer is anonymous or
// has a token that never expires.
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

// Operation is a subscription of a viewer whose token expires. Its methods may be called
// concurrently. A nil Operation has no position and keeps none.
type Operation struct {
	window *Window
	key    Key
	viewer string

	mu       sync.Mutex
	expired  bool
	ended    bool
	position Position
}

// Start returns an operation, and a ctx for its resolver, which finds the operation by [Of].
func (w *Window) Start(ctx context.Context, key Key) (context.Context, *Operation) {
	viewer, _ := auth.ViewerOf(ctx)
	o := &Operation{window: w, key: key, viewer: viewer.Username}
	return context.WithValue(ctx, operationKey{}, o), o
}

// Of returns the operation of ctx, nil if there is none.
func Of(ctx context.Context) *Operation {
	o, _ := ctx.Value(operationKey{}).(*Operation)
	return o
}

// Resume returns the position to continue from, or nil if there is none. The caller must close it
// unless it continues from it.
func (o *Operation) Resume() Position {
	if o == nil {
		return nil
	}
	return o.window.take(o.key)
}

// Expire ends the operation because its token expired. position is where it stopped, and may be
// nil. The resolver calls it before it closes its channel.
func (o *Operation) Expire(position Position) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended && position != nil {
		position.Close()
		return
	}
	o.expired, o.position = true, position
}

// End reports whether the operation ended because its token expired. Its position is kept if all
// events before it were sent.
func (o *Operation) End(sent bool) (expired bool) {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	if position := o.position; position != nil {
		o.position = nil
		if sent {
			o.window.keep(o.key, o.viewer, position)
		} else {
			position.Close()
		}
	}
	return o.expired
}
