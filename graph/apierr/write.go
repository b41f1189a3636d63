package apierr

import (
	"encoding/json"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Write answers an HTTP request with the error alone, as GraphQL has it. The content type is application/json unless one is set.
func (e *Error) Write(w http.ResponseWriter, status int) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]gqlerror.List{"errors": {e.GraphQL()}})
}

// Reject answers an HTTP request with status 503: another server may accept it now, or this one in a second.
func (e *Error) Reject(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	e.Write(w, http.StatusServiceUnavailable)
}

// GraphQL returns the error as clients see it, at no path.
func (e *Error) GraphQL() *gqlerror.Error {
	return &gqlerror.Error{Message: e.Message, Extensions: e.extensions()}
}
