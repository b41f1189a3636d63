package explain

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/plan"
)

// Costs returns the cost of a field with a resolver, or nil.
type Costs func(object, field string) Cost

// Cost declares the reads and objects of a call, or returns the error of its resolver.
type Cost func(*Call) error

// Call is a resolver call, not safe for concurrent use.
type Call struct {
	// Ctx and Args are those of the resolver.
	Ctx  context.Context
	Args map[string]any
	// Parents are the objects of the call. A root field has one.
	Parents *Set

	estimate *estimate
	step     *step
	returns  map[string]*Set
}

// Begin returns the stage at which the resolver is called.
func (c *Call) Begin() Stage { return c.Parents.Ready }

// Read declares a read for each object of a set, and returns the stage at which it is answered.
func (c *Call) Read(at Stage, set *Set, r Read) Stage {
	if r.Limit > 0 {
		r.open = c.openArguments()
	}
	return c.estimate.read(c.step, at, set, r)
}

// Shared is a set of one object, for rows that do not depend on the parents. A read's Subject names
// the row.
func (c *Call) Shared() *Set { return &c.estimate.shared }

// Forget declares that the loaders forget the reads of [Call.Shared] so far: equal reads are sent
// again.
func (c *Call) Forget() { c.estimate.shared.sent = nil }

// Scan declares a scan, and returns the stage at which it is answered.
func (c *Call) Scan(at Stage, r Read, rows int) Stage {
	e := c.estimate
	e.records = append(e.records, &record{Read: r, step: c.step, begun: at, rows: int64(rows)})
	e.chains = append(e.chains, 0)
	return Stage{chain: len(e.chains) - 1}
}

// Set returns a set with a number of objects for each object of another set.
func (c *Call) Set(of *Set, each int64, ready Stage) *Set {
	return &Set{Cardinality: times(of.Cardinality, max(each, 0)), Ready: ready}
}

// Returns declares the objects that the field returns, for a connection its nodes. typ is empty
// unless the field has an abstract type.
func (c *Call) Returns(typ string, objects *Set) {
	if c.returns == nil {
		c.returns = map[string]*Set{}
	}
	c.returns[typ] = objects
	c.step.objects = add(c.step.objects, objects.Cardinality)
}

// Unbounded declares why the arguments do not bound the reads.
func (c *Call) Unbounded(why string) { c.step.open = why }

// Open reports whether an argument depends on a variable of [WithOpen].
func (c *Call) Open(argument string) bool {
	open := openIn(c.Ctx)
	if len(open) == 0 {
		return false
	}
	given := graphql.GetFieldContext(c.Ctx).Field.Arguments.ForName(argument)
	return given != nil && isOpen(given.Value, open)
}

func (c *Call) openArguments() (text string) {
	open := openIn(c.Ctx)
	if len(open) == 0 {
		return ""
	}
	for _, a := range graphql.GetFieldContext(c.Ctx).Field.Arguments {
		if isOpen(a.Value, open) {
			text += a.Name + ":" + a.Value.String() + ","
		}
	}
	return text
}

func (c *Call) below(typ string) *Set {
	if set := c.returns[typ]; set != nil {
		return set
	}
	if set := c.returns[""]; set != nil {
		return set
	}
	return &Set{Ready: c.Begin()}
}

func (e *estimate) visit(call plan.Call, parents *Set, costs Costs) func(typ string) *Set {
	if call.Root {
		root := &Set{Cardinality: parents.Cardinality, Ready: parents.Ready}
		return func(string) *Set { return root }
	}
	if call.Serial { // it begins after all rounds of the calls before it
		parents = &Set{Cardinality: 1, Ready: Stage{round: e.chains[0]}}
	}
	s := &step{parents: parents.Cardinality}
	c := &Call{Ctx: call.Ctx, Args: call.Args, Parents: parents, estimate: e, step: s}
	s.call = c
	e.steps = append(e.steps, s)
	if call.Serial {
		// If @skip or @include has an open variable, the calls before this one may be skipped, so
		// this call shares no reads with them.
		c.Forget()
	}
	s.err, s.uncalled = call.Err, call.Err != nil
	if s.uncalled || parents.Cardinality == 0 {
		return c.below
	}
	if cost := costs(call.Object, call.Field); cost != nil {
		s.err = cost(c)
	} else {
		c.Unbounded("its cost is not declared")
	}
	return c.below
}
