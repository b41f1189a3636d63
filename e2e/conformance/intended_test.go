package conformance

import (
	"slices"
	"strings"
)

// intent is a difference that is intended.
type intent struct {
	name    string
	section string
	is      func(r request, got, want outcome) bool
}

// intents are all intended differences, as docs/SPEC.md lists them.
var intents = []intent{
	{"@skip or @include on the root field of a subscription", "5.2.4.1", func(_ request, got, want outcome) bool {
		return got.Phase == validation && want.Phase != validation && all(got, "must not use @skip or @include")
	}},
	{"definitions of the type system are refused by the parser", "5.1.1", func(_ request, got, want outcome) bool {
		return got.Phase == syntax && want.Phase == validation && slices.ContainsFunc(want.Errors, func(e problem) bool { return strings.Contains(e.Message, "definition is not executable") })
	}},
	{"URLs are read by net/url", "3.5", func(r request, got, want outcome) bool {
		return got.Phase != want.Phase && slices.ContainsFunc(lenient, func(part string) bool { return strings.Contains(r.Query+r.Variables, part) })
	}},
	{"null for the condition of @skip or @include", "3.13.1", func(_ request, got, want outcome) bool {
		return got.Phase == variables && want.Phase == execution && all(got, "decides about @skip or @include")
	}},
}

// lenient are parts of URLs on which RFC 3986 and net/url differ.
var lenient = []string{`a@b@`, `?%zz`, `example.org\\a`, `exa%41mple`}

// all reports whether all errors of an outcome have a text in their messages.
func all(o outcome, text string) bool {
	return len(o.Errors) > 0 && !slices.ContainsFunc(o.Errors, func(e problem) bool { return !strings.Contains(e.Message, text) })
}

// intended returns the name of the intended difference that a difference is, "" if it is none.
func intended(r request, got, want outcome) string {
	for _, i := range intents {
		if i.is(r, got, want) {
			return i.name
		}
	}
	return ""
}
