package conformance

// intent is a difference that is intended.
type intent struct {
	name    string
	section string
	is      func(r request, got, want outcome) bool
}

// intents are all intended differences, as docs/SPEC.md lists them.
var intents = []intent{}

// intended returns the name of the intended difference that a difference is, "" if it is none.
func intended(r request, got, want outcome) string {
	for _, i := range intents {
		if i.is(r, got, want) {
			return i.name
		}
	}
	return ""
}
