package plan

import "fmt"

// InputError is a mistake of the client: arguments that can't be coerced, or a subscription without exactly one field.
type InputError struct{ Message string }

// Error implements error.
func (e *InputError) Error() string { return e.Message }

// LimitError is the error of an operation that has too many fields, or of an answer that is too long.
type LimitError struct {
	What  string
	Limit int
	// Actual is 0 for an answer: it is not written to its end.
	Actual int
}

// Error implements error.
func (e *LimitError) Error() string {
	if e.Actual == 0 {
		return fmt.Sprintf("%s in bytes is limited to %d, and this has more", e.What, e.Limit)
	}
	return fmt.Sprintf("%s is limited to %d, and this is %d", e.What, e.Limit, e.Actual)
}
