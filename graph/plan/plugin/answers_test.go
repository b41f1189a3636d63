package plugin

import (
	"strings"
	"testing"
)

const responder = `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"

	"example/exec"
	"example/resolvers"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"

	"twibase/graph/plan"
	"twibase/graph/plan/plantest"
)

type tasks struct{}

func (tasks) Start(int)              {}
func (tasks) End()                   {}
func (tasks) Await() map[any]error  { return nil }

func ask(schema graphql.ExecutableSchema, query string) string {
	e := executor.New(schema)
	ctx := graphql.StartOperationTrace(context.Background())
	op, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: query})
	if errs != nil {
		return errs.Error()
	}
	respond, ctx := e.DispatchOperation(ctx, op)
	response := respond(ctx)
	for _, err := range response.Errors {
		err.Locations = nil
	}
	sort.Slice(response.Errors, func(i, j int) bool { return response.Errors[i].Error() < response.Errors[j].Error() })
	text, err := json.Marshal(response)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func main() {
	config := exec.Config{Resolvers: &resolvers.Resolver{}}
	of := func(context.Context) plan.Tasks { return tasks{} }
	for _, query := range strings.Split(os.Getenv("QUERIES"), "\n") {
		fmt.Println(ask(exec.NewPlannedSchema(config, of), query))
		fmt.Println(ask(exec.NewExecutableSchema(config), query))
		fmt.Println(ask(plantest.Gqlgen(exec.NewExecutableSchema(config), of), query))
	}
}
`

const drawn = `package drawn

import (
	"errors"
	"math"
)

type Hue int

const (
	Red Hue = iota + 1
	Blue
)

const (
	Low  = "l"
	High = "h"
)

type Shape interface{ IsShape() }

type Circle struct {
	Hue    Hue
	Hues   []Hue
	Other  *Hue
	Level  string
	Area   float64
	Areas  []float64
	Inner  []Shape
	Corner Point
	Points []Point
}

type Square struct{ Side int }

type Point struct{ X int }

func (Circle) IsShape()  {}
func (*Square) IsShape() {}

func (s *Square) Name() (string, error) {
	if s.Side > 1 {
		return "", errors.New("no name")
	}
	return "one", nil
}

func Shapes() []Shape {
	blue := Blue
	inner := []Shape{Circle{Hue: Red, Level: Low}, nil, &Square{1}, (*Circle)(nil)}
	return []Shape{
		Circle{
			Hue: Red, Hues: []Hue{Blue, Red}, Other: &blue, Level: High, Area: math.NaN(), Areas: []float64{1, math.Inf(1)},
			Inner: inner, Corner: Point{3}, Points: []Point{{1}, {2}},
		},
		&Square{1}, nil, &Square{2}, &Circle{Hue: Blue, Level: Low, Area: 2.5},
	}
}
`

func TestGeneratedCodeMatchesGqlgen(t *testing.T) {
	module{
		"main.go":        responder,
		"drawn/drawn.go": drawn,
		"resolvers/resolver.go": `package resolvers

import (
	"context"

	"strings"

	"example/drawn"
	"example/exec"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

type Resolver struct{}

func (*Resolver) Query() exec.QueryResolver   { return query{} }
func (*Resolver) Circle() exec.CircleResolver { return circle{} }

type query struct{}

func (query) Shapes(context.Context) ([]drawn.Shape, error) { return drawn.Shapes(), nil }
func (query) Shape(context.Context) (drawn.Shape, error)    { return drawn.Circle{Area: 1}, nil }
func (query) Echo(_ context.Context, value any) (any, error) { return value, nil }
func (query) Point(ctx context.Context) (*drawn.Point, error) {
	graphql.AddErrorf(ctx, "no point")
	return nil, nil
}
func (query) Hue(context.Context) (*drawn.Hue, error)       { h := drawn.Blue; return &h, nil }

type circle struct{}

func (circle) Alone(_ context.Context, c *drawn.Circle, times *int) (*drawn.Circle, error) {
	if c.Hue == drawn.Red {
		return nil, gqlerror.List{gqlerror.Errorf("it is red"), gqlerror.Errorf("and alone")}
	}
	return &drawn.Circle{Level: strings.Repeat(c.Level, *times)}, nil
}

func (circle) Noise(ctx context.Context, c *drawn.Circle) (string, error) {
	if c.Hue == drawn.Blue {
		graphql.AddErrorf(ctx, "it is blue")
		graphql.AddErrorf(ctx, "very blue")
	}
	return c.Level, nil
}

func (circle) Lists(_ context.Context, list []*drawn.Circle) ([]*string, error) {
	errs := make(graphql.BatchErrorList, len(list))
	for i := range errs {
		errs[i] = gqlerror.List{gqlerror.Errorf("one"), gqlerror.Errorf("two")}
	}
	return make([]*string, len(list)), errs
}

func (circle) Label(ctx context.Context, list []*drawn.Circle) ([]*string, error) {
	labels := make([]*string, len(list))
	for i, c := range list {
		if c != nil && c.Hue == drawn.Red {
			text := "red"
			labels[i] = &text
		}
	}
	return labels, nil
}
`,
		"gqlgen.yml": settings(`
models:
  Int: {model: github.com/99designs/gqlgen/graphql.Int}
  Any: {model: github.com/99designs/gqlgen/graphql.Any}
  Float: {model: github.com/99designs/gqlgen/graphql.FloatContext}
  Circle:
    model: example/drawn.Circle
    fields:
      label: {resolver: true}
      lists: {resolver: true}
      alone: {resolver: true, batch: false}
      noise: {resolver: true, batch: false}
  Square: {model: example/drawn.Square}
  Point: {model: example/drawn.Point}
  Shape: {model: example/drawn.Shape}
  Hue:
    model: example/drawn.Hue
    enum_values:
      RED: {value: example/drawn.Red}
      BLUE: {value: example/drawn.Blue}
  Level:
    model: github.com/99designs/gqlgen/graphql.String
    enum_values:
      LOW: {value: example/drawn.Low}
      HIGH: {value: example/drawn.High}
`),
		"schema.graphqls": `
scalar Any
type Query { echo(value: Any): Any  shapes: [Shape]  shape: Shape!  hue: Hue  point: Point! }
union Shape = Circle | Square
enum Hue { RED BLUE }
enum Level { LOW HIGH }
type Circle {
  hue: Hue!  hues: [Hue!]  other: Hue  level: Level  area: Float  areas: [Float!]  inner: [Shape]  corner: Point!
  points: [Point!]!  query: Query  mustQuery: Query!  label: String  lists: String  alone(times: Int = 2): Circle
  noise: String!
}
type Square { side: Int!  name: String }
type Point { x: Int! }
`}.write(t)
	if err := generate(); err != nil {
		t.Fatal(err)
	}
	queries := []string{
		`{echo one:echo(value:1)}`,
		`{hue shape{__typename ...on Circle{area}}}`,
		`{shapes{__typename ...on Circle{hue hues other}}}`,
		`{shapes{...on Circle{level corner{x} points{x}}}}`,
		`{shapes{...on Circle{label inner{__typename ...on Circle{label hue level}}}}}`,
		`{shapes{...on Circle{a:area}}}`,
		`{shapes{...on Circle{a:areas}}}`,
		`{shapes{...on Square{side name}}}`,
		`{point{x}}`,
		`{shapes{...on Circle{alone(times:3){label noise}}}}`,
		`{shapes{...on Circle{query{__typename hue shapes{...on Circle{hue label}} echo(value:[1])}}}}`,
		`{shapes{...on Circle{query{echo}}}}`,
		`{shapes{...on Circle{hue query{point{x}}}}}`,
		`{shapes{...on Circle{hue mustQuery{point{x}}}}}`,
		`{shapes{...on Circle{query{__schema{queryType{name}} mustBe:__type(name:"Hue"){name}}}}}`,
		`{shapes{...on Circle{lists noise alone{hues}}}}`,
	}
	t.Setenv("QUERIES", strings.Join(queries, "\n"))
	responses := run(t)
	for i, query := range queries {
		of := responses[3*i : 3*i+3]
		if of[0] != of[1] || of[2] != of[1] {
			t.Errorf("%s\nplan            %s\ngqlgen          %s\nplantest.Gqlgen %s", query, of[0], of[1], of[2])
		}
	}
}
