package conformance

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var pieces = regexp.MustCompile(
	`(?s)"""(?:\\"""|.)*?"""|"(?:\\.|[^"\\\n])*"|[_A-Za-z][_0-9A-Za-z]*|-?[0-9.]+(?:[eE][+-]?[0-9]+)?|` +
		`\.\.\.|#[^\n\r]*|[\s,]+|.`,
)

const timeout = 20 * time.Second

func (c *comparison) shrink(t testing.TB, r request) request {
	begin := time.Now()
	got, want, _ := c.differ(t, r)
	same := func(r request) bool {
		if time.Since(begin) > timeout {
			return false
		}
		a, b, text := c.differ(t, r)
		return text != "" && a.Phase == got.Phase && b.Phase == want.Phase && intended(r, a, b) == ""
	}
	for again := true; again; {
		before := r
		parts := pieces.FindAllString(r.Query, -1)
		parts = without(parts, func(parts []string) bool {
			smaller := r
			smaller.Query = strings.Join(parts, "")
			return same(smaller)
		})
		r.Query = strings.Join(parts, "")
		r = withoutVariables(r, same)
		again = r != before
	}
	return r
}

func without(parts []string, holds func([]string) bool) []string {
	for size := len(parts) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(parts); {
			smaller := append(append([]string{}, parts[:at]...), parts[at+size:]...)
			if holds(smaller) {
				parts = smaller
			} else {
				at++
			}
		}
	}
	return parts
}

func withoutVariables(r request, holds func(request) bool) request {
	if try := (request{r.Query, r.OperationName, ""}); r.Variables != "" && holds(try) {
		return try
	}
	var values map[string]json.RawMessage
	if json.Unmarshal([]byte(r.Variables), &values) != nil {
		return r
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fewer := maps.Clone(values)
		delete(fewer, name)
		text, err := json.Marshal(fewer)
		if try := (request{r.Query, r.OperationName, string(text)}); err == nil && holds(try) {
			r, values = try, fewer
		}
	}
	return r
}
