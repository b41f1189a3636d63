package explain

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/plan"
	"twibase/graph/relay"
	sdl "twibase/graph/schema"
)

// WithCosts returns a copy of the schema's definitions with @cost, in rows, and @listSize. Weights
// come from the [Cost] of each field for one parent, a viewer who is not an administrator, the most
// expensive required arguments, and a default page after or before a cursor, whichever costs more.
// The sum of the weights bounds the rows of a query, unless a page is larger than the default.
//
//	@cost of a type        the rows that one more object adds to a page: the minimum over all lists
//	                       of the type
//	@cost of a field       the rows of the call, less the weights of its objects; or the rows of the
//	                       call if no object is selected, whichever is larger
//	@cost of an argument   the rows that an optional text adds, such as users(query:)
func WithCosts(schema graphql.ExecutableSchema, costs Costs, ids []string) (*ast.Schema, error) {
	p := prober{schema: schema, costs: costs, ids: ids, paths: pathsOf(schema.Schema()), resolved: map[string]bool{}}
	for _, field := range plan.Resolvers(schema) {
		p.resolved[field[0]+"."+field[1]] = true
	}
	weights, found, withText := map[string]int64{}, map[string]probe{}, map[string]probe{}
	for _, name := range slices.Sorted(maps.Keys(p.resolved)) {
		probed, err := p.field(name, "")
		if err != nil {
			return nil, fmt.Errorf("the cost of %s: %w", name, err)
		}
		for _, argument := range p.definition(name).Arguments {
			if !isText(argument) || !probed.paged {
				continue
			}
			if withText[name+"."+argument.Name], err = p.field(name, argument.Name); err != nil {
				return nil, fmt.Errorf("the cost of %s with %s: %w", name, argument.Name, err)
			}
		}
		if found[name] = probed; probed.paged {
			if least, known := weights[probed.typ]; !known || probed.slope < least {
				weights[probed.typ] = probed.slope
			}
		}
	}
	for name, possible := range schema.Schema().PossibleTypes {
		for _, typ := range possible {
			weights[name] = max(weights[name], weights[typ.Name])
		}
	}
	into, err := gqlparser.LoadSchema(&ast.Source{Input: sdl.SDL(schema.Schema())})
	if err != nil {
		return nil, err
	}
	for _, def := range into.Types {
		if def.BuiltIn {
			continue
		}
		if def.Kind == ast.Object {
			def.Directives = append(def.Directives, costDirective(weights[def.Name]))
		}
		for _, field := range def.Fields {
			freeInputs(into, def, field)
			if probed, ok := found[def.Name+"."+field.Name]; ok {
				weight := probed.weight(weights)
				field.Directives = append(field.Directives, costDirective(weight))
				for _, argument := range field.Arguments {
					if with, ok := withText[def.Name+"."+field.Name+"."+argument.Name]; ok {
						argument.Directives = append(argument.Directives, costDirective(max(with.weight(weights)-weight, 0)))
					}
				}
				field.Directives = append(field.Directives, probed.listSize(into, field)...)
			} else if def.Kind == ast.Object && into.Types[field.Type.Name()].IsCompositeType() {
				field.Directives = append(field.Directives, costDirective(0))
			}
		}
	}
	return into, nil
}

// freeInputs gives input objects the weight 0. Their default is 1.
func freeInputs(schema *ast.Schema, of *ast.Definition, field *ast.FieldDefinition) {
	if of.Kind == ast.InputObject && schema.Types[field.Type.Name()].Kind == ast.InputObject {
		field.Directives = append(field.Directives, costDirective(0))
	}
	for _, argument := range field.Arguments {
		if schema.Types[argument.Type.Name()].Kind == ast.InputObject {
			argument.Directives = append(argument.Directives, costDirective(0))
		}
	}
}

func costDirective(weight int64) *ast.Directive {
	value := &ast.Value{Kind: ast.StringValue, Raw: strconv.FormatInt(weight, 10)}
	return &ast.Directive{Name: "cost", Arguments: ast.ArgumentList{{Name: "weight", Value: value}}}
}

func (p probe) listSize(schema *ast.Schema, field *ast.FieldDefinition) ast.DirectiveList {
	sized, slicing := names(nil), names(nil)
	for _, below := range schema.Types[field.Type.Name()].Fields {
		if p.paged && below.Type.Elem != nil {
			sized = append(sized, below.Name)
		}
	}
	for _, name := range []string{"first", "last"} {
		if field.Arguments.ForName(name) != nil {
			slicing = append(slicing, name)
		}
	}
	if field.Type.Elem == nil && sized == nil || p.objects == 0 {
		return nil
	}
	size := &ast.Value{Kind: ast.IntValue, Raw: strconv.FormatInt(p.objects, 10)}
	d := &ast.Directive{Name: "listSize", Arguments: ast.ArgumentList{{Name: "assumedSize", Value: size}}}
	if slicing != nil {
		no := &ast.Value{Kind: ast.BooleanValue, Raw: "false"}
		d.Arguments = append(d.Arguments, slicing.argument("slicingArguments"), sized.argument("sizedFields"),
			&ast.Argument{Name: "requireOneSlicingArgument", Value: no})
	}
	return ast.DirectiveList{d}
}

type names []string

func (s names) argument(name string) *ast.Argument {
	list := &ast.Value{Kind: ast.ListValue}
	for _, element := range s {
		list.Children = append(list.Children, &ast.ChildValue{Value: &ast.Value{Kind: ast.StringValue, Raw: element}})
	}
	return &ast.Argument{Name: name, Value: list}
}

type probe struct {
	typ           string // of the objects
	rows, objects int64  // of the default page
	least         int64  // the rows if no object is selected
	paged         bool
	slope         int64 // the rows of one more entry of a page
}

func (p probe) weight(weights map[string]int64) int64 {
	return max(p.rows-p.objects*weights[p.typ], p.least)
}

func (p *prober) field(name, text string) (probe, error) {
	def := p.definition(name)
	found := probe{typ: def.Type.Name(), paged: def.Arguments.ForName("first") != nil}
	for _, below := range p.schema.Schema().Types[found.typ].Fields {
		// Unlike edges, the objects of a connection implement an interface.
		if typ := p.schema.Schema().Types[below.Type.Name()]; found.paged && len(p.schema.Schema().GetImplements(typ)) > 0 {
			found.typ = typ.Name
			break
		}
	}
	sizes := []string{""}
	if found.paged {
		sizes = []string{"first:" + strconv.Itoa(relay.DefaultPage), "last:" + strconv.Itoa(relay.DefaultPage)}
	}
	var first Totals
	for i, size := range sizes {
		totals, err := p.totals(name, size, text, "")
		if err != nil {
			return found, err
		}
		if i == 0 {
			first = totals
		}
		found.rows, found.objects = max(found.rows, totals.Rows), max(found.objects, totals.Objects)
		if found.paged {
			if totals, err = p.totals(name, size, text, found.typ); err != nil {
				return found, err
			}
			found.least = max(found.least, totals.Rows)
		}
	}
	if found.paged {
		one, err := p.totals(name, "first:1", text, "")
		found.slope = (first.Rows - one.Rows) / (relay.DefaultPage - 1)
		return found, err
	}
	return found, nil
}

func (p *prober) totals(name, size, text, omittedType string) (most Totals, err error) {
	for _, id := range p.ids {
		totals, err := p.totalsOf(name, size, text, id, omittedType)
		if err != nil {
			return most, err
		}
		if totals.Rows >= most.Rows {
			most = totals
		}
	}
	return most, nil
}

func (p *prober) totalsOf(name, size, text, id, omittedType string) (totals Totals, err error) {
	doc, variables, err := p.document(name, size, text, id, omittedType)
	if err != nil {
		return totals, err
	}
	op := &graphql.OperationContext{
		Doc: doc, Operation: doc.Operations[0], Variables: variables, RecoverFunc: graphql.DefaultRecover,
		ResolverMiddleware: plan.PassField, RootResolverMiddleware: plan.PassRootField,
	}
	open := map[string]bool{}
	for variable, value := range variables {
		_, list := value.([]any)
		open[variable] = !list && value != id
	}
	ctx := WithOpen(graphql.WithOperationContext(p.ctx(), op), open)
	err = plan.Walk(ctx, p.schema, &Set{Cardinality: 1}, func(call plan.Call, parents *Set) func(string) *Set {
		if call.Object+"."+call.Field == name {
			if err == nil {
				err = call.Err
			}
			e := newEstimate(false)
			e.visit(call, &Set{Cardinality: 1}, p.costs)
			totals = e.totals()
		}
		return func(string) *Set { return parents }
	})
	return totals, err
}
