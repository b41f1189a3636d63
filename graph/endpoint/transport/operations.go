package transport

import (
	"context"
	"errors"
	"sync"
)

const (
	// MaxOperations bounds the operations of a connection.
	MaxOperations = 100
	// maxRunning bounds all operations that have not ended, also those that the client has stopped,
	// or whose last message is not yet sent: they stay while the client does not read.
	maxRunning = 2 * MaxOperations
	// MaxID bounds the id of an operation, in bytes.
	MaxID = 256
)

// Errors of [Operations.Start].
var (
	ErrDuplicateID = errors.New("an operation with this id runs already")
	ErrTooMany     = errors.New("too many operations run over the connection")
	ErrClosing     = errors.New("the connection is being closed")
)

// Operations are the operations of a WebSocket or a shared stream. The zero value is ready. It is
// safe for concurrent use.
type Operations struct {
	mu      sync.Mutex
	byID    map[string]*Operation
	running int // operations between Start and End
	closing bool
}

// Operation is a running operation.
type Operation struct {
	ID     string
	cancel context.CancelFunc
}

// Start registers an operation until End, and returns its ctx.
func (o *Operations) Start(ctx context.Context, id string) (context.Context, *Operation, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.byID[id] != nil:
		return nil, nil, ErrDuplicateID
	case o.closing:
		return nil, nil, ErrClosing
	case len(o.byID) >= MaxOperations, o.running >= maxRunning:
		return nil, nil, ErrTooMany
	case o.byID == nil:
		o.byID = map[string]*Operation{}
	}
	ctx, cancel := context.WithCancel(ctx)
	op := &Operation{id, cancel}
	o.byID[id] = op
	o.running++
	return ctx, op, nil
}

// Stop cancels an operation, and frees its id.
func (o *Operations) Stop(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if op := o.byID[id]; op != nil {
		delete(o.byID, id)
		op.cancel()
	}
}

// End removes an operation. Unless the client has stopped it, End calls last to send the last
// message. The id is free before that message, but the connection is busy until it was sent. idle
// means that Close was called, and no operation remains.
func (o *Operations) End(op *Operation, last func()) (idle bool) {
	if o.remove(op) {
		last()
	}
	op.cancel()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.running--
	return o.closing && o.running == 0
}

// remove returns false if the client has stopped the operation.
func (o *Operations) remove(op *Operation) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byID[op.ID] != op {
		return false
	}
	delete(o.byID, op.ID)
	return true
}

// Close rejects further operations, and reports whether none runs. Otherwise the last End reports
// idle.
func (o *Operations) Close() (idle bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closing = true
	return o.running == 0
}

// StopAll rejects further operations, and stops the running ones.
func (o *Operations) StopAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closing = true
	for _, op := range o.byID {
		op.cancel()
	}
	clear(o.byID)
}
