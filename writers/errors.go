package writers

import (
	"errors"
	"strings"
)

// Problems are all that is wrong with an input. It is the error of a write that was refused, and changed nothing.
type Problems []Problem

// Error implements error.
func (p Problems) Error() string {
	texts := make([]string, len(p))
	for i := range p {
		texts[i] = strings.TrimPrefix(p[i].Field+": ", ": ") + p[i].Message
	}
	return strings.Join(texts, "; ")
}

// refuse returns the error of a write with one problem.
func refuse(code Code, field, format string, args ...any) error {
	return Problems{problem(code, field, format, args...)}
}

// together returns the problems of all errors, or the first error that is something else; nil if none is anything.
func together(errs ...error) error {
	var all Problems
	for _, err := range errs {
		var problems Problems
		if err != nil && !errors.As(err, &problems) {
			return err
		}
		all = append(all, problems...)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// err returns what was found to be wrong, nil if that is nothing.
func (in *input) err() error {
	if len(in.problems) == 0 {
		return nil
	}
	return Problems(in.problems)
}

var (
	// ErrUnknown is the error of an operation of which the store cannot tell whether it committed, and that is not
	// repeated: it is not idempotent, or a second attempt was refused. It is Temporary.
	ErrUnknown error = unknown{}
	// ErrClosed is the error of an operation that was started after [Writers.Close].
	ErrClosed = errors.New("writers: closed")

	// errNothing is what decide of an operation type returns if the store already is as the operation would leave it.
	errNothing = errors.New("writers: nothing to do")

	// errWhole ends an execution if another one completed the same operation, or holds its lease.
	errWhole = errors.New("writers: it is whole already")
)

type unknown struct{}

func (unknown) Error() string {
	return "it is not known whether this was done: look before it is sent again, or send it with the same idempotencyKey"
}

// Temporary lets those who know nothing of writers tell it from other errors.
func (unknown) Temporary() bool { return true }
