package explain

import (
	"context"

	"twibase/graph/plan"
)

// Costs tells what a resolver reads at most, by the names of its object and field; nil if nobody has said. It is declared where the
// resolvers are.
type Costs func(object, field string) Cost

// Cost tells of all reads of a resolver, and of the objects that it leads to. An error is one that the resolver would return for all parents
// without reading anything.
type Cost func(*Call) error

// Call is a resolver that is to tell its cost. It is not safe for concurrent use.
type Call struct {
	// Ctx is what the resolver would be called with, and Args are its coerced arguments.
	Ctx  context.Context
	Args map[string]any
	// Parents are the objects that it is called with. Those of a root field are one.
	Parents *Crowd

	estimate *estimate
	step     *step
	leads    map[string]*Crowd
}

// Begin is when the resolver is called.
func (c *Call) Begin() Moment { return c.Parents.Called }

// Read tells of a read for each object of a crowd, asked for at a moment. It returns when that has been answered; who does not wait for it
// goes on from the moment before.
func (c *Call) Read(at Moment, crowd *Crowd, r Read) Moment {
	return c.estimate.read(c.step, at, crowd, r)
}

// Once is Read of a single row, of which Of says which: all resolvers of the operation have it in common.
func (c *Call) Once(at Moment, r Read) Moment {
	return c.estimate.read(c.step, at, &c.estimate.single, r)
}

// Forget tells that what was read before is read again if it is asked for from now on.
func (c *Call) Forget() { c.estimate.single.made = nil }

// Scan tells of a scan in one page of at most so many rows. It returns when they are there.
func (c *Call) Scan(at Moment, r Read, rows int) Moment {
	e := c.estimate
	e.records = append(e.records, &record{Read: r, step: c.step, begun: at, rows: int64(rows)})
	e.courses = append(e.courses, 0)
	return Moment{course: len(e.courses) - 1}
}

// Crowd makes a set of objects: so many for each of another crowd, with which resolvers are called from that moment on.
func (c *Call) Crowd(of *Crowd, each int64, called Moment) *Crowd {
	return &Crowd{N: times(of.N, max(each, 0)), Called: called}
}

// Lead tells that the field leads to these objects, of that type; an empty one is whatever type it has.
func (c *Call) Lead(typ string, objects *Crowd) {
	if c.leads == nil {
		c.leads = map[string]*Crowd{}
	}
	c.leads[typ] = objects
	c.step.objects = add(c.step.objects, objects.N)
}

// Open tells that no arguments bound what is read, and what does instead.
func (c *Call) Open(why string) { c.step.open = why }

func (c *Call) below(typ string) *Crowd {
	if crowd := c.leads[typ]; crowd != nil {
		return crowd
	}
	if crowd := c.leads[""]; crowd != nil {
		return crowd
	}
	return &Crowd{Called: c.Begin()}
}

// visit lets a resolver tell its cost.
func (e *estimate) visit(call plan.Call, parents *Crowd, costs Costs) func(typ string) *Crowd {
	if call.Serial {
		parents = &Crowd{N: 1, Called: Moment{round: e.courses[0]}}
	}
	s := &step{parents: parents.N}
	c := &Call{Ctx: call.Ctx, Args: call.Args, Parents: parents, estimate: e, step: s}
	s.call = c
	e.steps = append(e.steps, s)
	s.err, s.uncalled = call.Err, call.Err != nil
	if s.uncalled || parents.N == 0 {
		return c.below
	}
	if cost := costs(call.Object, call.Field); cost != nil {
		s.err = cost(c)
	} else {
		c.Open("nobody has declared its cost")
	}
	return c.below
}
