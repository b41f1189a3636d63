// Package strict decodes JSON of clients. Unlike encoding/json it compares keys by case, so that no
// two readers of a request understand it differently, and its errors do not repeat input.
package strict

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxKeys is the maximum number of keys of an object: each takes 300 ns, and a megabyte has room
// for 200,000.
const maxKeys = 100

// Object reads exactly one JSON object. fields has pointers to the values by key. Other keys are
// ignored; the last of equal keys counts; null is an empty object. A value of the wrong type is a
// [*TypeError]. Errors of the reader are returned unchanged.
func Object(r io.Reader, fields map[string]any) error {
	return one(r, func(d *json.Decoder) error { return object(d, fields) })
}

// Value reads exactly one JSON value into a pointer, as Object does.
func Value(r io.Reader, into any) error {
	return one(r, func(d *json.Decoder) error { return value(d, "", into) })
}

// Elements returns the number of elements of the JSON array that r has, or most+1 if there are
// more. It keeps none of them.
func Elements(r io.Reader, most int) (n int, err error) {
	err = one(r, func(d *json.Decoder) error {
		if token, err := d.Token(); token != json.Delim('[') {
			return cmp.Or(err, errNoArray)
		}
		for d.More() {
			if n++; n > most {
				return errMore
			}
			if err := d.Decode(new(unread)); err != nil {
				return err
			}
		}
		_, err := d.Token()
		return err
	})
	if err == errMore {
		err = nil
	}
	return n, err
}

var (
	errNoArray = errors.New("it is no array")
	errMore    = errors.New("strict: there are more elements")
)

// TypeError is a value of the wrong type.
type TypeError struct {
	Field string // empty for the whole text
	Type  string // a type of JSON: object, array, string, number, bool
}

// Error implements error.
func (e *TypeError) Error() string {
	switch {
	case e.Field != "":
		return fmt.Sprintf("%s can't be a JSON %s", e.Field, e.Type)
	case e.Type == "array":
		return "it can't be an array; send one request at a time"
	}
	return fmt.Sprintf("it can't be a JSON %s", e.Type)
}

// one calls read, and checks that nothing follows.
func one(r io.Reader, read func(*json.Decoder) error) error {
	d := json.NewDecoder(r)
	d.UseNumber()
	err := read(d)
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

func object(d *json.Decoder, fields map[string]any) error {
	switch token, err := d.Token(); token := token.(type) {
	case json.Delim:
		if token != '{' {
			return &TypeError{Type: "array"}
		}
	case string:
		return &TypeError{Type: "string"}
	case json.Number:
		return &TypeError{Type: "number"}
	case bool:
		return &TypeError{Type: "bool"}
	default: // null, or nothing
		return err
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
	_, err := d.Token()
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
