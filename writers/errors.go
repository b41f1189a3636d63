package writers

import (
	"errors"
	"fmt"
	"strings"
)

// Code is a UserErrorCode of the schema.
type Code string

// The values of UserErrorCode.
const (
	BadInput         Code = "BAD_USER_INPUT"
	NotFound         Code = "NOT_FOUND"      // or hidden from the viewer
	AlreadyExists    Code = "ALREADY_EXISTS" // or the name was a deleted user's
	Conflict         Code = "CONFLICT"
	LimitExceeded    Code = "LIMIT_EXCEEDED"
	HasChildren      Code = "HAS_CHILDREN" // of a department
	Cycle            Code = "CYCLE"        // of departments
	WrongCredentials Code = "WRONG_CREDENTIALS"
)

// UserError is a user error of the schema. Field is an input field, such as photoUrls.3 for a list
// element, or empty.
type UserError struct {
	Code    Code
	Field   string
	Message string
}

// UserErrors are all user errors of a mutation. The mutation changed nothing.
type UserErrors []UserError

func (u UserErrors) Error() string {
	texts := make([]string, len(u))
	for i := range u {
		texts[i] = strings.TrimPrefix(u[i].Field+": ", ": ") + u[i].Message
	}
	return strings.Join(texts, "; ")
}

func reject(code Code, field, format string, args ...any) error {
	return UserErrors{{code, field, fmt.Sprintf(format, args...)}}
}

func noSuch(object, field string) UserError {
	return UserError{NotFound, field, "there is no such " + object}
}

func joinUserErrors(errs ...error) error {
	var all UserErrors
	for _, err := range errs {
		var some UserErrors
		if err != nil && !errors.As(err, &some) {
			return err
		}
		all = append(all, some...)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

var (
	// ErrUnknown is returned for an operation that may have committed.
	ErrUnknown error = unknown{}
	// ErrClosed is returned for an operation that starts after [Writers.Close].
	ErrClosed = errors.New("writers: closed")
)

type unknown struct{}

func (unknown) Error() string {
	return "the outcome is unknown: read the state before you repeat the mutation, or use the same idempotencyKey"
}

// Temporary and MayBeDone are for package apierr, which does not import writers.
func (unknown) Temporary() bool { return true }

func (unknown) MayBeDone() bool { return true }

// Committed wraps the error of a read after a commit, so that the client learns of the change. It
// returns nil for nil.
func Committed(err error) error {
	if err == nil {
		return nil
	}
	return afterCommit{err}
}

// afterCommit is an error of an operation that has or may have committed.
type afterCommit struct{ error }

func (e afterCommit) Unwrap() error { return e.error }

func (afterCommit) MayBeDone() bool { return true }
