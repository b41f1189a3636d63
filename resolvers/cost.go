package resolvers

import (
	"context"

	"twibase/graph/explain"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
)

const (
	ifHidden     = "entries of the page are hidden from the viewer"
	ifShort      = ifHidden + ", or the first read ended early, at the end of a row"
	ifMoments    = "some of the twits are for followers alone"
	ifOtherUser  = "the viewer asks about another user"
	ifOtherOwner = "the viewer changes what others own"
)

// Values of [explain.Read].Subject other than the names of objects. They contain spaces, so they
// equal no name.
const (
	theViewer       = "the viewer"
	byViewer        = "by the viewer"
	theBroadcasters = "the broadcasters"
)

type field interface {
	cost(call *costCall) error
}

type fields map[string]field

// Costs returns the costs of all resolvers, for buckets of at most listBound members. They are safe
// for concurrent use.
func Costs(listBound int) explain.Costs {
	return func(object, name string) explain.Cost {
		f := described[object+"."+name]
		if f == nil {
			return nil
		}
		return func(c *explain.Call) error { return f.cost(&costCall{c, listBound / 2}) }
	}
}

type costCall struct {
	*explain.Call
	minMembers int // assumed in each bucket, if the list has several
}

func argument[T any](call *costCall, name string) T {
	value, _ := call.Args[name].(T)
	return value
}

// requests returns the request of a connection, one for each direction if the direction is open.
// Open arguments (see [explain.Call.Open]) have the most expensive values: the largest page, with
// cursors.
func (call *costCall) requests(cursors relay.Cursors) ([]request, error) {
	args := pageArgs{
		argument[*int](call, "first"), argument[*string](call, "after"),
		argument[*int](call, "last"), argument[*string](call, "before"),
	}
	after, before := call.Open("after"), call.Open("before")
	if after {
		args.after = nil
	}
	if before {
		args.before = nil
	}
	anyDirection := call.openSize(&args)
	r, err := args.request(call.Ctx, cursors)
	if after {
		r.After = anyCursor
	}
	if before {
		r.Before = anyCursor
	}
	requests := []request{r}
	if anyDirection {
		r.Backward = true
		requests = append(requests, r)
	}
	return requests, err
}

// anyCursor stands for an open cursor. The cost of descendants parses it.
var anyCursor = treePosition{depth: tables.MaxDepth, code: "x"}.String()

// openSize replaces an open size by the largest. anyDirection is true if the direction is open,
// too. An open size next to a known one is absent, because clients cannot pass both.
func (call *costCall) openSize(args *pageArgs) (anyDirection bool) {
	first, last := call.Open("first"), call.Open("last")
	if first && args.last != nil && !last {
		args.first = nil
	}
	if last && args.first != nil && !first {
		args.last = nil
	}
	if first && args.first != nil || last && args.last != nil {
		args.first, args.last, anyDirection = new(relay.MaxPage), nil, last
	}
	return anyDirection
}

func (call *costCall) read(at explain.Stage, set *explain.Set, o loaders.ReadShape) explain.Stage {
	return call.Read(at, set, readOf(o))
}

// reads declares the reads of a loader, each the given number of times. A condition replaces
// theirs.
func (call *costCall) reads(
	at explain.Stage, set *explain.Set, shapes []loaders.ReadShape, times int, condition string,
) explain.Stage {
	if times == 0 {
		return at
	}
	begun := at
	for _, o := range shapes {
		r := readOf(o)
		r.Times *= int64(times)
		if condition != "" {
			r.If = condition
		}
		if !o.SameRound {
			begun = at
		}
		at = call.Read(begun, set, r)
	}
	return at
}

func readOf(o loaders.ReadShape) explain.Read {
	r := explain.Read{
		Loader: o.Loader, Table: o.Table, Columns: o.Columns, Limit: o.Limit,
		Times: int64(o.Gets), Rounds: o.Rounds, If: o.If,
	}
	switch {
	case o.NamedColumns:
		r.Kind = explain.Named
	case o.FirstPage:
		r.Kind = explain.First
	}
	return r
}

// elsewhere changes and returns the shapes of reads of other rows than the objects', which share no
// Get.
func elsewhere(shapes []loaders.ReadShape) []loaders.ReadShape {
	for i := range shapes {
		shapes[i].NamedColumns, shapes[i].FirstPage = false, false
	}
	return shapes
}

// readOther declares reads of other rows than the objects'. For one set and one loader, reads with
// the same subject count once. Reads without a subject count separately.
func (call *costCall) readOther(
	at explain.Stage, set *explain.Set, o loaders.ReadShape, subject string, times int, condition string,
) explain.Stage {
	if times == 0 {
		return at
	}
	r := readOf(o)
	r.Kind, r.Subject, r.If, r.Times = explain.Alone, subject, condition, int64(times)
	return call.Read(at, set, r)
}

func awaitParents(at explain.Stage) explain.Stage { return at.Next() }

func returnNamed[T any](call *costCall, at explain.Stage, objects loaders.Object[T], fields []string, each int) {
	set := call.Set(call.Parents, int64(each), at)
	if o, reads := objects.NamedShape(fields); reads {
		call.read(at, set, o)
	}
	call.Returns("", set)
}

func returnRoot[T any](call *costCall, objects loaders.Object[T], fields []string) {
	set := call.Set(call.Parents, 1, call.Begin())
	call.read(call.Begin(), set, objects.RootShape(fields))
	call.Returns("", set)
}

type reading[P, V any] struct {
	parents func([]*P) []string
	loader  interface {
		Load(ctx context.Context, keys []string) ([]V, error)
		Shape(key string) loaders.ReadShape
	}
}

func (r reading[P, V]) resolve(ctx context.Context, parents []*P) ([]*V, error) {
	values, err := r.loader.Load(ctx, r.parents(parents))
	return pointers(values), err
}

func (r reading[P, V]) cost(call *costCall) error {
	call.read(call.Begin(), call.Parents, r.loader.Shape(""))
	return nil
}
