package websocket

import (
	"context"
	"errors"
	"sync"
)

const (
	// maxOperations bounds the operations of a connection.
	maxOperations = 100
	// maxID bounds the id of a running operation, in bytes.
	maxID = 256
)

// Errors of operations.start.
var (
	errDuplicateID = errors.New("an operation with this id runs already")
	errTooMany     = errors.New("too many operations run over the connection")
	errClosing     = errors.New("the connection is being closed")
)

// operations has the running operations of a connection. The zero value has none. It is safe for
// concurrent use.
type operations struct {
	mu      sync.Mutex
	byID    map[string]*operation
	ending  int // whose last message is being sent
	closing bool
}

// operation is a running operation.
type operation struct {
	id     string
	cancel context.CancelFunc
}

// start registers an operation, and returns its ctx. The caller calls end.
func (o *operations) start(ctx context.Context, id string) (context.Context, *operation, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.byID[id] != nil:
		return nil, nil, errDuplicateID
	case o.closing:
		return nil, nil, errClosing
	case len(o.byID) >= maxOperations:
		return nil, nil, errTooMany
	case o.byID == nil:
		o.byID = map[string]*operation{}
	}
	ctx, cancel := context.WithCancel(ctx)
	op := &operation{id, cancel}
	o.byID[id] = op
	return ctx, op, nil
}

// stop cancels an operation that the client has completed. Its id becomes free.
func (o *operations) stop(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if op := o.byID[id]; op != nil {
		delete(o.byID, id)
		op.cancel()
	}
}

// end removes an ended operation, and calls last to send its last message unless the client has
// stopped it. The id is free before that message, but the connection is busy until it was sent.
// idle reports that close was called and no operation remains.
func (o *operations) end(op *operation, last func()) (idle bool) {
	if o.remove(op) {
		last()
	}
	op.cancel()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ending--
	return o.closing && o.idle()
}

// remove frees the id of an ending operation. It returns false if the client has stopped the
// operation.
func (o *operations) remove(op *operation) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ending++
	if o.byID[op.id] != op {
		return false
	}
	delete(o.byID, op.id)
	return true
}

// close refuses further operations, and reports whether none runs. Otherwise the last end reports
// it.
func (o *operations) close() (idle bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closing = true
	return o.idle()
}

func (o *operations) idle() bool { return len(o.byID)+o.ending == 0 }

// stopAll refuses further operations, and stops the running ones.
func (o *operations) stopAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closing = true
	for _, op := range o.byID {
		op.cancel()
	}
	clear(o.byID)
}
