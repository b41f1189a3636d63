package plan

import (
	"context"
	"reflect"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Announce returns the schema executed by gqlgen, whose tasks are told of as the plan's are. gqlgen tells nobody what it does, but does it in an order
// that follows from the compiled operation and from what resolvers return: it goes through the fields of an object that have no resolver one after the
// other, each with all that is below it, and then calls the resolvers side by side; the elements of a list it goes through side by side. Who sees each field
// come and its value go, as the middlewares of fields do, so knows at each moment who may still come to a loader. Subscriptions, what the plan does
// not cover and operations of too many fields are executed without that. Unlike the plan, gqlgen heeds @defer. The schema is safe for concurrent use.
func Announce(config Config) graphql.ExecutableSchema {
	return &announced{config.Stock, &planned{config.Stock, config, newCompiler(config.Types, config.Stock.Schema())}}
}

type announced struct {
	graphql.ExecutableSchema
	planned *planned
}

// Exec implements [graphql.ExecutableSchema].
func (a *announced) Exec(ctx context.Context) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	if op.Operation.Operation == ast.Subscription {
		return a.ExecutableSchema.Exec(ctx)
	}
	root, serial := a.planned.root(op)
	if root.uncovered != "" || root.fresh != nil {
		return a.ExecutableSchema.Exec(ctx)
	}
	c, others := &census{}, op.ResolverMiddleware
	op.ResolverMiddleware = func(ctx context.Context, next graphql.Resolver) (any, error) { return c.field(ctx, others, next) }
	respond, begun := a.ExecutableSchema.Exec(ctx), false
	return func(ctx context.Context) *graphql.Response {
		if !begun {
			begun = true
			c.run = a.planned.run(ctx, op)
			ctx = c.begin(ctx, root, serial)
		}
		return respond(ctx)
	}
}

// census counts the tasks of an operation: the objects that are gone through and the resolvers that are called, but for those that wait for what is
// below them, and those below which there is no resolver.
type census struct {
	run *run

	mu    sync.Mutex
	delta int // of the running tasks, since they were last told
}

// course is an object on its way.
type course struct {
	led    *led        // the field that led here
	shared bool        // whether resolvers are called with all objects of the list at once
	row    []*selected // its fields without resolvers that are to come, in their order
	side   []*selected // and those with
	left   int         // how many of side are not over
}

// led is a field that has come to an object.
type led struct {
	of      *course
	field   *selected
	context *graphql.FieldContext
	courses map[int]*course // by their index in a list; -1 is an object alone
	left    int             // how many of them are not over
	// waiting counts, by response key, the objects that share a resolver which is to be called, or has not returned to them. They are one task: one
	// of them calls it, and the others wait for that.
	waiting map[string]int
}

type ledKey struct{}

// alone is the index of an object that is in no list.
const alone = -1

// begin tells of the tasks with which an operation begins, and returns its ctx.
func (c *census) begin(ctx context.Context, root *node, serial bool) context.Context {
	c.mu.Lock()
	defer c.tell()
	l := &led{}
	o := c.course(l, alone, root)
	if serial {
		o.row, o.side = o.side, nil
	}
	c.advance(o)
	return context.WithValue(ctx, ledKey{}, l)
}

// tell tells how many tasks run now. The caller holds mu, and gives it back with that.
func (c *census) tell() {
	defer c.mu.Unlock()
	delta := c.delta
	if c.delta = 0; delta > 0 {
		c.run.tasks.Start(delta)
	}
	for ; delta < 0; delta++ {
		c.run.tasks.End()
	}
}

// field is a middleware: a field has come, and its value goes to be written.
func (c *census) field(ctx context.Context, others graphql.FieldMiddleware, next graphql.Resolver) (value any, err error) {
	l := c.come(ctx)
	if l == nil {
		return others(ctx, next)
	}
	var found any
	defer func() { c.gone(l, found) }() // when a resolver panics, too
	if value, err = others(context.WithValue(ctx, ledKey{}, l), next); err == nil {
		found = value
	}
	return value, err
}

// come returns the field that has come, nil for those below which there is no resolver.
func (c *census) come(ctx context.Context) *led {
	here, above := graphql.GetFieldContext(ctx), ctx.Value(ledKey{}).(*led)
	over, index := here.Parent, alone
	if over.Index != nil {
		over, index = over.Parent, *over.Index
	}
	if root := over.Parent == nil; over != above.context && !root {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	o := above.courses[index]
	if o == nil {
		return nil
	}
	for _, list := range [][]*selected{o.row[:min(1, len(o.row))], o.side} {
		for _, s := range list {
			if s.Alias == here.Field.Alias {
				return &led{of: o, field: s, context: here}
			}
		}
	}
	return nil
}

// gone notes what a field led to.
func (c *census) gone(l *led, value any) {
	c.mu.Lock()
	defer c.tell()
	l.left++ // it is not over before all of its objects are known
	if l.field.asks() {
		c.objects(l, reflect.ValueOf(value), alone)
	}
	if len(l.of.row) > 0 {
		c.delta--
	} else {
		c.leave(l.of, l.field)
	}
	c.pass(l)
}

// objects tells of the objects of a value.
func (c *census) objects(l *led, value reflect.Value, index int) {
	switch value.Kind() {
	case reflect.Invalid:
		return
	case reflect.Slice:
		for i := range value.Len() {
			c.objects(l, value.Index(i), i)
		}
		return
	case reflect.Interface, reflect.Pointer:
		if value.IsNil() {
			return
		}
	}
	below := l.field.only
	if below == nil {
		below = l.field.below[c.typeOf(value.Interface())]
	}
	if below == nil || !below.asks {
		return
	}
	o := c.course(l, index, below)
	o.shared = index != alone && l.field.only != nil && value.Kind() == reflect.Pointer
	c.advance(o)
}

// typeOf returns a value's object type, an empty one if nobody knows it: gqlgen has no object then, either.
func (c *census) typeOf(v any) (typ string) {
	defer func() { _ = recover() }()
	_, typ = c.run.types.object(v)
	return typ
}

// course makes a running task of an object.
func (c *census) course(l *led, index int, n *node) *course {
	o := &course{led: l}
	for i := range n.fields {
		switch s := &n.fields[i]; {
		case s.field == nil:
		case s.field.Call != nil:
			o.side = append(o.side, s)
		case s.asks():
			o.row = append(o.row, s)
		}
	}
	if l.courses == nil {
		l.courses = map[int]*course{}
	}
	l.courses[index] = o
	l.left++
	c.delta++
	return o
}

// advance goes on with the next field of an object, or with those that have resolvers. Whose arguments are refused does not come.
func (c *census) advance(o *course) {
	for len(o.row) > 0 {
		if c.comes(o.row[0]) {
			return
		}
		o.row = o.row[1:]
	}
	for _, s := range o.side {
		if c.comes(s) {
			o.left++
			c.enter(o, s)
		}
	}
	if c.delta--; o.left == 0 {
		c.pass(o.led)
	}
}

func (c *census) comes(s *selected) (comes bool) {
	defer func() { _ = recover() }() // gqlgen takes that for a refusal, too
	_, err := c.run.args(s)
	return err == nil
}

// enter makes a task of a resolver that is to be called, unless another object that shares it has.
func (c *census) enter(o *course, s *selected) {
	if o.shared {
		if o.led.waiting == nil {
			o.led.waiting = map[string]int{}
		}
		if o.led.waiting[s.Alias]++; o.led.waiting[s.Alias] > 1 {
			return
		}
	}
	c.delta++
}

// leave ends the task of a resolver that has returned, unless other objects that share it are still to get what it returned.
func (c *census) leave(o *course, s *selected) {
	if o.shared {
		if o.led.waiting[s.Alias]--; o.led.waiting[s.Alias] > 0 {
			return
		}
	}
	c.delta--
}

// over goes on with what waited for all that is below a field.
func (c *census) over(l *led) {
	o := l.of
	if len(o.row) > 0 {
		o.row = o.row[1:]
		c.delta++
		c.advance(o)
	} else if o.left--; o.left == 0 {
		c.pass(o.led)
	}
}

// pass notes that one of those things has been that a field waits for: an object that was gone through, or that all of them are known.
func (c *census) pass(l *led) {
	if l.left--; l.left == 0 && l.of != nil {
		c.over(l)
	}
}
