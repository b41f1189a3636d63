package writers

import "fmt"

// Code says of what kind a [Problem] is. It is the schema's UserErrorCode.
type Code string

// The codes.
const (
	// BadInput is a field that can't be as it is.
	BadInput Code = "BAD_USER_INPUT"
	// NotFound is something named that does not exist, or that the viewer may not see.
	NotFound Code = "NOT_FOUND"
	// AlreadyExists is a name or code that is taken, or was once a deleted user's.
	AlreadyExists Code = "ALREADY_EXISTS"
	// Conflict is something that others changed since the expected version.
	Conflict Code = "CONFLICT"
	// LimitExceeded is something that may be done, but not so often, so much or so deep.
	LimitExceeded Code = "LIMIT_EXCEEDED"
	// HasChildren is a department that can't be deleted while others are below it.
	HasChildren Code = "HAS_CHILDREN"
	// Cycle is a department that can't be moved below itself.
	Cycle Code = "CYCLE"
	// WrongCredentials is a username and a password that do not belong together. It does not say which of them is wrong.
	WrongCredentials Code = "WRONG_CREDENTIALS"
)

// Problem is why a mutation changed nothing, as its caller may know it: a user error of the schema.
type Problem struct {
	Code Code
	// Field is the field of the input that is to be changed, as the schema calls it; empty if it is none of them.
	Field   string
	Message string
}

// problem makes one.
func problem(code Code, field, format string, args ...any) Problem {
	return Problem{code, field, fmt.Sprintf(format, args...)}
}
