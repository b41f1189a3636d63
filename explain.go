package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/endpoint/strict"
	"twibase/graph/exec"
	"twibase/graph/limits"
	"twibase/hbase/tables"
	"twibase/resolvers"
)

type explainCommand struct {
	File      string         `arg:"" help:"A file with a GraphQL document; - is the standard input."`
	Variables string         `placeholder:"JSON" help:"The variables, as a JSON object."`
	Operation string         `placeholder:"NAME" help:"Which operation, if the document has several."`
	As        string         `placeholder:"USERNAME" help:"Who asks (default: a stranger). What a viewer may see may cost questions."`
	Limit     map[string]int `mapsep:"," placeholder:"NAME=N,…" help:"The limits of the server, where they are not the defaults: as for serve."`
}

// Run prints what the server would read to answer, as a tree, and fails if the server would refuse to. It asks no store.
func (c *explainCommand) Run(ctx context.Context, p process) error {
	bounds, err := limits.With(c.Limit)
	if err != nil {
		return err
	}
	document, err := c.document()
	if err != nil {
		return err
	}
	params := &graphql.RawParams{Query: string(document), OperationName: c.Operation}
	if c.Variables != "" {
		variables := bounds.Object()
		if err := strict.Value(strings.NewReader(c.Variables), &variables); err != nil {
			return fmt.Errorf(`--variables: %w; write a JSON object, such as {"first": 5}`, err)
		}
		params.Variables = variables.Fields
	}
	if c.As != "" {
		if err := tables.CheckUsername(c.As); err != nil {
			return fmt.Errorf("--as: %w", err)
		}
		ctx = auth.WithViewer(ctx, auth.Viewer{Username: c.As})
	}
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, tasks)
	plan, refusals := endpoint.Explain(ctx, schema, resolvers.Costs(tables.ListBound), bounds, params)
	if plan != nil {
		_, err = io.WriteString(p.stdout, plan.Text)
	}
	return errors.Join(err, c.refused(refusals))
}

func (c *explainCommand) document() ([]byte, error) {
	if c.File == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(c.File)
}

// refused says what is wrong with the document, and where.
func (c *explainCommand) refused(refusals gqlerror.List) error {
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
