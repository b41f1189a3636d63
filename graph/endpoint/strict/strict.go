// Package strict decodes JSON from clients. Unlike encoding/json it distinguishes the case of keys,
// so that the gateway and a proxy before it read the same values. Its errors do not contain the
// input.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxKeys bounds the keys of an object. A megabyte has room for 200,000 keys, and each takes
// 300 ns.
const maxKeys = 100

// TypeError is a value of the wrong type.
type TypeError struct {
	Field string
	Type  string
}

func (e *TypeError) Error() string {
	if e.Field == "" {
		return "it can't be a JSON " + e.Type
	}
	return e.Field + " can't be a JSON " + e.Type
}

// Object decodes exactly one JSON object into pointers by key. null is an empty object. Unknown
// keys are ignored. Of repeated keys the last value counts, for a string the last that is not null.
// A value of the wrong type is a [*TypeError].
func Object(text []byte, fields map[string]any) error {
	return decodeOne(text, func(d *json.Decoder) error {
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
				into = new(ignored)
			}
			if err := value(d, key.(string), into); err != nil {
				return err
			}
		}
		_, err = d.Token()
		return err
	})
}

// Value decodes exactly one JSON value, as Object does.
func Value(text []byte, into any) error {
	return decodeOne(text, func(d *json.Decoder) error { return value(d, "", into) })
}

func decodeOne(text []byte, decode func(*json.Decoder) error) error {
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
		kind, _, _ := strings.Cut(wrong.Value, " ")
		return &TypeError{field, kind}
	}
	return err
}

type ignored struct{}

func (*ignored) UnmarshalJSON([]byte) error { return nil }
