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

// Run prints the plan of a document. It opens no store, and fails if the server would reject the
// document.
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
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, nil)
	plan, refusals := endpoint.NewChecker(schema, resolvers.Costs(tables.ListBound), bounds).Explain(ctx, params)
	if plan != nil {
		_, err = io.WriteString(p.stdout, plan.Text)
	}
	return errors.Join(err, c.located(refusals))
}

func (c *explainCommand) params(bounds limits.Limits) (*graphql.RawParams, error) {
	document, err := c.document()
	if err != nil {
		return nil, err
	}
	params := &graphql.RawParams{Query: string(document), OperationName: c.Operation}
	if c.Variables != "" {
		variables := bounds.Object()
		if err := strict.Value([]byte(c.Variables), &variables); err != nil {
			return nil, fmt.Errorf(`--variables: %w; write a JSON object, such as {"first": 5}`, err)
		}
		params.Variables = variables.Fields
	}
	return params, nil
}

func (c *explainCommand) document() ([]byte, error) {
	if c.File == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(c.File)
}

func (c *explainCommand) located(refusals gqlerror.List) error {
	var errs []error
	for _, r := range refusals {
		place := c.File
		if len(r.Locations) > 0 {
			place = fmt.Sprintf("%s:%d:%d", c.File, r.Locations[0].Line, r.Locations[0].Column)
		}
		errs = append(errs, fmt.Errorf("%s: %s", place, r.Message))
	}
	return errors.Join(errs...)
}

type schemaCommand struct{}

// Run prints the schema in SDL. It opens no store.
func (schemaCommand) Run(p process) error {
	_, err := fmt.Fprint(p.stdout, gateway.SDL())
	return err
}
