// Package strict decodes the JSON that clients send. Unlike encoding/json it tells keys apart by their case, so that all who look at a request find the same
// in it; and its errors say what is wrong without repeating what was sent.
package strict

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxKeys is how many keys an object has at most: each takes some 300 ns, and a megabyte has room for 200,000.
const maxKeys = 100

// Object reads exactly one JSON object. fields point to where the values of its keys go: those of other keys are left out, of a key that comes twice the
// last counts, and null is an empty object. Errors of the reader are returned as they are, a value of the wrong type is a [*TypeError].
func Object(r io.Reader, fields map[string]any) error {
	return one(r, func(d *json.Decoder) error { return object(d, fields) })
}

// Value reads exactly one JSON value, as Object does. into points to where it goes.
func Value(r io.Reader, into any) error {
	return one(r, func(d *json.Decoder) error { return value(d, "", into) })
}

// Elements returns how many elements the JSON array has that is all that r reads; most+1 if there are more,
// and then it does not read on. It keeps none of them.
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

// TypeError says that a value is not of the type that it should be of.
type TypeError struct {
	Field string // empty for the whole
	Type  string // is a word of JSON's: object, array, string, number, bool
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

// one reads a value by read, and sees that nothing follows it.
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
		return fmt.Errorf("what follows byte %d is no JSON", d.InputOffset())
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

// unread takes any value, and keeps nothing of it.
type unread struct{}

// UnmarshalJSON implements [json.Unmarshaler].
func (*unread) UnmarshalJSON([]byte) error { return nil }
