package writers

import (
	"errors"
	"fmt"
	"strings"
)

// Code is the kind of a [UserError]: the schema's UserErrorCode.
type Code string

const (
	BadInput         Code = "BAD_USER_INPUT"    // a field has an invalid value
	NotFound         Code = "NOT_FOUND"         // it does not exist, or the viewer may not see it
	AlreadyExists    Code = "ALREADY_EXISTS"    // the name or code is taken, or was once a deleted user's
	Conflict         Code = "CONFLICT"          // others changed it since the expected version
	LimitExceeded    Code = "LIMIT_EXCEEDED"    // it is too often, too much or too deep
	HasChildren      Code = "HAS_CHILDREN"      // the department has sub-departments
	Cycle            Code = "CYCLE"             // the department would be below itself
	WrongCredentials Code = "WRONG_CREDENTIALS" // it does not say whether username or password are wrong
)

// UserError is a reason why a mutation changed nothing, for its caller: a user error of the schema.
type UserError struct {
	Code Code
	// Field is the field of the input that is to be changed, as the schema calls it; empty if it is
	// none of them.
	Field   string
	Message string
}

// UserErrors are all reasons why a mutation changed nothing.
type UserErrors []UserError

// Error implements error.
func (u UserErrors) Error() string {
	texts := make([]string, len(u))
	for i := range u {
		texts[i] = strings.TrimPrefix(u[i].Field+": ", ": ") + u[i].Message
	}
	return strings.Join(texts, "; ")
}

// refuse returns one user error.
func refuse(code Code, field, format string, args ...any) error {
	return UserErrors{{code, field, fmt.Sprintf(format, args...)}}
}

// together returns all user errors of the errors, or the first error that is something else.
func together(errs ...error) error {
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
	// ErrUnknown is returned if an operation may have committed or not, and cannot be repeated: it
	// is not idempotent, or a second attempt was refused. It is Temporary.
	ErrUnknown error = unknown{}
	// ErrClosed is the error of an operation that was started after [Writers.Close].
	ErrClosed = errors.New("writers: closed")

	// errSuperseded ends the steps of an execution in stateSuperseded: see there.
	errSuperseded = errors.New("writers: another execution continues or has completed the operation")
)

type unknown struct{}

func (unknown) Error() string {
	return "it is not known whether this was done: look before it is sent again, or send it with the same idempotencyKey"
}

// Temporary lets callers that do not import writers tell it from other errors.
func (unknown) Temporary() bool { return true }
