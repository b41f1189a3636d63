package coercion

import (
	"strings"
	"testing"
)

func TestSimilarNamesAreSuggested(t *testing.T) {
	for name, test := range map[string]struct {
		name    string
		options []string
		want    string
	}{
		"one similar name":             {"usr", []string{"user", "department"}, ` Did you mean "user"?`},
		"the most similar name first":  {"twit", []string{"tweet", "twits"}, ` Did you mean "twits" or "tweet"?`},
		"another case":                 {"followers", []string{"FOLLOWERS"}, ` Did you mean "FOLLOWERS"?`},
		"at most five":                 {"aa", []string{"a1", "a2", "a3", "a4", "a5", "a6"}, ` Did you mean "a1", "a2", "a3", "a4", or "a5"?`},
		"nothing similar":              {"user", []string{"department"}, ""},
		"no options":                   {"user", nil, ""},
		"a name too long to be a typo": {strings.Repeat("u", 41), []string{strings.Repeat("u", 40)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := suggest(test.name, test.options); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
