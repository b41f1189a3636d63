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
	// zero is the value into which stored arguments are parsed.
	zero A
	// row reads the commit row. It is nil for an operation without a precondition, whose intent is
	// the commit.
	row func(A) hbase.Get
	// reads returns the other reads of the first round. It may be nil.
	reads func(A) []hbase.Get
	// check checks the preconditions, given the results. It may read more. The error is UserErrors
	// if one does not hold. check may store in the arguments what the effects need of the previous
	// state.
	check func(a *A, r *reading) (decision, error)
	// plan returns the effects. It is a pure function: every gateway that completes the operation
	// makes the same plan. It is nil if there are no effects.
	plan func(a A, o operation) plan

	properties
}

// properties select parts of the protocol for an operation type.
type properties struct {
	// needsPredecessor is true if reads or check read effects of earlier operations on the same
	// commit row. These are completed first. That costs a round, unless this gateway knows that
	// they are complete, and a second one unless the row's column [tables.CompleteColumn] names the last of
	// them. row must read that column.
	needsPredecessor bool
	// compensated is true if the plan has a compensation for an object with a reusable key. The
	// commit row is sealed when the operation is complete: then a late compensation fails.
	compensated bool
	// nonIdempotent operations are attempted again only if the first attempt is known not to have
	// committed: a second update could revert a later one, and a second deletion delete the next
	// object of the key.
	nonIdempotent bool
	// delay is the time between the commit and the first effect. A sweep applies the effects then,
	// so the next operation on a commit row would not wait for it: such types have none.
	delay time.Duration
}

// operation identifies one instance of an operation type.
type operation struct {
	id string
	// at is the timestamp of all its writes, in milliseconds. It is later than those of earlier
	// operations on the same commit row.
	at int64
}

// reading holds the results of the first round of reads.
type reading struct {
	operation
	// row are the cells of the commit row, and last the commit record among them, empty if there is
	// none.
	row  []hbase.Cell
	last string
	// cells are the results of reads, in their order.
	cells [][]hbase.Cell
	// get reads in a round of its own.
	get getter
}

type getter = func(...hbase.Get) ([][]hbase.Cell, error)

// decision is the result of a check: whether the operation commits, and the cells to commit.
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
	check func(arguments any, r *reading) (decision, error)
	plan  func(arguments any, o operation) plan
	parse func(text string) (arguments any, err error)
}

// opTypes are all operation types, by name.
var opTypes = map[string]*anyOpType{}

// untyped returns f without the type of its arguments. If f is nil, it returns nothing.
func untyped[A, R any](f func(A) R) func(arguments any) R {
	return func(arguments any) (none R) {
		if f == nil {
			return none
		}
		return f(*arguments.(*A))
	}
}

// register adds an operation type, when the package is initialised.
func register[A any](t opType[A]) *anyOpType {
	if opTypes[t.name] != nil {
		panic("writers: two operation types are called " + t.name)
	}
	if t.row != nil && t.delay > 0 {
		panic("writers: operation type " + t.name + " has a commit row, and is delayed")
	}
	n := &anyOpType{
		name: t.name, properties: t.properties, conditional: t.row != nil,
		row: untyped(t.row), reads: untyped(t.reads),
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
	if t.plan == nil {
		n.plan = func(any, operation) plan { return plan{} }
	}
	opTypes[t.name] = n
	return n
}
