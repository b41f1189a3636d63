package writers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"twibase/hbase"
	"twibase/transfer/check"
)

// modelNoun is how a noun joins the random histories: a file model_<noun>_test.go appends one to modelled.
type modelNoun struct {
	name string
	// begin writes what there is before the first call, and says so in the world. It may be nil.
	begin func(store hbase.Store, w world) []hbase.Mutation
	// call returns a random call. It takes its chances from r alone.
	call func(r *rand.Rand) call
	// observe says in the world what the rows say that are the truth of this noun.
	observe func(ctx context.Context, store hbase.Store, w world) error
}

// modelled are the nouns of the histories.
var modelled []modelNoun

// world is a simple model of everything: what is, by name. What is not has no entry.
type world map[string]string

func (w world) String() string {
	lines := make([]string, 0, len(w))
	for name, value := range w {
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

// call is a call of a mutation.
type call struct {
	text string
	// do makes it.
	do func(ctx context.Context, w *Writers) error
	// model does the same in the world, unless it is nil, and returns the code of the first problem, or nothing.
	model func(w world) Code
}

// unsure is the outcome of a call whose caller was told nothing: it may be made at any time, or never.
const unsure Code = "?"

// made is a call that was made, when it began and ended, and when in between it was decided.
type made struct {
	call
	outcome    Code
	began, end int
	decided    *moment
}

func (m made) String() string {
	return fmt.Sprintf("%3d–%3d %-30s %s", m.began, m.end, m.text, m.outcome)
}

func outcome(err error) Code {
	var problems UserErrors
	switch {
	case err == nil:
		return ""
	case errors.As(err, &problems):
		return problems[0].Code
	}
	return unsure
}

// checkStore returns what is wrong with a store in which nothing is on its way.
func checkStore(ctx context.Context, store hbase.Store) (violations []string, err error) {
	err = check.All(ctx, store, func(b check.Violation) { violations = append(violations, b.String()) })
	return violations, err
}
