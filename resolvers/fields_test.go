package resolvers

import (
	"context"
	"slices"
	"testing"

	"twibase/graph/exec"
	"twibase/graph/plan"
)

func TestEveryResolverDeclaresItsCost(t *testing.T) {
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: &Resolver{}}, func(context.Context) plan.Tasks { return nil })
	var fields []string
	for _, field := range plan.Resolvers(schema) {
		fields = append(fields, field[0]+"."+field[1])
	}
	if len(fields) < 30 {
		t.Fatalf("the resolvers are %q", fields)
	}
	for _, field := range fields {
		if described[field] == nil {
			t.Errorf("%s has no cost: run make generate", field)
		}
	}
	for field := range described {
		if !slices.Contains(fields, field) {
			t.Errorf("%s has a cost but no resolver", field)
		}
	}
}
