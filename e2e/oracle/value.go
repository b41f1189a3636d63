package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// An answer is made of these: Object, List, string, bool, int (or, in what a gateway said, [json.Number]), nil; and of Ref and Either.

// Object is a JSON object with the order of its members.
type Object []Member

// Member is a member of an object.
type Member struct {
	Key   string
	Value any
}

// List is a JSON array.
type List []any

// Ref is something opaque by the oracle's own name for it.
type Ref struct {
	// Kind is "id", or the kind of connection to which a cursor belongs.
	Kind string
	// Owner is whose list it is, or the noun of an id; Key is the place in the list, or what the id names.
	Owner, Key string
}

// Either is a truth that the rules leave open.
type Either struct{}

// Decode reads a JSON text.
func Decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return decode(d)
}

func decode(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := Object{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := decode(d)
			if err != nil {
				return nil, err
			}
			object = append(object, Member{key.(string), value})
		}
		_, err = d.Token()
		return object, err
	case json.Delim('['):
		list := List{}
		for d.More() {
			value, err := decode(d)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = d.Token()
		return list, err
	}
	return token, nil
}

// Get returns what the members of these names, or the elements of these numbers, lead to; nil if they lead nowhere.
func Get(value any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := value.(Object)
			value = nil
			for _, m := range object {
				if m.Key == step {
					value = m.Value
				}
			}
		case int:
			list, _ := value.(List)
			value = nil
			if step < len(list) {
				value = list[step]
			}
		default:
			panic(fmt.Sprintf("oracle: a path has names and numbers, not %T", step))
		}
	}
	return value
}
