package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Object is a JSON object with ordered members. Values are Object, List, string, bool, int (or
// [json.Number], if decoded), nil, Ref and Either.
type Object []Member

type Member struct {
	Key   string
	Value any
}

type List []any

// Ref names an id or cursor.
type Ref struct {
	Kind       string
	Owner, Key string
}

// Either is a bool that the rules leave open.
type Either struct{}

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
			panic(fmt.Sprintf("oracle: a path has names and indices, not %T", step))
		}
	}
	return value
}
