package loaders

import (
	"context"
	"errors"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Loader loads a V by a K with one Get.
type Loader[K comparable, V any] struct {
	name   string
	get    func(*tables.Memory, K) hbase.Get
	decode func(*tables.Memory, K, []hbase.Cell) (V, error)
}

// Load returns the values of the keys.
func (l Loader[K, V]) Load(ctx context.Context, keys []K) ([]V, error) { return l.Enqueue(ctx, keys)() }

// Enqueue adds keys to the next batch. The returned function waits for the values.
func (l Loader[K, V]) Enqueue(ctx context.Context, keys []K) func() ([]V, error) {
	var m tables.Memory
	loaders, set := from(ctx), newReadSet(len(keys))
	for _, key := range keys {
		set.add(l.get(&m, key))
	}
	loaders.enqueue(ctx, l.name, set)
	return func() ([]V, error) {
		loaders.wait(set)
		return l.values(keys, set)
	}
}

func (l Loader[K, V]) values(keys []K, set *readSet) ([]V, error) {
	values, errs := make([]V, len(keys)), Errors(nil)
	var m tables.Memory
	for i, key := range keys {
		result := set.result(i)
		err := result.Err
		if err == nil {
			values[i], err = l.decode(&m, key, result.Cells)
		}
		if err != nil {
			errs.set(i, len(keys), err)
		}
	}
	return values, errs.orNil()
}

// Errors are index-aligned with the keys of a load.
type Errors []error

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

// Errors implements the BatchErrors interface of gqlgen.
func (e Errors) Errors() []error { return e }

func (e Errors) Unwrap() []error { return e }

func (e *Errors) set(i, n int, err error) {
	if *e == nil {
		*e = make(Errors, n)
	}
	(*e)[i] = err
}

func (e Errors) orNil() error {
	if e == nil {
		return nil
	}
	return e
}

// At returns the error of key i.
func At(err error, i int) error {
	if err == nil {
		return nil
	}
	if list, ok := err.(Errors); ok { // errors.As would allocate
		return list[i]
	}
	if list := Errors(nil); errors.As(err, &list) {
		return list[i]
	}
	return err
}

// Join merges the errors of several loads of the same n keys. It keeps each key's first error.
func Join(n int, errs ...error) error {
	var all Errors
	for _, err := range errs {
		if err == nil {
			continue
		}
		for i := range n {
			if e := At(err, i); e != nil && (all == nil || all[i] == nil) {
				all.set(i, n, e)
			}
		}
	}
	return all.orNil()
}
