package plan_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"

	"twibase/graph/plan/example"
	"twibase/graph/plan/example/exec"
)

func answer(schema graphql.ExecutableSchema, query string) string {
	server := executor.New(schema)
	ctx := graphql.StartOperationTrace(context.Background())
	op, errs := server.CreateOperationContext(ctx, &graphql.RawParams{Query: query})
	if errs != nil {
		return errs.Error()
	}
	respond, ctx := server.DispatchOperation(ctx, op)
	text, err := json.Marshal(respond(ctx))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// A batch resolver is called once per level, whatever lists its objects come from.
func Example() {
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: example.Resolvers{}}, nil)
	fmt.Println(answer(schema, `{ countries { cities { trains(most: 1) { trains(most: 1) { name } } } } }`))
	// Output:
	// Query.countries
	// Country.cities of 2 countries
	// City.trains of 4 cities
	// City.trains of 4 cities
	// {"data":{"countries":[{"cities":[{"trains":[{"trains":[{"name":"Lyon"}]}]},{"trains":[{"trains":[{"name":"Lyon"}]}]}]},{"cities":[{"trains":[{"trains":[{"name":"Paris"}]}]},{"trains":[{"trains":[{"name":"Lyon"}]}]}]}]}}
}

// A resolver of one object works as it does with gqlgen.
func Example_oneObject() {
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: example.Resolvers{}}, nil)
	fmt.Println(answer(schema, `{ countries { cities { name country { name } } } }`))
	// Output:
	// Query.countries
	// Country.cities of 2 countries
	// {"data":{"countries":[{"cities":[{"name":"Rome","country":{"name":"Italy"}},{"name":"Milan","country":{"name":"Italy"}}]},{"cities":[{"name":"Paris","country":{"name":"France"}},{"name":"Lyon","country":{"name":"France"}}]}]}}
}
