package websocket

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/endpoint/answer"
	"twibase/graph/resume"
)

// operation is an operation that runs over a connection.
type operation struct {
	id     string
	cancel context.CancelFunc
}

// subscribe starts an operation.
func (c *conn) subscribe(m message) *closure {
	if !c.greeted {
		return &closure{codeUnauthorized, "Unauthorized: send connection_init first, and wait for connection_ack"}
	}
	params, wrong := m.params(c.headers, &c.server.Limits)
	if wrong != nil {
		return wrong
	}
	ctx, cancel := context.WithCancel(resume.WithID(graphql.StartOperationTrace(c.ctx), m.ID))
	op := &operation{m.ID, cancel}
	c.mu.Lock()
	_, twice := c.operations[m.ID]
	n, leaving := len(c.operations), c.leaving != nil
	if !twice && n < MaxOperations && !leaving {
		c.operations[m.ID] = op
	}
	c.mu.Unlock()
	switch {
	case twice:
		cancel()
		return &closure{codeDuplicate, "Subscriber for " + quoted(m.ID) + " already exists"}
	case leaving:
		cancel() // the connection is being closed
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
		if response == answer.Reconnect || response == answer.Expired {
			c.end(op, answer.Message{})
			return
		}
		if response.Data == nil && len(response.Errors) > 0 {
			c.end(op, failed(op.id, response.Errors))
			return
		}
		if ctx.Err() != nil {
			break
		}
		if !c.send(answer.Of(of(op.id, "next")+`,"payload":`, response, "}")) {
			break
		}
	}
	c.end(op, answer.Text(of(op.id, "complete")+"}"))
}

// failed returns the message that ends an operation with errors.
func failed(id string, errs gqlerror.List) answer.Message {
	return answer.Text(of(id, "error") + `,"payload":` + string(answer.Encode(errs)) + "}")
}

// of returns the beginning of a message about an operation.
func of(id, kind string) string {
	return `{"id":` + string(answer.Encode(id)) + `,"type":"` + kind + `"`
}

// end removes an operation that has ended, and sends its last message, unless that is empty or the
// client has stopped the operation. The id is free when the client receives that message, and the
// connection is not closed before.
func (c *conn) end(op *operation, last answer.Message) {
	c.mu.Lock()
	if c.operations[op.id] == op {
		delete(c.operations, op.id)
	} else {
		last = answer.Message{}
	}
	c.ending++
	c.mu.Unlock()
	if last.Len() > 0 {
		c.send(last)
	}
	c.mu.Lock()
	c.ending--
	leaving := c.leaving
	c.mu.Unlock()
	if leaving != nil {
		c.running.Go(func() { c.leave(leaving) })
	}
}

// stop ends an operation because the client has completed it.
func (c *conn) stop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if op := c.operations[id]; op != nil {
		delete(c.operations, id)
		op.cancel()
	}
}
