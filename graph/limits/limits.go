// Package limits rejects documents, variables, reads and responses above limits.
package limits

import (
	"fmt"
	"slices"
	"strings"

	"twibase/graph/apierr"
)

// Limit is the index of a limit.
type Limit int

// The limits of one request.
const (
	Bytes Limit = iota
	Tokens
	Name
	Operations
	Fragments
	Depth
	Path
	RootFields
	Fields
	Aliases
	Visits
	Directives
	PlaceDirectives
	Variables
	VariableBytes
	List
	String
	Number
	Rows
	RPCs
	Objects
	Resolved
	Read
	Answer
	Plan
	Errors
	count
)

// Known describes the limits.
var Known = [count]struct {
	Name, What string
	Default    int
}{
	Bytes:           {"bytes", "the size of the document in bytes", 64 << 10},
	Tokens:          {"tokens", "the number of tokens", 10_000},
	Name:            {"name", "the length of a name in bytes", 128},
	Operations:      {"operations", "the number of operations in a document", 50},
	Fragments:       {"fragments", "the number of fragments in a document", 100},
	Depth:           {"depth", "the depth of selections, values or types, with fragments expanded,", 50},
	Path:            {"path", "the length of a field's path in bytes, with fragments expanded,", 512},
	RootFields:      {"root-fields", "the number of root fields", 50},
	Fields:          {"fields", "the number of fields, with fragments expanded,", 1000},
	Aliases:         {"aliases", "the number of aliases, with fragments expanded,", 200},
	Visits:          {"visits", "the number of selections and values that validation visits", 10_000},
	Directives:      {"directives", "the number of directives in a document", 100},
	PlaceDirectives: {"place-directives", "the number of directives in one place", 5},
	Variables:       {"variables", "the number of variables or extensions", 100},
	VariableBytes:   {"variable-bytes", "the size of the variables or extensions in bytes", 64 << 10},
	List:            {"list", "the length of a list or an input object", 100},
	String:          {"string", "the length of a string in bytes", 40_000},
	Number:          {"number", "the length of a number in characters", 40},
	Rows:            {"rows", "the number of rows that may be read", 100_000},
	RPCs:            {"rpcs", "the number of RPCs that may be sent", 1000},
	Objects:         {"objects", "the number of objects that may be returned", 100_000},
	Resolved:        {"resolved", "the number of values that resolvers may return", 200_000},
	Read:            {"read", "the number of bytes read from the store", 32 << 20},
	Answer:          {"answer", "the size of the answer in bytes", 16 << 20},
	Plan:            {"plan", "the size of the plan or of the report in bytes", 128 << 10},
	Errors:          {"errors", "the number of errors in an answer", 4},
}

// Limits are the maximum numbers; 0 is no limit.
type Limits [count]int

// Default returns the default limits.
func Default() (l Limits) {
	for limit, known := range Known {
		l[limit] = known.Default
	}
	return l
}

// With changes default limits by name.
func With(values map[string]int) (Limits, error) {
	l := Default()
	var names []string
	for _, known := range Known {
		names = append(names, known.Name)
	}
	for name, n := range values {
		limit := slices.Index(names, name)
		if limit < 0 {
			return l, fmt.Errorf("there is no limit %q; there are %s", name, strings.Join(names, ", "))
		}
		if n < 0 {
			return l, fmt.Errorf("the limit %s can't be %d; 0 is no limit", name, n)
		}
		l[limit] = n
	}
	return l, nil
}

func (l *Limits) check(limit Limit, actual int) *apierr.Error {
	most := l[limit]
	if most <= 0 || actual <= most {
		return nil
	}
	rejection := apierr.LimitExceeded(Known[limit].What, most, actual)
	if limit == Errors {
		rejection.Code = apierr.CodeTooManyErrors
	}
	return rejection
}

type checker struct {
	limits    *Limits
	rejection *apierr.Error
}

func (c *checker) check(limit Limit, actual int) {
	if c.rejection == nil {
		c.rejection = c.limits.check(limit, actual)
	}
}
