package plugin

import (
	"strings"
	"testing"
)

const models = `package rows

import "context"

type Bag struct {
	Grid [][]*Bag
	Hue  string
	One  *Bag
}

func (*Bag) Argument(n *int) string                { return "" }
func (*Bag) InCtx(ctx context.Context) string      { return "" }
func (*Bag) Below(ctx context.Context) *Bag        { return nil }
func (*Bag) Failing() (*Bag, error)                { return nil, nil }
func (*Bag) Perhaps() (string, bool)               { return "", false }
func (*Bag) Named() string                         { return "" }
func (*Bag) IsAny()                                {}

type Any interface{ IsAny() }
`

func TestGenerateRejectsUnsupportedSchema(t *testing.T) {
	module{
		"rows/rows.go": models,
		"gqlgen.yml": settings(`
models:
  Int: {model: github.com/99designs/gqlgen/graphql.Int}
  Bag: {model: example/rows.Bag, fields: {slow: {resolver: true, batch: false}}}
  Sack: {model: example/rows.Bag}
  Any: {model: example/rows.Any}
  Loose: {model: "map[string]interface{}"}
  User: {model: twibase/hbase/tables.User}
  Instant: {model: time.Time}
directives:
  quiet: {skip_runtime: true}
`),
		"schema.graphqls": `
directive @loud on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION
directive @whole on INPUT_OBJECT
directive @asked on FIELD
directive @quiet on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | INPUT_OBJECT | FIELD
directive @goField(forceResolver: Boolean, name: String) on FIELD_DEFINITION | INPUT_FIELD_DEFINITION
type Query {
  bag(n: Int @loud, in: In, m: Int @quiet @deprecated): Bag @loud
  any: Any  loose: Loose  user: User  fine: Int @quiet @deprecated
}
input In @quiet { a: Int @loud  b: Int @quiet @deprecated }
input Whole @whole { a: Int }
input Either @oneOf { a: Int  b: Int }
scalar Text @specifiedBy(url: "http://example.com")
union Any = Bag | Sack
type Bag {
  grid: [[Bag]]
  hue: String @loud
  one: Bag @goField(name: "One")
  argument(n: Int): String
  inCtx: String
  below: Bag
  failing: Bag
  perhaps: String
  named: String
  root: Query
  roots: [Query]
  changes: Change
  slow: Bag
}
type Change { hue: String }
type Subscription { root: Query }
schema { query: Query  mutation: Change  subscription: Subscription }
type Sack { hue: String }
type Loose { a: Int }
type User { createdAt: Instant  username: String! }
type Instant { year: Int }
`}.write(t)
	err := generate()
	if err == nil {
		t.Fatal("got no error")
	}
	got := strings.Split(strings.TrimPrefix(err.Error(), "plan: "), "\n")
	for _, want := range []string{
		`Bag.grid: a list of lists`,
		`Bag.hue: @loud would not be run`,
		`Bag.argument: a leaf with arguments needs a resolver: give it a resolver`,
		`Bag.inCtx: its method takes a ctx`,
		`Bag.below: its method takes a ctx`,
		`Bag.failing: an error of its method would fail the field for all objects`,
		`Bag.perhaps: its bool result`,
		`Bag.roots: its type is a root type`,
		`Bag.changes: its type is a root type`,
		`Subscription.root: its type is a root type`,
		`Bag and Sack are both bound to example/rows.Bag`,
		`Loose: is bound to map[string]any`,
		`Query.loose: objects that are a map[string]any`,
		`User.createdAt: its object may not be loaded`,
		`Query.bag: @loud would not be run`,
		`Query.bag: @loud would run once for all requests with the same literal of the argument n`,
		`In.a: @loud would run once for all requests with the same literal`,
		`Whole: @whole would not be run`,
		`@asked is a directive of operations or fields, and would not be run`,
	} {
		found := false
		for i := range got {
			if strings.HasPrefix(got[i], want) {
				found, got[i] = true, ""
			}
		}
		if !found {
			t.Errorf("missing error: %s", want)
		}
	}
	if rest := strings.TrimSpace(strings.Join(got, "\n")); rest != "" {
		t.Errorf("unexpected errors:\n%s", rest)
	}
}
