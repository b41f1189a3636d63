package websocket

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/endpoint/answer"
	"twibase/graph/plan"
)

// operation is one that runs over a connection.
type operation struct {
	id     string
	cancel context.CancelFunc
}

// subscribe starts an operation.
func (c *conn) subscribe(m message) *closure {
	if !c.greeted {
		return &closure{codeUnauthorized, "Unauthorized"}
	}
	params, wrong := m.params(c.headers, &c.server.Limits)
	if wrong != nil {
		return wrong
	}
	ctx, cancel := context.WithCancel(graphql.StartOperationTrace(c.ctx))
	op := &operation{m.ID, cancel}
	c.mu.Lock()
	_, twice := c.operations[m.ID]
	n, leaving := len(c.operations), c.leaving
	if !twice && n < MaxOperations && !leaving {
		c.operations[m.ID] = op
	}
	c.mu.Unlock()
	switch {
	case twice:
		cancel()
		return &closure{codeDuplicate, "Subscriber for " + m.ID + " already exists"}
	case leaving:
		cancel() // the connection is about to be closed
	case n >= MaxOperations:
		cancel()
		refusal := apierr.LimitExceeded("the number of operations of a connection", MaxOperations, n+1)
		c.send(failed(m.ID, gqlerror.List{refusal.GraphQL()}))
	default:
		c.running.Go(func() { c.run(ctx, op, params) })
	}
	return nil
}

// run sends the responses of an operation.
func (c *conn) run(ctx context.Context, op *operation, params *graphql.RawParams) {
	defer op.cancel()
	for response := range c.server.Execute(ctx, params) {
		if response == answer.Elsewhere {
			c.forget(op)
			return
		}
		if response.Data == nil && len(response.Errors) > 0 {
			if c.forget(op) {
				c.send(failed(op.id, response.Errors))
			}
			return
		}
		if ctx.Err() != nil {
			break
		}
		text := append(append([]byte(`{"id":`), answer.Encode(op.id)...), `,"type":"next","payload":`...)
		text = append(answer.Append(text, response), '}')
		plan.Release(response.Data)
		c.send(text)
	}
	if c.forget(op) {
		c.send(append(append([]byte(`{"id":`), answer.Encode(op.id)...), `,"type":"complete"}`...))
	}
}

// failed is the message that an operation ends with errors.
func failed(id string, errs gqlerror.List) []byte {
	text := append(append([]byte(`{"id":`), answer.Encode(id)...), `,"type":"error","payload":`...)
	return append(append(text, answer.Encode(errs)...), '}')
}

// forget takes an operation away that has ended, and reports whether the client is to be told: not if it stopped the operation itself.
func (c *conn) forget(op *operation) (tell bool) {
	c.mu.Lock()
	tell = c.operations[op.id] == op
	if tell {
		delete(c.operations, op.id)
	}
	leaving := c.leaving
	c.mu.Unlock()
	if leaving {
		c.running.Go(c.leave)
	}
	return tell
}

// stop ends an operation for the client.
func (c *conn) stop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if op := c.operations[id]; op != nil {
		delete(c.operations, id)
		op.cancel()
	}
}
