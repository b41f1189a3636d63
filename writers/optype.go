package writers

import (
	"encoding/json"
	"fmt"
	"time"

	"twibase/hbase"
)

// opType declares a type of operation: the row on which it commits, its preconditions, and its
// effects. A are its arguments: they survive JSON, because the intent stores them.
type opType[A any] struct {
	// name is stored. It never changes its meaning.
	name string
	// zero is what stored arguments are parsed into.
	zero A
	// row reads the commit row. It is nil for an operation without a precondition, whose intent is
	// the commit.
	row func(A) hbase.Get
	// reads returns what else check needs, read in the same round. It may be nil.
	reads func(A) []hbase.Get
	// more returns what the next round has to read, given what was read before. None ends the
	// reading. It may be nil.
	more func(a A, r *reading) []hbase.Get
	// check decides on what was read. The error is UserErrors if a precondition does not hold.
	// check may complete the arguments with what the effects need of the state before.
	check func(a *A, r *reading) (decision, error)
	// plan returns the effects. They depend on its arguments alone: every gateway that completes
	// the operation makes the same plan. It is nil if nothing follows.
	plan func(a A, o operation) plan

	properties
}

// properties are what the protocol has to know of an operation type.
type properties struct {
	// needsPredecessor is whether reads or more see effects of earlier operations on the same
	// commit row. These are completed first. That costs a round, unless this gateway knows that
	// they are complete, and another one unless the row says so, in its column [tables.Whole],
	// which row has to read.
	needsPredecessor bool
	// compensated is whether the plan has a compensation because of an object whose key is
	// reusable. When the operation is complete, the commit row says so, and a compensation that was
	// found necessary earlier fails.
	compensated bool
	// nonIdempotent operations are not attempted again unless the attempt before surely did not
	// commit.
	nonIdempotent bool
	// delay is the time between the commit and the first effect. A sweep applies the effects then.
	delay time.Duration
}

// operation is one that committed, or is about to.
type operation struct {
	id string
	// at is the timestamp of all that it writes, in milliseconds. It is later than that of any
	// earlier operation that committed on the same row.
	at int64
}

// reading is what was read before a commit.
type reading struct {
	operation
	// row are the cells of the commit row, and last the commit record among them, empty if there is
	// none.
	row  []hbase.Cell
	last string
	// cells are what was read besides, in the order asked for, round after round.
	cells [][]hbase.Cell
	// search is for opType.more to keep what it has found out.
	search any
}

// decision is the result of a check: whether the operation commits, and the cells that the commit
// row gets then.
type decision struct {
	commits bool
	cells   []hbase.Cell
}

// unchanged is the decision of an operation that would change nothing.
var unchanged decision

func commit(cells ...hbase.Cell) decision { return decision{true, cells} }

// anyOpType is an opType without the type of its arguments. The functions take what parse returns.
type anyOpType struct {
	name string
	properties
	// conditional is whether there is a commit row.
	conditional bool

	row   func(arguments any) hbase.Get
	reads func(arguments any) []hbase.Get
	more  func(arguments any, r *reading) []hbase.Get
	check func(arguments any, r *reading) (decision, error)
	plan  func(arguments any, o operation) plan
	parse func(text string) (arguments any, err error)
}

// opTypes are all operation types, by name.
var opTypes = map[string]*anyOpType{}

// register adds an operation type, when the package is initialised.
func register[A any](t opType[A]) *anyOpType {
	if opTypes[t.name] != nil {
		panic("writers: two operation types are called " + t.name)
	}
	n := &anyOpType{
		name: t.name, properties: t.properties, conditional: t.row != nil,
		row:   func(a any) hbase.Get { return t.row(*a.(*A)) },
		reads: func(a any) []hbase.Get { return t.reads(*a.(*A)) },
		more:  func(a any, r *reading) []hbase.Get { return t.more(*a.(*A), r) },
		check: func(a any, r *reading) (decision, error) { return t.check(a.(*A), r) },
		plan:  func(a any, o operation) plan { return t.plan(*a.(*A), o) },
		parse: func(text string) (any, error) {
			a := t.zero
			if err := json.Unmarshal([]byte(text), &a); err != nil {
				return nil, fmt.Errorf("%w: arguments of operation type %s: %w", hbase.ErrCorrupt, t.name, err)
			}
			return &a, nil
		},
	}
	if t.reads == nil {
		n.reads = func(any) []hbase.Get { return nil }
	}
	if t.more == nil {
		n.more = func(any, *reading) []hbase.Get { return nil }
	}
	if t.plan == nil {
		n.plan = func(any, operation) plan { return plan{} }
	}
	opTypes[t.name] = n
	return n
}
