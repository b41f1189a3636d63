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

// Each model_<noun>_test.go appends a modelNoun to modelled.
type modelNoun struct {
	name string
	// begin may be nil. It returns the first rows, and adds their facts.
	begin func(store hbase.Store, f facts) []hbase.Mutation
	// a function of r
	call    func(r *rand.Rand) call
	observe func(ctx context.Context, store hbase.Store, f facts) error
}

var modelled []modelNoun

type facts map[string]string

func (f facts) String() string {
	lines := make([]string, 0, len(f))
	for name, value := range f {
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

type call struct {
	text string
	do   func(ctx context.Context, w *Writers) error
	// model changes the facts as do must, and returns the first user error's code.
	model func(f facts) Code
}

// unknownOutcome is the outcome of a call without a response, which may take effect later.
const unknownOutcome Code = "?"

type callResult struct {
	call
	outcome    Code
	began, end int // steps of the scheduler
	linearized *linearization
}

func (m callResult) String() string {
	return fmt.Sprintf("%3d–%3d %-30s %s", m.began, m.end, m.text, m.outcome)
}

func outcome(err error) Code {
	var userErrors UserErrors
	switch {
	case err == nil:
		return ""
	case errors.As(err, &userErrors):
		return userErrors[0].Code
	}
	return unknownOutcome
}

func checkStore(ctx context.Context, store hbase.Store) (violations []string, err error) {
	err = check.All(ctx, store, func(v check.Violation) { violations = append(violations, v.String()) })
	return violations, err
}
