// Package strict decodes JSON of clients. Unlike encoding/json it compares keys by case, so that no two readers of a
// request understand it differently, and its errors do not repeat input.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxKeys is the maximum number of keys of an object: each takes 300 ns, and a megabyte has room for 200,000.
const maxKeys = 100

// ErrMany is returned by [Elements] for an array that is too long.
var ErrMany = errors.New("it has too many elements")

// TypeError is a value of the wrong type.
type TypeError struct {
	Field string // empty for the whole text
	Type  string // a type of JSON: object, array, string, number, bool
}

// Error implements error.
func (e *TypeError) Error() string {
	if e.Field == "" {
		return "it can't be a JSON " + e.Type
	}
	return e.Field + " can't be a JSON " + e.Type
}

// Object decodes exactly one JSON object. fields has pointers to the values by key. Other keys are ignored; the last of
// equal keys counts; null is an empty object. A value of the wrong type is a [*TypeError].
func Object(text []byte, fields map[string]any) error {
	return one(text, func(d *json.Decoder) error {
		token, err := d.Token()
		if err != nil || token == nil {
			return err
		}
		if token != json.Delim('{') {
			return errors.New("it is no object")
		}
		for n := 0; d.More(); n++ {
			if n == maxKeys {
				return fmt.Errorf("it has more than %d keys", maxKeys)
			}
			key, err := d.Token()
			if err != nil {
				return err
			}
			into, known := fields[key.(string)]
			if !known {
				into = new(unread)
			}
			if err := value(d, key.(string), into); err != nil {
				return err
			}
		}
		_, err = d.Token()
		return err
	})
}

// Value decodes exactly one JSON value into a pointer, as Object does.
func Value(text []byte, into any) error {
	return one(text, func(d *json.Decoder) error { return value(d, "", into) })
}

// Elements returns the number of elements of a JSON array. It keeps none of them, and reads no more than most.
func Elements(text []byte, most int) (n int, err error) {
	err = one(text, func(d *json.Decoder) error {
		if _, err := d.Token(); err != nil {
			return err
		}
		for ; d.More(); n++ {
			if n == most {
				return ErrMany
			}
			if err := d.Decode(new(unread)); err != nil {
				return err
			}
		}
		_, err := d.Token()
		return err
	})
	return n, err
}

// one calls decode, and checks that nothing follows.
func one(text []byte, decode func(*json.Decoder) error) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err := decode(d)
	if err == nil {
		if _, err = d.Token(); err == nil {
			return errors.New("something follows it")
		} else if err == io.EOF {
			return nil
		}
	}
	if wrong := (*json.SyntaxError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("invalid JSON after byte %d", d.InputOffset())
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("it ends too early")
	}
	return err
}

func value(d *json.Decoder, field string, into any) error {
	err := d.Decode(into)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		kind, _, _ := strings.Cut(wrong.Value, " ") // without the number, which follows the word
		return &TypeError{field, kind}
	}
	return err
}

// unread accepts any value and drops it.
type unread struct{}

// UnmarshalJSON implements [json.Unmarshaler].
func (*unread) UnmarshalJSON([]byte) error { return nil }
