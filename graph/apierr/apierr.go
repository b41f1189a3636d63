// Package apierr is the whole error policy: which errors clients see, and what of them. An [Error] is public, with a stable code;
// everything else is "internal error" to clients, and its cause is logged.
package apierr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/plan"
)

// Code is the stable `extensions.code` of an error.
type Code string

// The codes.
const (
	// CodeBadUserInput is a request that can't be served as it is: the client must mend it.
	CodeBadUserInput Code = "BAD_USER_INPUT"
	// CodeUnauthenticated is a token that is missing where one is needed, or is not accepted.
	CodeUnauthenticated Code = "UNAUTHENTICATED"
	// CodeForbidden is something that the viewer may not do.
	CodeForbidden Code = "FORBIDDEN"
	// CodeNotFound is something to be changed that does not exist. A read answers null instead.
	CodeNotFound Code = "NOT_FOUND"
	// CodeLimitExceeded is a request that asks for too much, or a number that is too great for its type. The extensions `limit` and `actual` say how much.
	CodeLimitExceeded Code = "LIMIT_EXCEEDED"
	// CodeTimeout is a request that took too long.
	CodeTimeout Code = "TIMEOUT"
	// CodeUnavailable is a store that does not answer now. Trying again later may help.
	CodeUnavailable Code = "UNAVAILABLE"
	// CodePersistedQueryNotFound is a hash of a document that the server does not know, or knows no more: the client sends the document along.
	CodePersistedQueryNotFound Code = "PERSISTED_QUERY_NOT_FOUND"
	// CodeInternal is everything else.
	CodeInternal Code = "INTERNAL"
)

// Error is an error that clients see. It never changes, so that many fields may fail with the same one.
type Error struct {
	Code    Code
	Message string
	// Extensions go out beside the code.
	Extensions map[string]any
	// Cause, if any, is logged and not shown.
	Cause error
}

// Error implements error. It is for logs: it tells the cause.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// BadUserInput tells the client what to mend.
func BadUserInput(format string, args ...any) *Error {
	return &Error{Code: CodeBadUserInput, Message: fmt.Sprintf(format, args...)}
}

// Unauthenticated tells the client what is wrong with its token.
func Unauthenticated(format string, args ...any) *Error {
	return &Error{Code: CodeUnauthenticated, Message: fmt.Sprintf(format, args...)}
}

// Forbidden tells the client for whom it is.
func Forbidden(format string, args ...any) *Error {
	return &Error{Code: CodeForbidden, Message: fmt.Sprintf(format, args...)}
}

// LimitExceeded tells the client that what it asks for has a limit. What is a noun phrase, such as "a page".
func LimitExceeded(what string, limit, actual int) *Error {
	return &Error{Code: CodeLimitExceeded, Message: fmt.Sprintf("%s is limited to %d, and this is %d", what, limit, actual),
		Extensions: map[string]any{"limit": limit, "actual": actual}}
}

// TooLong tells the client that what it asks for is not written to its end, as it has more bytes than it may.
func TooLong(what string, limit int) *Error {
	return &Error{Code: CodeLimitExceeded, Message: fmt.Sprintf("%s in bytes is limited to %d, and this has more", what, limit),
		Extensions: map[string]any{"limit": limit}}
}

// Unavailable says that the store does not answer.
func Unavailable(cause error) *Error {
	return &Error{Code: CodeUnavailable, Message: "the store does not answer; try again later", Cause: cause}
}

// Of returns the public form of any error, and what of it is to be logged, nil if nothing is.
func Of(err error) (public *Error, cause error) {
	if errors.As(err, &public) {
		return public, public.Cause
	}
	if mistake := (*plan.InputError)(nil); errors.As(err, &mistake) {
		return BadUserInput("%s", mistake.Message), nil
	}
	if limit := (*plan.LimitError)(nil); errors.As(err, &limit) {
		if limit.Actual == 0 {
			return TooLong(limit.What, limit.Limit), nil
		}
		return LimitExceeded(limit.What, limit.Limit, limit.Actual), nil
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: CodeTimeout, Message: "the request took too long"}, err
	case errors.Is(err, context.Canceled):
		return &Error{Code: CodeTimeout, Message: "the request was cancelled"}, nil
	}
	if e := (interface {
		Exceeded() (what string, limit, actual int)
	})(nil); errors.As(err, &e) {
		return LimitExceeded(e.Exceeded()), nil
	}
	if t := (interface{ Temporary() bool })(nil); errors.As(err, &t) && t.Temporary() {
		return Unavailable(err), err
	}
	return &Error{Code: CodeInternal, Message: "internal error"}, err
}

// extensions returns a map of its own: GraphQL's executor may write to it.
func (e *Error) extensions() map[string]any {
	all := maps.Clone(e.Extensions)
	if all == nil {
		all = make(map[string]any, 1)
	}
	all["code"] = string(e.Code)
	return all
}

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
