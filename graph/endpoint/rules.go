package endpoint

import (
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/limits"
)

// Invalid returns why a server would refuse a document that it trusts, nil if it would not.
func Invalid(schema *ast.Schema, bounds *limits.Limits, document string) error {
	if _, errs := newPreparer(schema, *bounds, true).parse(document); errs != nil {
		return errs
	}
	return nil
}
