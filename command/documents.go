package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"twibase/graph/budget"
	"twibase/graph/documents"
	"twibase/graph/limits"
)

type documentsCommand struct {
	Check checkCommand `cmd:"" help:"Check that documents are valid and within limits, and print the upper bound of the cost of each operation."`
}

type checkCommand struct {
	Paths     []string         `arg:"" name:"path" help:"Documents, as for --documents of twibase serve."`
	Baseline  string           `placeholder:"FILE" help:"Earlier output with --format json. The exit status is 1 if an operation costs more rounds, RPCs or rows than before. With --max, only the costs that --max names are compared."`
	Max       map[string]int64 `mapsep:"," placeholder:"NAME=N,…" help:"Largest allowed cost of an operation: rounds, rpcs, rows, objects, gets, scans. With --baseline, an operation may also cost up to its cost in the baseline."`
	Format    string           `default:"table" enum:"table,json,markdown" help:"Output: ${enum} (default: ${default})."`
	Variables string           `placeholder:"JSON" help:"Values of variables by name, as a JSON object. Other variables have the most expensive values, such as pages of 100."`
	Limit     map[string]int   `mapsep:"," placeholder:"NAME=N,…" help:"Limits, as for twibase serve."`
}

func (c *checkCommand) Validate() error {
	if err := budget.Maximums(c.Max).Check(); err != nil {
		return fmt.Errorf("--max: %w", err)
	}
	_, err := limits.With(c.Limit)
	return err
}

func (c *checkCommand) Run(ctx context.Context, p process) error {
	bounds, err := limits.With(c.Limit)
	if err != nil {
		return err
	}
	variables, err := variablesOf(c.Variables, bounds)
	if err != nil {
		return err
	}
	if rejection := variables.Rejection(); rejection != nil {
		return fmt.Errorf("--variables: %w", rejection)
	}
	baseline, err := c.baseline()
	if err != nil {
		return err
	}
	trusted, err := documents.Read(c.Paths...)
	if err != nil {
		return err
	}
	schema, predictor := newChecker(bounds)
	checker := &budget.Checker{
		Endpoint:  predictor,
		Schema:    schema.Schema(),
		Variables: variables.Fields,
		List:      bounds[limits.List],
	}
	report := budget.Compare(checker.Operations(ctx, trusted), baseline, c.Max)
	write := map[string]func() error{
		"table":    func() error { return report.Table(p.stdout) },
		"json":     func() error { return report.JSON(p.stdout) },
		"markdown": func() error { return report.Markdown(p.stdout) },
	}
	if err := write[c.Format](); err != nil {
		return err
	}
	if report.Failed() > 0 {
		return errors.New(report.Summary())
	}
	return nil
}

func (c *checkCommand) baseline() ([]budget.Operation, error) {
	if c.Baseline == "" {
		return nil, nil
	}
	text, err := os.ReadFile(c.Baseline)
	if err != nil {
		return nil, fmt.Errorf("--baseline: %w", err)
	}
	operations, err := budget.ReadBaseline(text)
	if err != nil {
		return nil, fmt.Errorf("--baseline: %s is not the output of an earlier check with --format json: %w", c.Baseline, err)
	}
	return operations, nil
}
