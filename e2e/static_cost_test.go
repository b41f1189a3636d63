package e2e

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	gatewaypkg "twibase/gateway"
	"twibase/graph/explain"
	"twibase/graph/relay"
	"twibase/hbase/tables"
)

var costed = flag.Int("costed", 3000,
	"number of random queries whose static cost is compared with their plans")

// staticCost follows IBM's cost specification.
type staticCost struct {
	t         *testing.T
	schema    *ast.Schema
	variables map[string]any
}

func (c *staticCost) of(operation *ast.OperationDefinition) int {
	return c.set(operation.SelectionSet, 1, nil, 0)
}

// set is for n objects, whose sized fields are lists of a length.
func (c *staticCost) set(set ast.SelectionSet, n int, sized map[string]bool, length int) (cost int) {
	for _, selected := range set {
		switch selected := selected.(type) {
		case *ast.Field:
			cost += c.field(selected, n, sized, length)
		case *ast.InlineFragment:
			cost += c.set(selected.SelectionSet, n, sized, length)
		case *ast.FragmentSpread:
			cost += c.set(selected.Definition.SelectionSet, n, sized, length)
		}
	}
	return cost
}

func (c *staticCost) field(f *ast.Field, n int, sized map[string]bool, length int) int {
	typ := c.schema.Types[f.Definition.Type.Name()]
	if typ.BuiltIn && typ.IsCompositeType() || f.Name == "__typename" {
		return 0
	}
	defaultWeight := 0
	if typ.IsCompositeType() {
		defaultWeight = 1
	}
	cost, objects := n*c.weight(f.Definition.Directives, defaultWeight), n
	for _, argument := range f.Arguments {
		cost += n * c.weight(f.Definition.Arguments.ForName(argument.Name).Directives, 0)
	}
	if sized[f.Name] {
		objects = n * length
	}
	var below map[string]bool
	size := 0
	if d := f.Definition.Directives.ForName("listSize"); d != nil {
		size, below = c.size(f, d)
		if below == nil {
			objects = n * size
		}
	}
	heaviest := 0
	for _, possible := range c.schema.GetPossibleTypes(typ) {
		heaviest = max(heaviest, c.weight(possible.Directives, 1))
	}
	return cost + objects*heaviest + c.set(f.SelectionSet, objects, below, size)
}

func (c *staticCost) weight(directives ast.DirectiveList, defaultWeight int) int {
	cost := directives.ForName("cost")
	if cost == nil {
		return defaultWeight
	}
	weight, err := strconv.Atoi(cost.Arguments.ForName("weight").Value.Raw)
	if err != nil {
		c.t.Fatal(err)
	}
	return weight
}

func (c *staticCost) size(f *ast.Field, d *ast.Directive) (size int, sized map[string]bool) {
	arguments := d.ArgumentMap(nil)
	size = int(arguments["assumedSize"].(int64))
	slicing, _ := arguments["slicingArguments"].([]any)
	largest := -1
	for _, name := range slicing {
		largest = max(largest, lengthOf(f, name.(string), c.variables))
	}
	if largest >= 0 {
		size = largest
	}
	fields, _ := arguments["sizedFields"].([]any)
	for _, name := range fields {
		if sized == nil {
			sized = map[string]bool{}
		}
		sized[name.(string)] = true
	}
	return size, sized
}

func lengthOf(f *ast.Field, argument string, variables map[string]any) int {
	given := f.Arguments.ForName(argument)
	if given == nil {
		return -1
	}
	value, err := given.Value.Value(variables)
	if length, ok := value.(int); ok && err == nil {
		return length
	}
	if length, ok := value.(int64); ok && err == nil {
		return int(length)
	}
	return -1
}

func TestStaticCostIsAtLeastThePlan(t *testing.T) {
	n, random := *costed, seedOf(t)
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: gatewaypkg.SDL()})
	store := inMemory(t)
	handler := newExplainHandler(store, tables.ListBound)
	var ratios []float64
	for i := range n {
		q := &queries{Rand: rand.New(rand.NewPCG(random, uint64(i))), schema: apiSchema}
		text, variables := q.query()
		document, errs := gqlparser.LoadQueryWithRules(schema, text, rules.NewDefaultRules())
		if errs != nil {
			continue
		}
		c := staticCost{t, schema, variables}
		r := q.request(text, nil)
		r.variables = variables
		if !smallPages(document, variables) {
			continue
		}
		response, body, err := r.costs(handler, explain.Header)
		if err != nil {
			t.Fatal(err)
		}
		plan := response.Extensions.Plan
		if plan == nil {
			continue
		}
		cost := c.of(document.Operations[0])
		if ratios = append(ratios, float64(cost)/max(1, float64(plan.Rows))); int64(cost) < plan.Rows {
			t.Fatalf("seed %d, query %d: the static cost is %d, and the plan has %d rows\n%s\n%s\n%s", random, i, cost, plan.Rows, r, plan.Text, excerpt(body))
		}
	}
	if len(ratios) < n/2 {
		t.Fatalf("only %d of %d queries were compared", len(ratios), n)
	}
	slices.Sort(ratios)
	t.Logf("%d of %d queries: half of the static costs are at most %.1f times the rows of the plan", len(ratios), n, ratios[len(ratios)/2])
}

func TestStaticCostDependsOnArguments(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: gatewaypkg.SDL()})
	for text, want := range map[string]int{
		`{ games { edges { cursor } } }`:             22, // a page of 20, one more, and the cursor
		`{ users { edges { cursor } } }`:             22,
		`{ users(query: "l") { edges { cursor } } }`: 42, // the entries, and the names of 20 users
	} {
		document, errs := gqlparser.LoadQueryWithRules(schema, text, rules.NewDefaultRules())
		if errs != nil {
			t.Fatal(errs)
		}
		c := staticCost{t: t, schema: schema}
		if got := c.of(document.Operations[0]); got != want {
			t.Errorf("%s: the cost is %d, want %d", text, got, want)
		}
	}
}

func smallPages(document *ast.QueryDocument, variables map[string]any) bool {
	small := true
	var walk func(ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		for _, selected := range set {
			switch selected := selected.(type) {
			case *ast.Field:
				for _, name := range []string{"first", "last"} {
					small = small && lengthOf(selected, name, variables) <= relay.DefaultPage
				}
				walk(selected.SelectionSet)
			case *ast.InlineFragment:
				walk(selected.SelectionSet)
			}
		}
	}
	for _, operation := range document.Operations {
		walk(operation.SelectionSet)
	}
	for _, fragment := range document.Fragments {
		walk(fragment.SelectionSet)
	}
	return small
}
