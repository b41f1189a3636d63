package websocket

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/endpoint/running"
	"twibase/graph/endpoint/transport"
	"twibase/graph/resume"
)

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
	op, err := c.operations.Start(m.ID, cancel)
	switch err {
	case nil:
		c.running.Go(func() {
			defer cancel()
			c.run(ctx, op, params)
		})
		return nil
	case running.ErrTaken:
		wrong = &closure{codeDuplicate, "Subscriber for " + quoted(m.ID) + " already exists"}
	case running.ErrMany:
		refusal := apierr.LimitExceeded("the number of operations of a connection", running.MaxOperations, running.MaxOperations+1)
		c.send(failed(m.ID, gqlerror.List{refusal.GraphQL()}))
	}
	cancel()
	return wrong
}

// run sends the responses of an operation.
func (c *conn) run(ctx context.Context, op *running.Operation, params *graphql.RawParams) {
	for response := range c.server.Execute(ctx, params) {
		if response == transport.Reconnect || response == transport.Expired {
			c.end(op, transport.Message{})
			return
		}
		if response.Data == nil && len(response.Errors) > 0 {
			c.end(op, failed(op.ID, response.Errors))
			return
		}
		if ctx.Err() != nil {
			break
		}
		if !c.send(transport.Of(of(op.ID, "next")+`,"payload":`, response, "}")) {
			break
		}
	}
	c.end(op, transport.Text(of(op.ID, "complete")+"}"))
}

// failed returns the message that ends an operation with errors.
func failed(id string, errs gqlerror.List) transport.Message {
	return transport.Text(of(id, "error") + `,"payload":` + string(transport.Encode(errs)) + "}")
}

// of returns the beginning of a message about an operation.
func of(id, kind string) string {
	return `{"id":` + string(transport.Encode(id)) + `,"type":"` + kind + `"`
}

// end ends an operation, and sends its last message, unless that is empty or the client has stopped the operation.
func (c *conn) end(op *running.Operation, last transport.Message) {
	idle := c.operations.End(op, func(stopped bool) {
		if !stopped && last.Len() > 0 {
			c.send(last)
		}
	})
	if idle {
		c.running.Go(func() { c.close(c.leaving.Load()) })
	}
}
