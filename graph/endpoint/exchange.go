package endpoint

import (
	"context"
	"iter"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/apierr"
	"twibase/graph/endpoint/sse"
	"twibase/graph/endpoint/transport"
	"twibase/graph/endpoint/websocket"
)

type exchange struct {
	*Endpoint
	w      http.ResponseWriter
	r      *http.Request
	ctx    context.Context
	accept accept
}

// serve turns a panic before the execution into status 500, a later one into an error of the
// response.
func (x *exchange) serve() {
	x.w.Header().Set("Content-Type", x.accept.contentType())
	defer func() {
		if panicked := recover(); panicked != nil {
			public, _ := apierr.Of(apierr.Recover(x.ctx, panicked))
			public.Write(x.w, http.StatusInternalServerError)
		}
	}()
	switch {
	case x.r.Method == http.MethodOptions:
		x.w.Header().Set("Allow", allow)
		x.w.Header().Del("Content-Type")
		x.w.WriteHeader(http.StatusNoContent)
	case x.accept.none():
		apierr.BadUserInput("the answer is %s or %s: accept one of them", mediaJSON, mediaGraphQL).
			Write(x.w, http.StatusNotAcceptable)
	case isShared(x.r):
		x.serveShared(x.w, x.r)
	default:
		x.operate()
	}
}

func (x *exchange) operate() {
	params, writeError := x.read(x.w, x.r)
	if writeError != nil {
		writeError(x.w)
		return
	}
	op, rejection, failed := x.begin(x.ctx, params)
	switch {
	case rejection != nil:
		rejection.Reject(x.w)
	case failed != nil:
		x.reject(failed)
	default:
		defer op.release()
		x.respond(op)
	}
}

func (x *exchange) respond(op *operation) {
	kind := op.Operation.Operation
	switch {
	case kind == ast.Mutation && x.r.Method != http.MethodPost:
		x.w.Header().Set("Allow", http.MethodPost)
		apierr.BadUserInput("GET is for queries alone: send a mutation by POST").Write(x.w, http.StatusMethodNotAllowed)
	case kind == ast.Subscription && x.r.Method == http.MethodHead: // an endless stream without a body
		x.w.Header().Set("Allow", "GET, POST")
		apierr.BadUserInput("HEAD is for queries alone: subscribe by GET or POST").Write(x.w, http.StatusMethodNotAllowed)
	case kind == ast.Subscription && !x.accept.events:
		apierr.BadUserInput("a subscription is answered with events: send Accept: %s, "+
			"or use a WebSocket with the subprotocol %s", sse.MediaType, websocket.Protocol).
			Write(x.w, http.StatusNotAcceptable)
	case kind == ast.Subscription:
		x.limitStreams(x.w, x.r, func() { x.sendEvents(op) })
	case x.accept.eventsFirst:
		x.sendEvents(op)
	default:
		// Compress of gateway/middleware buffers the response. So the operation holds its read
		// memory only until the response is in the buffer, not until the client has it.
		ctx, written := untilWritten(x.ctx)
		defer written()
		for response := range x.responses(ctx, op) {
			_ = transport.Write(x.w, response)
		}
	}
}

func (x *exchange) sendEvents(op *operation) {
	sse.Serve(x.ctx, x.w, x.config.Sending, func(ctx context.Context) iter.Seq[*graphql.Response] {
		return x.responses(ctx, op)
	})
}

// reject sends the errors of an operation that is not executed. Clients of the older media type
// need status 200, and some Apollo clients send the document of an unknown hash only then.
func (x *exchange) reject(errs *graphql.Response) {
	if x.accept.eventsFirst {
		sse.Serve(x.ctx, x.w, x.config.Sending, func(context.Context) iter.Seq[*graphql.Response] {
			return func(yield func(*graphql.Response) bool) { yield(errs) }
		})
		return
	}
	unknownHash := errs.Errors[0].Extensions["code"] == string(apierr.CodePersistedQueryNotFound)
	if x.accept.media != mediaJSON && !unknownHash {
		x.w.WriteHeader(http.StatusBadRequest)
	}
	_ = transport.Write(x.w, errs)
}
