package main

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// question asks for the followers of somebody, their followers, and the twits of those. Open and closed are what a schema has around the items of a list.
func question(open, closed string) []byte {
	return fmt.Appendf(nil, `{"query":"{user(username:\"u31891\"){username name followers(first:20)%[1]s{username name followers(first:20)%[1]s{username name twits(first:3)%[1]s{id content}%[2]s}%[2]s}%[2]s}}"}`,
		open, closed)
}

// sameContent reports an answer that has other people or twits than the first, or in another order.
func sameContent(first, other []byte) error {
	var a, b any
	if err := json.Unmarshal(first, &a); err != nil {
		return err
	}
	if err := json.Unmarshal(other, &b); err != nil {
		return err
	}
	if !reflect.DeepEqual(plain(a), plain(b)) {
		return fmt.Errorf("the answers differ:\n%.300s\n%.300s", first, other)
	}
	return nil
}

// plain takes away in what the schemas differ: the nodes of lists, and what an id looks like.
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
