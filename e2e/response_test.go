package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

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

// If several errors cause one null, any of them suffices.
func (r response) compare(want response) string {
	got, once, err := r.byNull()
	if err != nil {
		return fmt.Sprintf("%v; data: %s", err, excerpt(r.Data))
	}
	if !once {
		return fmt.Sprintf("two errors at one path: %v", r.Errors)
	}
	wanted, _, err := want.byNull()
	if err != nil {
		return fmt.Sprintf("gqlgen: %v; data: %s", err, excerpt(r.Data))
	}
	for null := range wanted {
		// gqlgen also resolves fields of a null element. Their errors are ignored.
		if got[null] == nil && got[null+" itself"] == nil {
			return fmt.Sprintf("no error for the null at %s: want %v", null, wanted[null])
		}
	}
	for null, errors := range got {
		for _, e := range errors {
			if !slices.Contains(wanted[null], e) {
				return fmt.Sprintf("unexpected error %s, want one of %v", e, wanted[null])
			}
		}
		if strings.HasSuffix(null, "itself") &&
			len(errors) != len(slices.Compact(slices.Sorted(slices.Values(wanted[null])))) {
			return fmt.Sprintf("errors of %s: got %v, want %v", null, errors, wanted[null])
		}
	}
	return ""
}

// gqlgen's executor omits the root field from the paths of an event's errors.
func (r response) addRoot() {
	var data map[string]json.RawMessage
	_ = json.Unmarshal(r.Data, &data)
	for root := range data {
		for i := range r.Errors {
			r.Errors[i].Path = append([]any{root}, r.Errors[i].Path...)
		}
	}
}

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
					return nil, false, fmt.Errorf("the path of %s does not exist", e)
				}
				at = next
			case float64:
				list, _ := at.([]any)
				if int(step) >= len(list) {
					return nil, false, fmt.Errorf("the path of %s does not exist", e)
				}
				at = list[int(step)]
			}
		}
		if at != nil || len(e.Path) == 0 {
			return nil, false, fmt.Errorf("the value at the path of %s is not null", e)
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
