// Package suggest proposes known names for a misspelt one.
package suggest

import "github.com/vektah/gqlparser/v2/validator/core"

// maxLength is the length in bytes of the longest name that gets suggestions: comparing takes time that grows with the
// square of the length, and no name of a schema is longer.
const maxLength = 40

// maxNames is the number of suggestions for one name.
const maxNames = 5

// Names returns ` Did you mean "a" or "b"?` with the options most similar to a name, at most five of them, or "".
func Names(name string, options []string) string {
	if len(name) > maxLength {
		return ""
	}
	similar := core.SuggestionList(name, options)
	if len(similar) == 0 {
		return ""
	}
	return " Did you mean " + core.QuotedOrList(similar[:min(len(similar), maxNames)]...) + "?"
}
