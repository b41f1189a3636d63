package resolvers

import (
	"maps"

	"twibase/graph/explain"
	"twibase/graph/relay"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

// costs declare what resolvers read at most, by "Object.field": each noun's beside its resolvers.
type costs map[string]func(*inquiry) error

// declared are the costs of all resolvers. A test misses those that are not there.
var declared = func() costs {
	all := costs{}
	for _, of := range []costs{nodeCosts, userCosts, twitCosts, commentCosts, roleCosts, departmentCosts, gameCosts, accountCosts} {
		maps.Copy(all, of)
	}
	return all
}()

// Costs tells what the resolvers read, of lists whose rows hold listBound members: [tables.ListBound], less in tests. It is safe for
// concurrent use.
func Costs(listBound int) explain.Costs {
	return func(object, field string) explain.Cost {
		cost := declared[object+"."+field]
		if cost == nil {
			return nil
		}
		return func(c *explain.Call) error { return cost(&inquiry{c, listBound / 2}) }
	}
}

// Reasons why something is read that mostly is not.
const (
	hidden  = "entries of the page are hidden from the viewer"
	early   = hidden + ", or it ends early, at the edge of a row"
	moments = "some of them are for followers alone"
	another = "the viewer asks about another user"
	notOwn  = "the viewer changes what others own"
)

// inquiry is a resolver that is asked for its cost.
type inquiry struct {
	*explain.Call
	half int // the least number of members in a row of a list that has several
}

func argument[T any](q *inquiry, name string) T {
	value, _ := q.Args[name].(T)
	return value
}

func (q *inquiry) pageArgs() pageArgs {
	return pageArgs{argument[*int](q, "first"), argument[*string](q, "after"), argument[*int](q, "last"), argument[*string](q, "before")}
}

// read tells of a read for each object, of its own row where the loader's key is the object's.
func (q *inquiry) read(at explain.Moment, crowd *explain.Crowd, o loaders.Outline) explain.Moment {
	return q.Read(at, crowd, readOf(o))
}

// reads tells of reads one after the other. when, unless it is empty, says on what they all depend.
func (q *inquiry) reads(at explain.Moment, crowd *explain.Crowd, outlines []loaders.Outline, each int, when string) explain.Moment {
	begun := at
	for _, o := range outlines {
		r := readOf(o)
		r.Times *= int64(each)
		if when != "" {
			r.If = when
		}
		if !o.Beside {
			begun = at
		}
		at = q.Read(begun, crowd, r)
	}
	return at
}

func readOf(o loaders.Outline) explain.Read {
	r := explain.Read{Loader: o.Loader, Table: o.Table, Columns: o.Columns, Limit: o.Limit, Times: int64(o.Gets), Rounds: o.Rounds, If: o.If}
	switch {
	case o.Named:
		r.Kind = explain.Named
	case o.Leading:
		r.Kind = explain.First
	}
	return r
}

// lead tells of the objects that each parent leads to, which are named, so that only columns beyond their keys are read.
func lead[T any](q *inquiry, at explain.Moment, objects loaders.Object[T], fields []string, each int) {
	crowd := q.Crowd(q.Parents, int64(each), at)
	if o, reads := objects.OutlineNamed(fields); reads {
		q.read(at, crowd, o)
	}
	q.Lead("", crowd)
}

// ask tells of questions about each object, which of says: equal ones are asked once. If of is empty they are as many as each says.
func ask[K comparable](q *inquiry, at explain.Moment, crowd *explain.Crowd, loader loaders.Loader[K, bool], question K, of string, each int, when string) explain.Moment {
	r := readOf(loader.Outline(question))
	r.Kind, r.Of, r.Times, r.If = explain.Alone, of, int64(each), when
	return q.Read(at, crowd, r)
}

// cost is that of a resolver that answers with pages.
func (e edge[E, T]) cost(q *inquiry) error {
	p, err := q.pageArgs().read(e.kind, e.list.Check)
	if err != nil {
		return err
	}
	want, at := wanted(q.Ctx, e.noun), q.Begin()
	if want.total {
		q.read(at, q.Parents, e.list.Length.Outline(""))
	}
	if want.entries {
		at = q.reads(at, q.Parents, e.list.OutlinePage(window(p), p.After == "", q.half), 1, "")
		lead(q, at, e.objects, want.fields, p.Size)
	}
	return nil
}

// scanCost is that of a resolver that answers with scanned.
func scanCost[T any](kind relay.List, noun string, objects loaders.Object[T]) func(*inquiry) error {
	return func(q *inquiry) error {
		p, err := q.pageArgs().read(kind, loaders.CheckRow)
		if err != nil {
			return err
		}
		if want := wanted(q.Ctx, noun); want.entries {
			o, rows := objects.OutlineScan(window(p), want.fields)
			at := q.Scan(q.Begin(), readOf(o), rows)
			q.Lead("", q.Crowd(q.Parents, int64(p.Size), at))
		}
		return nil
	}
}

// rootCost is that of a resolver that answers with rootObject, of the key in an argument.
func rootCost[T any](objects loaders.Object[T], noun, key string, check func(string) error) func(*inquiry) error {
	return func(q *inquiry) error {
		if check(argument[string](q, key)) == nil {
			objectCost(q, objects, noun)
		}
		return nil
	}
}

func objectCost[T any](q *inquiry, objects loaders.Object[T], noun string) {
	crowd := q.Crowd(q.Parents, 1, q.Begin())
	q.read(q.Begin(), crowd, objects.OutlineRoot(selected(q.Ctx, noun).names()))
	q.Lead("", crowd)
}

// optionalCost is that of a resolver that answers with optional, of a key in the parent's row.
func optionalCost[T any](objects loaders.Object[T], noun string) func(*inquiry) error {
	return func(q *inquiry) error {
		lead(q, settled(q.Begin()), objects, selected(q.Ctx, noun).names(), 1)
		return nil
	}
}

// settled is when [loaders.Settle] returns.
func settled(at explain.Moment) explain.Moment { return at.Next() }

// adminCost tells of the question whether the viewer is an administrator, if sights asks it.
func (q *inquiry) adminCost(at explain.Moment, when string) explain.Moment {
	s := sightsOf(q.Ctx)
	if !s.known || s.viewer.Admin {
		return at
	}
	q.existCost(at, loaders.Users.Exists, theViewer, 1, when)
	q.existCost(at, loaders.Roles.Exists, permission.AdminRole, 1, when)
	r := readOf(loaders.Related.Outline(loaders.Has("", "")))
	r.Kind, r.Of, r.If = explain.Alone, permission.AdminRole, when
	return q.Once(at, r)
}

// What existCost may ask about besides names: with blanks, as no name has any.
const (
	theViewer       = "the viewer"
	theBroadcasters = "the broadcasters"
)

// existCost tells of the question whether so many things are there, which of says: the same whoever asks.
func (q *inquiry) existCost(at explain.Moment, exists loaders.Loader[string, bool], of string, each int, when string) {
	r := readOf(exists.Outline(""))
	r.Kind, r.Of, r.Times, r.If = explain.Alone, of, int64(each), when
	q.Once(at, r)
}

// seeCost tells what sights asks about whom the viewer follows: each user of a crowd, which of says, or so many others for each object.
func (q *inquiry) seeCost(at explain.Moment, crowd *explain.Crowd, of string, each int, when string) explain.Moment {
	if s := sightsOf(q.Ctx); !s.known || s.viewer.Admin || crowd.N == 0 || each == 0 {
		return at
	}
	q.adminCost(at, when)
	return ask(q, at, crowd, loaders.Related, loaders.Follows("", ""), of, each, when)
}

// byViewer is the question whether the viewer follows the users of a crowd.
const byViewer = "by the viewer"

// cost tells of the looks at the lists of owners, and returns when they are over. see tells what it costs to see so many
// candidates of each list; again is why that is a second look, empty at the first.
func (f filtered[E, T]) cost(q *inquiry, at explain.Moment, p relay.Page, see func(at explain.Moment, candidates int, again string) explain.Moment) explain.Moment {
	w, all := f.window(p), p.Size*lookahead
	if f.atOnce(p) {
		w.Limit = all
	}
	at = see(q.reads(at, q.Parents, f.list.OutlinePage(w, p.After == "", q.half), 1, ""), w.Limit, "")
	if p.Size == 0 || f.atOnce(p) {
		return at
	}
	// The second look goes on behind the first, in the same row if that began at the list's beginning and rows are long enough.
	begin := p.After == "" && all < q.half
	left, again := all-w.Limit, hidden
	if p.Backward {
		left, again = all, early
	}
	w.Limit, w.After = all, p.After+"\x00"
	return see(q.reads(at, q.Parents, f.list.OutlinePage(w, begin, q.half), 1, again), left, again)
}

// twitsCost tells what it costs to answer the twits at places that each object names, and to see them.
func (q *inquiry) twitsCost(at explain.Moment, crowd *explain.Crowd) explain.Moment {
	ask(q, at, crowd, loaders.Users.Exists, "", "its author", 1, "")
	at = q.reads(at, crowd, loaders.Twits.OutlineMembers(), 1, "")
	return q.seeCost(at, crowd, "", 1, moments)
}

// commentsCost is that for comments.
func (q *inquiry) commentsCost(at explain.Moment, crowd *explain.Crowd) explain.Moment {
	ask(q, at, crowd, loaders.Users.Exists, "", "the author of its twit", 1, "")
	at = q.reads(at, crowd, loaders.Comments.OutlineMembers(), 1, "")
	return q.commentersCost(at, crowd, 1, "")
}

// commentersCost tells what it costs to see so many comments of each object.
func (q *inquiry) commentersCost(at explain.Moment, crowd *explain.Crowd, each int, when string) explain.Moment {
	if !sightsOf(q.Ctx).known || crowd.N == 0 || each == 0 {
		return at
	}
	there := ask(q, at, crowd, loaders.Users.Exists, "", "", each, when)
	return explain.Latest(q.seeCost(at, crowd, "", each, when), there)
}
