// Package resume lets a subscription continue where it stopped when the token of its viewer
// expired.
//
// The clients graphql-ws and graphql-sse react to an expired token by connecting again with a new
// one. They repeat the operation as it was, without saying what they have received. So the gateway
// keeps the subscription's position for a while, and gives it to the viewer's next operation with
// the same key: see [KeyOf].
//
// The endpoint makes an [Operation] for each subscription. The resolver starts at the position of
// [Operation.Resume], if there is one, stops when [Operation.Expiry] is closed, and passes its
// position to [Operation.Expire]. The endpoint keeps it with [Operation.End] if every event before
// it was sent.
//
// An operation that continued, and ends before its first event was sent, was of no use to the
// client: its connection failed again. [Operation.Stop] puts its position back.
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
	// MoveTo moves the position back to an earlier one of an operation with the same key.
	MoveTo(earlier Position)
	// Rewind moves the position back to where its last operation resumed. No event was sent since.
	Rewind()
	// Close releases the position. It is called for positions that no operation continues from.
	Close()
}

// Key identifies what a client repeats when it connects again.
type Key [sha256.Size]byte

type (
	idKey        struct{}
	operationKey struct{}
	endKey       struct{}
)

// WithID returns a ctx for an operation with an id that the client chose, and uses again when it
// repeats the operation.
func WithID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, idKey{}, id)
}

// WithEnd returns a ctx for an operation that ends with end, as if its token had expired then.
func WithEnd(ctx, end context.Context) context.Context {
	return context.WithValue(ctx, endKey{}, end)
}

// KeyOf returns the key of an operation in ctx: of its viewer, its id if it has one, its document,
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

// Operation is a subscription. Its methods may be called concurrently.
type Operation struct {
	window  *Window
	key     Key // zero if no position is kept
	viewer  string
	expiry  context.Context // ends when the operation expires
	release context.CancelFunc

	mu       sync.Mutex
	until    time.Time // until when the position that was resumed is kept if no event is sent
	sent     bool      // whether an event was sent
	expired  bool
	ended    bool
	position Position
}

// Start returns an operation, and a ctx for its resolver, which finds the operation by [Of]. The
// caller calls [Operation.End]. The zero key is that of an operation that can't be continued.
func (w *Window) Start(ctx context.Context, key Key) (context.Context, *Operation) {
	viewer, _ := auth.ViewerOf(ctx)
	o := &Operation{window: w, key: key, viewer: viewer.Username}
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

// Of returns the operation of ctx. Without one, it returns a new one that can't be continued.
func Of(ctx context.Context) *Operation {
	o, ok := ctx.Value(operationKey{}).(*Operation)
	if !ok {
		_, o = new(Window).Start(ctx, Key{})
	}
	return o
}

// Resume returns the position to continue from, or nil if there is none. The caller must close it
// unless it continues from it.
func (o *Operation) Resume() Position {
	position, until := o.window.take(o.key)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.until = until
	return position
}

// Expiry returns a channel that is closed when the token of the operation expires, or the operation
// is to end as if it had: see [WithEnd].
func (o *Operation) Expiry() <-chan struct{} {
	return o.expiry.Done()
}

// Sent notes that an event was sent.
func (o *Operation) Sent() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = true
}

// Expire ends the operation because Expiry is closed. It stopped at the position, which may be nil. The resolver calls
// it, or Stop, before it closes its channel.
func (o *Operation) Expire(position Position) { o.stop(position, true) }

// Stop ends the operation for another reason, such as the end of its connection.
func (o *Operation) Stop(position Position) { o.stop(position, false) }

func (o *Operation) stop(position Position, expired bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.position = position
	if o.ended {
		o.settle(false)
	} else {
		o.expired = expired
	}
}

// settle keeps the position, or closes it. current says that every event before it was sent. The
// caller holds mu.
func (o *Operation) settle(current bool) {
	position := o.position
	o.position = nil
	now := time.Now()
	switch {
	case position == nil:
	case o.key == Key{}:
		position.Close()
	case current:
		if expires, ok := o.expiry.Deadline(); ok && expires.Before(now) {
			now = expires
		}
		o.window.keep(o.key, o.viewer, position, now.Add(Keep))
	case !o.sent && now.Before(o.until):
		position.Rewind()
		o.window.keep(o.key, o.viewer, position, o.until)
	default:
		position.Close()
	}
}

// End reports whether the operation ended because its token expired. Its position is kept if all
// events before it were sent. The second call does nothing.
func (o *Operation) End(sent bool) (expired bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.release()
	o.settle(sent && o.expired)
	return o.expired
}
