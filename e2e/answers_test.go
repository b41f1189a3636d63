package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// response is a response with its data as they were written.
type response struct {
	Data   json.RawMessage `json:"data"`
	Errors []failure       `json:"errors"`
}

type failure struct {
	Message    string          `json:"message"`
	Path       []any           `json:"path"`
	Locations  json.RawMessage `json:"locations"`
	Extensions json.RawMessage `json:"extensions"`
}

func (f failure) String() string {
	return fmt.Sprintf("%v %s %s %s", f.Path, f.Message, f.Locations, f.Extensions)
}

// compare says how the errors differ from those that there should be, the data being the same. An error shows as a null: at its path, or
// further up. Of several that made the same null further up, any one will do.
func (r response) compare(want response) string {
	got, once, err := r.byNull()
	if err != nil {
		return fmt.Sprintf("%v; the data are %s", err, cut(r.Data))
	}
	if !once {
		return fmt.Sprintf("a field has two errors: %v", r.Errors)
	}
	should, _, err := want.byNull()
	if err != nil {
		return fmt.Sprintf("of gqlgen's: %v; the data are %s", err, cut(r.Data))
	}
	for null := range should {
		// gqlgen resolves the fields of a null element too; their errors say nothing.
		if got[null] == nil && got[null+" itself"] == nil {
			return fmt.Sprintf("no error says why %s is null: %v", null, should[null])
		}
	}
	for null, errors := range got {
		for _, e := range errors {
			if !slices.Contains(should[null], e) {
				return fmt.Sprintf("unexpected error %s; those there should be are %v", e, should[null])
			}
		}
		if strings.HasSuffix(null, "itself") && len(errors) != len(slices.Compact(slices.Sorted(slices.Values(should[null])))) {
			return fmt.Sprintf("the errors of %s are %v, and should be %v", null, errors, should[null])
		}
	}
	return ""
}

// rooted puts an event's root field before the paths of its errors, which gqlgen's executor leaves out.
func (r response) rooted() {
	var data map[string]json.RawMessage
	_ = json.Unmarshal(r.Data, &data)
	for root := range data {
		for i := range r.Errors {
			r.Errors[i].Path = append([]any{root}, r.Errors[i].Path...)
		}
	}
}

// byNull sorts the errors by the null in which each shows, and tells whether no field has two.
func (r response) byNull() (nulls map[string][]string, once bool, err error) {
	decoder := json.NewDecoder(bytes.NewReader(r.Data))
	var data any
	if err := decoder.Decode(&data); err != nil {
		return nil, false, err
	}
	nulls, seen := map[string][]string{}, map[string]bool{}
	once = true
	for _, e := range r.Errors {
		at, depth := data, 0
		for ; depth < len(e.Path) && at != nil; depth++ {
			switch step := e.Path[depth].(type) {
			case string:
				object, _ := at.(map[string]any)
				next, ok := object[step]
				if !ok {
					return nil, false, fmt.Errorf("the path of %s leads nowhere", e)
				}
				at = next
			case float64:
				list, _ := at.([]any)
				if int(step) >= len(list) {
					return nil, false, fmt.Errorf("the path of %s leads nowhere", e)
				}
				at = list[int(step)]
			}
		}
		if at != nil || len(e.Path) == 0 {
			return nil, false, fmt.Errorf("the path of %s leads to no null", e)
		}
		null := fmt.Sprint(e.Path[:depth])
		if depth == len(e.Path) {
			null += " itself"
		}
		path := fmt.Sprint(e.Path)
		once = once && !seen[path]
		seen[path] = true
		nulls[null] = append(nulls[null], e.String())
	}
	return nulls, once, nil
}
