package conformance

import (
	"slices"
	"strings"
)

type intent struct {
	name    string
	section string
	is      func(r request, got, want outcome) bool
}

// intents are the intended differences, in the order of docs/SPEC.md.
var intents = []intent{
	{"control characters in strings and comments", "2.1.1", func(r request, got, want outcome) bool {
		return got.Phase == syntax && want.Phase != syntax && all(got, "nvalid character") && hasControl(r.Query)
	}},
	{"a string right after a block string", "2.9.4", func(_ request, got, want outcome) bool {
		return got.Phase == syntax && want.Phase != syntax && all(got, "Unexpected quote after a block string")
	}},
	{"introspection that nests lists three times", "4", func(_ request, got, want outcome) bool {
		return got.Phase == validation && want.Phase != validation && all(got, "Maximum introspection depth exceeded")
	}},
	{"@skip or @include on the root field of a subscription", "5.2.4.1", func(_ request, got, want outcome) bool {
		return got.Phase == validation && want.Phase != validation && all(got, "must not use @skip or @include")
	}},
	{"definitions of the type system are rejected by the parser", "5.1.1", func(_ request, got, want outcome) bool {
		return got.Phase == syntax && want.Phase == validation && some(want, "definition is not executable")
	}},
	{"null for the condition of @skip or @include", "3.13.1", func(_ request, got, want outcome) bool {
		return got.Phase == variables && want.Phase == execution && all(got, "is the condition of a directive")
	}},
}

func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r", r) })
}

func all(o outcome, text string) bool {
	return len(o.Errors) > 0 && !slices.ContainsFunc(o.Errors, func(e responseError) bool {
		return !strings.Contains(e.Message, text)
	})
}

func some(o outcome, text string) bool {
	return slices.ContainsFunc(o.Errors, func(e responseError) bool { return strings.Contains(e.Message, text) })
}

func intended(r request, got, want outcome) string {
	for _, i := range intents {
		if i.is(r, got, want) {
			return i.name
		}
	}
	return ""
}
