package transport

import (
	"context"
	"errors"
	"sync"
)

const (
	// MaxOperations is the maximum number of operations that run over a connection.
	MaxOperations = 100
	// MaxID is the maximum length of an operation's id in bytes. The id is kept while the operation runs.
	MaxID = 256
)

// Errors of [Operations.Start].
var (
	ErrTaken   = errors.New("an operation with this id runs already")
	ErrMany    = errors.New("too many operations run over the connection")
	ErrClosing = errors.New("the connection is being closed")
)

// Operations has the operations that run over a connection: a WebSocket or a shared stream of events. The zero value
// has none. It is safe for concurrent use.
type Operations struct {
	mu      sync.Mutex
	byID    map[string]*Operation
	ending  int // ended operations whose last message is being sent
	closing bool
}

// Operation is an operation that runs over a connection.
type Operation struct {
	ID     string
	cancel context.CancelFunc
}

// Start registers an operation, and returns its ctx. The caller calls End.
func (o *Operations) Start(ctx context.Context, id string) (context.Context, *Operation, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.byID[id] != nil:
		return nil, nil, ErrTaken
	case o.closing:
		return nil, nil, ErrClosing
	case len(o.byID) >= MaxOperations:
		return nil, nil, ErrMany
	case o.byID == nil:
		o.byID = map[string]*Operation{}
	}
	ctx, cancel := context.WithCancel(ctx)
	op := &Operation{id, cancel}
	o.byID[id] = op
	return ctx, op, nil
}

// Stop cancels an operation, because the client has completed it. Its id is free.
func (o *Operations) Stop(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if op := o.byID[id]; op != nil {
		delete(o.byID, id)
		op.cancel()
	}
}

// End removes an operation that has ended. It calls last, which sends the last message, unless the client has stopped
// the operation. The id is free when the client receives that message, and the connection is not idle before. End
// reports whether the connection can be closed: it is idle, and Close was called.
func (o *Operations) End(op *Operation, last func()) (idle bool) {
	if o.remove(op) {
		last()
	}
	op.cancel()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ending--
	return o.closing && o.idle()
}

// remove frees the id of an operation that is ending, and reports whether the client has not stopped it.
func (o *Operations) remove(op *Operation) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ending++
	if o.byID[op.ID] != op {
		return false
	}
	delete(o.byID, op.ID)
	return true
}

// Close refuses further operations, and reports whether none runs. Otherwise the last call of End reports that.
func (o *Operations) Close() (idle bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closing = true
	return o.idle()
}

func (o *Operations) idle() bool { return len(o.byID)+o.ending == 0 }

// Drop refuses further operations, and stops all that run.
func (o *Operations) Drop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closing = true
	for _, op := range o.byID {
		op.cancel()
	}
	clear(o.byID)
}
