package endpoint

import (
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/exec"
	"twibase/graph/limits"
)

func TestNullConditionIsRejected(t *testing.T) {
	schema := exec.NewExecutableSchema(exec.Config{Resolvers: root{}}).Schema()
	const others = ` query A($v:Boolean=true){viewer{...A}} fragment A on User{name @skip(if:$v)} fragment B on DeleteDepartmentPayload{deletedId}`
	for name, test := range map[string]struct {
		mutation string
		rejected bool
	}{
		"only another operation's":  {`deleteDepartment(input:{code:"x",moveChildrenUp:$v}){...B}`, false},
		"on a field":                {`deleteDepartment(input:{code:"x"}){deletedId @include(if:$v)...B}`, true},
		"on an inline fragment":     {`deleteDepartment(input:{code:"x"}){...@skip(if:$v){...B}}`, true},
		"on a spread":               {`deleteDepartment(input:{code:"x"}){...B @defer(if:$v)}`, true},
		"in a fragment of the root": {`...C deleteDepartment(input:{code:"x"}){...B}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			text := `mutation B($v:Boolean=true){` + test.mutation + `}` + others
			if strings.Contains(text, "...C") {
				text += ` fragment C on Mutation{deleteRole(input:{code:"x"}){deletedId @skip(if:$v)}}`
			}
			p := newPreparer(schema, &Config{Limits: limits.Default()})
			_, _, errs := p.prepare(graphql.StartOperationTrace(t.Context()),
				&graphql.RawParams{Query: text, OperationName: "B", Variables: map[string]any{"v": nil}})
			if rejected := errs != nil &&
				strings.HasPrefix(errs[0].Message, "$v is the condition of a directive"); rejected != test.rejected || !rejected &&
				errs != nil {
				t.Error(errs)
			}
		})
	}
}
