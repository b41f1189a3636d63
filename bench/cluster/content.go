package main

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// open and closed enclose the items of a list.
func nestedQuery(open, closed string) []byte {
	return fmt.Appendf(nil, `{"query":"{user(username:\"u31891\"){username name followers(first:20)%[1]s{username name followers(first:20)%[1]s{username name twits(first:3)%[1]s{id content}%[2]s}%[2]s}%[2]s}}"}`,
		open, closed)
}

func sameContent(first, other []byte) error {
	var a, b any
	if err := json.Unmarshal(first, &a); err != nil {
		return err
	}
	if err := json.Unmarshal(other, &b); err != nil {
		return err
	}
	if !reflect.DeepEqual(plain(a), plain(b)) {
		return fmt.Errorf("the responses differ:\n%.300s\n%.300s", first, other)
	}
	return nil
}

func plain(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		if nodes, is := v["nodes"]; is {
			return plain(nodes)
		}
		delete(v, "id")
		for name := range v {
			v[name] = plain(v[name])
		}
	}
	return v
}
