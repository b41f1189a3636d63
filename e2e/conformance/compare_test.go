package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"twibase/e2e/oracle"
)

func difference(got, want outcome) string {
	switch {
	case got.Phase != want.Phase:
		return fmt.Sprintf("the server ends in %q, graphql-js in %q", got.Phase, want.Phase)
	case want.Data == "" || got.unexecuted:
		return ""
	case canonical(got.Data) != canonical(want.Data):
		return "the data differ"
	}
	data, err := oracle.Decode([]byte(got.Data))
	if err != nil {
		return err.Error()
	}
	if a, b := nullPaths(data, got.Errors), nullPaths(data, want.Errors); !slices.Equal(a, b) {
		return fmt.Sprintf("the server has errors at %v, graphql-js at %v", a, b)
	}
	return ""
}

// canonical keeps the order of members, which is part of the response.
func canonical(text string) string {
	value, err := oracle.Decode([]byte(text))
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%#v", value)
}

// nullPaths returns each error's path up to the first null. If several errors cause one null, an
// implementation may report any number of them (section 6.4.4).
func nullPaths(data any, errors []responseError) (all []string) {
	for _, e := range errors {
		at, value := 0, data
		for ; at < len(e.Path) && value != nil; at++ {
			value = step(value, e.Path[at])
		}
		text, _ := json.Marshal(e.Path[:at])
		all = append(all, string(text))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func step(value, key any) any {
	if index, ok := key.(float64); ok {
		key = int(index)
	}
	return oracle.Get(value, key)
}

func (o outcome) String() string {
	var text bytes.Buffer
	fmt.Fprintf(&text, "phase %s", o.Phase)
	if o.Data != "" {
		fmt.Fprintf(&text, ", data %.2000s", o.Data)
	}
	for _, e := range o.Errors {
		fmt.Fprintf(&text, "\n    error at %v: %.1000s", e.Path, e.Message)
	}
	return text.String()
}
