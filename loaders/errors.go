package loaders

import (
	"errors"
	"fmt"
)

// Errors are the errors of a plural load: index-aligned with its keys, nil where a key was loaded.
type Errors []error

// Error implements error. It names the first failure.
func (e Errors) Error() string {
	failed, first := 0, error(nil)
	for _, err := range e {
		if err != nil {
			if failed++; first == nil {
				first = err
			}
		}
	}
	return fmt.Sprintf("%d of %d keys failed, the first with: %v", failed, len(e), first)
}

// Errors returns the list itself. gqlgen asks for the error of each item of a batch this way.
func (e Errors) Errors() []error { return e }

// Unwrap lets errors.Is see every failure.
func (e Errors) Unwrap() []error { return e }

// At returns the error of item i, given the error of a plural load.
func At(err error, i int) error {
	if err == nil {
		return nil
	}
	if list, ok := err.(Errors); ok { // the usual case, without the allocation of errors.As
		return list[i]
	}
	if list := Errors(nil); errors.As(err, &list) {
		return list[i]
	}
	return err
}

// Join merges the errors of several plural loads of the same n keys. It returns nil or an [Errors]
// with the first error of each key.
func Join(n int, errs ...error) error {
	all := failures{n: n}
	for _, err := range errs {
		if err == nil {
			continue
		}
		for i := range n {
			if e := At(err, i); e != nil && all.at(i) == nil {
				all.set(i, e)
			}
		}
	}
	return all.err()
}

// failures collects the errors of n items. It allocates nothing while there are none.
type failures struct {
	n    int
	list Errors
}

func (f *failures) set(i int, err error) {
	if f.list == nil {
		f.list = make(Errors, f.n)
	}
	f.list[i] = err
}

func (f *failures) at(i int) error {
	if f.list == nil {
		return nil
	}
	return f.list[i]
}

func (f *failures) err() error {
	if f.list == nil {
		return nil
	}
	return f.list
}
