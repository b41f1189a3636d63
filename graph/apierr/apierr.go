// Package apierr decides which errors are public: an [Error], and the errors that [Of] knows, such
// as timeouts. All others become "internal error", and are logged.
package apierr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/plan"
)

// Code is the stable `extensions.code` of an error.
type Code string

// docs/ERRORS.md describes the codes.
const (
	CodeBadUserInput           Code = "BAD_USER_INPUT"
	CodeUnauthenticated        Code = "UNAUTHENTICATED"
	CodeForbidden              Code = "FORBIDDEN"
	CodeNotFound               Code = "NOT_FOUND"
	CodeLimitExceeded          Code = "LIMIT_EXCEEDED"
	CodeTooManyErrors          Code = "TOO_MANY_ERRORS"
	CodeTimeout                Code = "TIMEOUT"
	CodeUnavailable            Code = "UNAVAILABLE"
	CodePersistedQueryNotFound Code = "PERSISTED_QUERY_NOT_FOUND"
	CodeCursorExpired          Code = "CURSOR_EXPIRED"
	CodeInternal               Code = "INTERNAL"
)

// Error is an error that clients see. It is immutable, and may be shared by fields.
type Error struct {
	Code    Code
	Message string
	// Extensions are sent next to the code.
	Extensions map[string]any
	// Cause is logged and not sent.
	Cause error
}

// Error includes the cause, for logs.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Cause }

// BadUserInput takes a message that names the mistake.
func BadUserInput(format string, args ...any) *Error {
	return &Error{Code: CodeBadUserInput, Message: fmt.Sprintf(format, args...)}
}

// Unauthenticated takes a message that names the defect of the token.
func Unauthenticated(format string, args ...any) *Error {
	return &Error{Code: CodeUnauthenticated, Message: fmt.Sprintf(format, args...)}
}

// Forbidden takes a message that names the broken rule.
func Forbidden(format string, args ...any) *Error {
	return &Error{Code: CodeForbidden, Message: fmt.Sprintf(format, args...)}
}

// LimitExceeded is for a number above a limit. The message begins with subject, such as "a page".
func LimitExceeded(subject string, limit, actual int) *Error {
	return &Error{
		Code:       CodeLimitExceeded,
		Message:    fmt.Sprintf("%s is limited to %d, and this is %d", subject, limit, actual),
		Extensions: map[string]any{"limit": limit, "actual": actual},
	}
}

// TooFast is for a rate above its limit.
func TooFast(rate string, limit int, after time.Duration) *Error {
	return &Error{
		Code:    CodeLimitExceeded,
		Message: fmt.Sprintf("%s is limited to %d: wait, or read less", rate, limit),
		Extensions: map[string]any{"limit": limit,
			"retryAfterMs": max(after, time.Millisecond).Milliseconds()},
	}
}

// TooMany is for a limit of concurrent use.
func TooMany(what string, limit int, after time.Duration) *Error {
	return &Error{
		Code:       CodeLimitExceeded,
		Message:    fmt.Sprintf("%s is limited to %d; try again later", what, limit),
		Extensions: map[string]any{"limit": limit, "retryAfterMs": after.Milliseconds()},
	}
}

// CursorExpired is for a cursor older than the stored events.
func CursorExpired(kept time.Duration) *Error {
	return &Error{Code: CodeCursorExpired, Message: fmt.Sprintf("events are kept for %.0f hours, and this cursor is older: "+
		"read the data again, and subscribe without the argument after", kept.Hours())}
}

// TooLong is LimitExceeded without the actual number.
func TooLong(what string, limit int) *Error {
	return &Error{
		Code:       CodeLimitExceeded,
		Message:    fmt.Sprintf("%s exceeds the limit of %d", what, limit),
		Extensions: map[string]any{"limit": limit},
	}
}

// Unavailable is for a store that does not respond. It includes RetryAfter and MayBeDone of a cause
// with these methods.
func Unavailable(cause error) *Error {
	e := &Error{Code: CodeUnavailable, Message: "the store does not answer" + tryAgain, Cause: cause}
	if r := (interface{ RetryAfter() time.Duration })(nil); errors.As(cause, &r) && r.RetryAfter() > 0 {
		e.Extensions = retryAfter(r.RetryAfter())
	}
	return e.afterWrite(cause)
}

const tryAgain = "; try again later"

// afterWrite returns e, or a copy that says that the mutation may have been executed.
func (e *Error) afterWrite(cause error) *Error {
	if m := (interface{ MayBeDone() bool })(nil); errors.As(cause, &m) && m.MayBeDone() {
		return e.mayBeExecuted()
	}
	return e
}

func (e *Error) mayBeExecuted() *Error {
	what, temporary := strings.CutSuffix(e.Message, tryAgain)
	if !temporary || e.Code != CodeUnavailable {
		return e
	}
	executed := *e
	executed.Message = what + ", and the mutation may have been executed: " +
		"read the state before you repeat it, or use the same idempotencyKey"
	return &executed
}

func retryAfter(time time.Duration) map[string]any {
	return map[string]any{"retryAfterMs": time.Milliseconds()}
}

// Busy asks the client to retry after a time.
func Busy(after time.Duration) *Error {
	return &Error{Code: CodeUnavailable, Message: "the server is busy" + tryAgain,
		Extensions: retryAfter(after)}
}

// Of returns the public form of an error, and the cause to log.
func Of(err error) (public *Error, cause error) {
	if errors.As(err, &public) {
		return public, public.Cause
	}
	if mistake := (*plan.InputError)(nil); errors.As(err, &mistake) {
		return BadUserInput("%s", mistake.Message), nil
	}
	if limit := (*plan.LimitError)(nil); errors.As(err, &limit) {
		return TooLong(limit.What, limit.Limit), nil
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
	if b := (interface{ RetryAfter() time.Duration })(nil); errors.As(err, &b) {
		return Busy(b.RetryAfter()).afterWrite(err), nil
	}
	return &Error{Code: CodeInternal, Message: "internal error"}, err
}

// extensions returns a new map, because gqlgen may write to it.
func (e *Error) extensions() map[string]any {
	all := map[string]any{"code": string(e.Code)}
	maps.Copy(all, e.Extensions)
	return all
}

// Write writes a GraphQL response, and calls w.CountCode(code) if w has this method.
func (e *Error) Write(w http.ResponseWriter, status int) {
	if counter, ok := w.(interface{ CountCode(code string) }); ok {
		counter.CountCode(string(e.Code))
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]gqlerror.List{"errors": {e.GraphQL()}})
}

// Reject writes Retry-After, and status 429 for an exceeded limit, otherwise 503.
func (e *Error) Reject(w http.ResponseWriter) {
	status, after := http.StatusServiceUnavailable, int64(1)
	if e.Code == CodeLimitExceeded {
		status = http.StatusTooManyRequests
	}
	if ms, ok := e.Extensions["retryAfterMs"].(int64); ok {
		after = (ms + 999) / 1000
	}
	w.Header().Set("Retry-After", strconv.FormatInt(after, 10))
	e.Write(w, status)
}

// GraphQL returns the error without a path.
func (e *Error) GraphQL() *gqlerror.Error {
	return &gqlerror.Error{Message: e.Message, Extensions: e.extensions()}
}
