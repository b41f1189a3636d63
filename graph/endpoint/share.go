package endpoint

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
	"twibase/graph/endpoint/sse"
	"twibase/graph/endpoint/transport"
	"twibase/graph/resume"
)

func isShared(r *http.Request) bool {
	return r.Method == http.MethodPut || r.Method == http.MethodDelete || r.Header.Get(sse.TokenHeader) != ""
}

var noStream = &apierr.Error{
	Code:    apierr.CodeNotFound,
	Message: "there is no such stream at this gateway: reserve one by PUT",
}

// serveShared serves shared streams: see docs/SUBSCRIPTIONS.md. Other origins need a preflight,
// because a header names the stream.
func (e *Endpoint) serveShared(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		if remove, ok := e.admit(w, r); ok {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, e.shared.Reserve(remove))
		}
		return
	}
	stream := e.shared.Find(r.Header.Get(sse.TokenHeader))
	switch {
	case stream == nil:
		noStream.Write(w, http.StatusNotFound)
	case r.Method == http.MethodGet && accepted(r).events:
		if !stream.Serve(r.Context(), w) {
			apierr.BadUserInput("the stream is open already").Write(w, http.StatusConflict)
		}
	case r.Method == http.MethodPost:
		e.runOver(stream, w, r)
	case r.Method == http.MethodDelete:
		stream.Stop(r.URL.Query().Get("operationId"))
		w.WriteHeader(http.StatusOK)
	case r.Method == http.MethodGet:
		apierr.BadUserInput("a stream is opened with Accept: %s", sse.MediaType).Write(w, http.StatusNotAcceptable)
	default:
		w.Header().Set("Allow", "GET, POST, PUT, DELETE")
		apierr.BadUserInput("a stream is reserved by PUT, opened by GET, used by POST, "+
			"and an operation of it ended by DELETE").Write(w, http.StatusMethodNotAllowed)
	}
}

// runOver sends errors of the operation to the stream, and errors of the request in the HTTP
// response.
func (e *Endpoint) runOver(stream *sse.Stream, w http.ResponseWriter, r *http.Request) {
	params, writeError := e.read(w, r)
	if writeError != nil {
		writeError(w)
		return
	}
	id, _ := params.Extensions["operationId"].(string)
	if id == "" || len(id) > transport.MaxID {
		apierr.BadUserInput("extensions.operationId must be a text of 1 to %d bytes", transport.MaxID).
			Write(w, http.StatusBadRequest)
		return
	}
	ctx := resume.WithID(graphql.StartOperationTrace(r.Context()), id)
	responses := func(ctx context.Context) iter.Seq[*graphql.Response] { return e.execute(ctx, params) }
	switch err := stream.Run(ctx, id, responses); {
	case errors.Is(err, transport.ErrClosing):
		noStream.Write(w, http.StatusNotFound)
	case errors.Is(err, transport.ErrDuplicateID):
		apierr.BadUserInput("%s", err).Write(w, http.StatusConflict)
	case errors.Is(err, transport.ErrTooMany):
		const limit = transport.MaxOperations
		apierr.LimitExceeded("the number of operations of a stream", limit, limit+1).Write(w, http.StatusTooManyRequests)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}
