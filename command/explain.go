package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/gateway"
	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/endpoint/strict"
	"twibase/graph/exec"
	"twibase/graph/limits"
	"twibase/hbase/tables"
	"twibase/resolvers"
)

type explainCommand struct {
	File      string         `arg:"" help:"File with a GraphQL document; - is standard input."`
	Variables string         `placeholder:"JSON" help:"Variables, as a JSON object."`
	Operation string         `placeholder:"NAME" help:"Operation, if the document has several."`
	As        string         `placeholder:"USERNAME" help:"Viewer (default: anonymous)."`
	Limit     map[string]int `mapsep:"," placeholder:"NAME=N,…" help:"Limits, as for twibase serve."`
}

// Run prints the plan of a document, or the error that a server would return, or both if the
// document costs too much.
func (c *explainCommand) Run(ctx context.Context, p process) error {
	bounds, err := limits.With(c.Limit)
	if err != nil {
		return err
	}
	params, err := c.params(bounds)
	if err != nil {
		return err
	}
	if c.As != "" {
		if err := tables.CheckUsername(c.As); err != nil {
			return fmt.Errorf("--as: %w", err)
		}
		ctx = auth.WithViewer(ctx, auth.Viewer{Username: c.As})
	}
	_, checker := newChecker(bounds)
	plan, rejections := checker.Explain(ctx, params)
	if plan != nil {
		_, err = io.WriteString(p.stdout, plan.Text)
	}
	return errors.Join(err, c.located(rejections))
}

func (c *explainCommand) params(bounds limits.Limits) (*graphql.RawParams, error) {
	document, err := c.document()
	if err != nil {
		return nil, err
	}
	variables, err := variablesOf(c.Variables, bounds)
	return &graphql.RawParams{Query: string(document), OperationName: c.Operation, Variables: variables.Fields}, err
}

func variablesOf(text string, bounds limits.Limits) (limits.Object, error) {
	variables := bounds.Object()
	if text != "" {
		if err := strict.Value([]byte(text), &variables); err != nil {
			return variables, fmt.Errorf(`--variables: %w; write a JSON object, such as {"first": 5}`, err)
		}
	}
	return variables, nil
}

func newChecker(bounds limits.Limits) (graphql.ExecutableSchema, *endpoint.Checker) {
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, nil)
	return schema, endpoint.NewChecker(schema, resolvers.Costs(tables.ListBound), bounds)
}

func (c *explainCommand) document() ([]byte, error) {
	if c.File == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(c.File)
}

func (c *explainCommand) located(rejections gqlerror.List) error {
	var errs []error
	for _, r := range rejections {
		place := c.File
		if len(r.Locations) > 0 {
			place = fmt.Sprintf("%s:%d:%d", c.File, r.Locations[0].Line, r.Locations[0].Column)
		}
		errs = append(errs, fmt.Errorf("%s: %s", place, r.Message))
	}
	return errors.Join(errs...)
}

type schemaCommand struct{}

func (schemaCommand) Run(p process) error {
	_, err := fmt.Fprint(p.stdout, gateway.SDL())
	return err
}
