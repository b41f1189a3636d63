package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"twibase/graph/auth"
	"twibase/graph/budget"
	"twibase/graph/documents"
	"twibase/graph/endpoint"
	"twibase/graph/explain"
	"twibase/graph/limits"
	"twibase/resolvers"
	"twibase/transfer"
)

func TestNoRequestExceedsTheBudgetOfItsDocument(t *testing.T) {
	n := queryCount(*explained) / 5
	random := seedOf(t)
	store := inMemory(t)
	importInto(t, store, generated(t, 1), transfer.Options{ListBound: 5})
	pool := newExecutors(store).collectArguments(t)
	var compared, open, equal atomic.Int64
	for _, listBound := range []int{5, 50_000} {
		schema := plannedSchema()
		ends := endpoint.NewChecker(schema, resolvers.Costs(listBound), limits.Limits{})
		budgets := &budget.Checker{Endpoint: ends, Schema: schema.Schema()}
		var group errgroup.Group
		for worker := range 4 {
			dir := t.TempDir()
			group.Go(func() error {
				for i := worker; i < n; i += 4 {
					q := &queries{Rand: rand.New(rand.NewPCG(random+uint64(listBound), uint64(i))), schema: schema.Schema(),
						pool: pool, narrow: i%2 == 0}
					text, variables := q.operation()
					viewer := []auth.Viewer{{}, {Username: "alice"}, {Username: "root", Admin: true}}[q.IntN(3)]
					actual, ok, err := predicted(ends, text, variables, viewer)
					if err != nil || !ok {
						if err != nil {
							return err
						}
						continue
					}
					bound, err := budgetOf(budgets, dir, text)
					if err != nil {
						return fmt.Errorf("%w\n%s", err, text)
					}
					compared.Add(1)
					if len(variables) > 0 {
						open.Add(1)
					}
					if actual == bound {
						equal.Add(1)
					}
					if violation := exceeds(actual, bound); violation != "" {
						return fmt.Errorf("query %d of -seed %d, lists of %d: %s\n%s\n%v %v", i, random, listBound, violation, text,
							variables, viewer)
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d requests compared, %d with variables; %d cost exactly their bound", compared.Load(), open.Load(), equal.Load())
	if compared.Load() < int64(n)/2 || open.Load() < int64(n)/4 || equal.Load() < int64(n)/20 {
		t.Error("too few requests were compared")
	}
}

func predicted(
	c *endpoint.Checker, text string, variables map[string]any, viewer auth.Viewer,
) (cost explain.Totals, ok bool, err error) {
	doc, errs := c.Document(text)
	if errs != nil {
		return cost, false, nil
	}
	encoded, err := json.Marshal(variables)
	if err != nil {
		return cost, false, err
	}
	decoder, given := json.NewDecoder(strings.NewReader(string(encoded))), map[string]any{}
	decoder.UseNumber()
	if err := decoder.Decode(&given); err != nil {
		return cost, false, err
	}
	ctx := context.Background()
	if viewer.Username != "" {
		ctx = auth.WithViewer(ctx, viewer)
	}
	cost, _, errs = c.Itemize(ctx, doc, "", given)
	return cost, errs == nil, nil
}

func budgetOf(c *budget.Checker, dir, text string) (bound explain.Totals, err error) {
	file := filepath.Join(dir, "document.graphql")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return bound, err
	}
	trusted, err := documents.Read(file)
	if err != nil {
		return bound, err
	}
	operations := c.Operations(context.Background(), trusted)
	o := operations[0]
	if len(o.Rejected) > 0 {
		return bound, fmt.Errorf("the document is rejected, and a request is not: %v", o.Rejected)
	}
	var rows, objects int64
	for _, f := range o.Fields {
		rows, objects = rows+f.Rows, objects+f.Objects
	}
	if rows != o.Rows || objects != o.Objects {
		return bound, fmt.Errorf("the fields have %d rows and %d objects, the operation %d and %d", rows, objects, o.Rows, o.Objects)
	}
	return o.Totals, nil
}

func exceeds(actual, bound explain.Totals) string {
	for _, f := range []struct {
		name        string
		actual, max int64
	}{{"rounds", actual.Rounds, bound.Rounds}, {"RPCs", actual.RPCs, bound.RPCs}, {"Gets", actual.Gets, bound.Gets},
		{"scans", actual.Scans, bound.Scans}, {"rows", actual.Rows, bound.Rows}, {"objects", actual.Objects, bound.Objects},
		{"values", actual.Resolved, bound.Resolved}} {
		if f.actual > f.max {
			return fmt.Sprintf("%d %s, the document has at most %d", f.actual, f.name, f.max)
		}
	}
	return ""
}
