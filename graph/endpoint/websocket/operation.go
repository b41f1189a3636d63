package websocket

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/endpoint/transport"
	"twibase/graph/resume"
)

func (c *conn) subscribe(id string, params *graphql.RawParams) *closeReason {
	if !c.initialized {
		return &closeReason{codeUnauthorized, "Unauthorized: send connection_init first, and wait for connection_ack"}
	}
	ctx, op, err := c.operations.Start(resume.WithID(graphql.StartOperationTrace(c.ctx), id), id)
	switch err {
	case nil:
		c.running.Go(func() { c.run(ctx, op, params) })
	case transport.ErrDuplicateID:
		return &closeReason{codeDuplicate, "Subscriber for " + quoted(id) + " already exists"}
	case transport.ErrTooMany:
		const limit = transport.MaxOperations
		rejection := apierr.LimitExceeded("the number of operations of a connection", limit, limit+1)
		c.send(failed(id, gqlerror.List{rejection.GraphQL()}))
	}
	return nil
}

func (c *conn) run(ctx context.Context, op *transport.Operation, params *graphql.RawParams) {
	last := []byte(messageHead(op.ID, "complete") + "}")
	for response := range c.server.Execute(ctx, params) {
		if response == transport.Reconnect || response == transport.Expired {
			last = nil
			break
		}
		if response.Data == nil && len(response.Errors) > 0 {
			last = failed(op.ID, response.Errors)
			break
		}
		if ctx.Err() != nil || !c.send(transport.Message(messageHead(op.ID, "next")+`,"payload":`, response, "}")) {
			break
		}
	}
	idle := c.operations.End(op, func() {
		if last != nil {
			c.send(last)
		}
	})
	if why := c.draining.Load(); idle && why != nil && c.alive.Err() == nil {
		c.running.Go(func() { c.close(why) })
	}
}

func failed(id string, errs gqlerror.List) []byte {
	return []byte(messageHead(id, "error") + `,"payload":` + string(transport.Encode(errs)) + "}")
}

func messageHead(id, kind string) string {
	return `{"id":` + string(transport.Encode(id)) + `,"type":"` + kind + `"`
}
