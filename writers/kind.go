package writers

import (
	"encoding/json"
	"fmt"
	"time"

	"twibase/hbase"
)

// kind is one sort of write, as data. A are its arguments: exported fields that survive JSON. They are stored with the intent, so
// whoever finishes the write knows them.
type kind[A any] struct {
	// name is stored. It never changes its meaning.
	name string
	// zero is what stored arguments are parsed into.
	zero A
	// row reads the deciding row. It is nil for a write that needs no condition: then its intent is the decision.
	row func(A) hbase.Get
	// reads returns what else decide needs, read in the same round. It may be nil.
	reads func(A) []hbase.Get
	// more returns what the next round has to read, given what was read before, for those that find their way step by step. None
	// ends the reading. It may be nil.
	more func(a A, r *reading) []hbase.Get
	// decide looks at what was read. It returns the cells that the deciding row gets, Problems, or errNothing if all is
	// as it should become. It may complete the arguments with what steps need of the state before.
	decide func(a *A, r *reading) ([]hbase.Cell, error)
	// plan says what follows from the decision. It is pure: whoever carries the write on, and whenever, gets the same.
	plan func(a A, o op) plan
	// ordered is whether reads or more look at what earlier decisions about the same row wrote elsewhere, as their steps: then these are
	// brought to their end before they are read. That costs a round, unless this gateway knows them to be whole, and another if the row does
	// not say so either: its column [tables.Whole], which row has to read.
	ordered bool
	// undone is whether its plan demands its undoing unless all ends are there, of which one can be made again. When it is done, the deciding row
	// says so, and an undoing that was found to be needed before comes too late.
	undone bool
	// rest is how long nothing of it is done after it was decided. A sweep does it then.
	rest time.Duration
	// added is whether two of it make more than one: then it is not begun again unless it surely was not made.
	added bool
}

// op is a write that was decided, or is about to be.
type op struct {
	id string
	// at is the timestamp, in milliseconds, of all that it writes, later than that of any earlier decision about the same row.
	at int64
}

// plan is what follows from a decision: stages, each begun when the one before is done. The steps of a stage have no order.
type plan struct {
	// now is done before the write is acknowledged, later afterwards.
	now, later []stage
}

type stage []step

// reading is what was read before a decision.
type reading struct {
	op
	// row are the deciding row's cells, last the decision that they tell of, empty if there was none.
	row  []hbase.Cell
	last string
	// cells are what was read besides, in the order asked for, round after round.
	cells [][]hbase.Cell
	// nested is whether a step of another write asked for it, and not a mutation.
	nested bool
	// walk is for more to keep what it has found out.
	walk any
}

// known is a kind without the type of its arguments.
type known struct {
	name    string
	added   bool
	ordered bool
	undone  bool
	rest    time.Duration
	row     func(arguments any) (hbase.Get, bool)
	reads   func(arguments any) []hbase.Get
	more    func(arguments any, r *reading) []hbase.Get
	decide  func(arguments any, r *reading) ([]hbase.Cell, error)
	plan    func(arguments any, o op) plan
	// parse returns what the other functions take.
	parse func(arguments string) (any, error)
}

// kinds are all kinds, by name.
var kinds = map[string]*known{}

// register makes a kind known, for a package variable.
func register[A any](k kind[A]) *known {
	if kinds[k.name] != nil {
		panic("writers: two kinds are called " + k.name)
	}
	n := &known{
		name: k.name, added: k.added, ordered: k.ordered, undone: k.undone, rest: k.rest,
		row: func(a any) (hbase.Get, bool) {
			if k.row == nil {
				return hbase.Get{}, false
			}
			return k.row(*a.(*A)), true
		},
		reads: func(a any) []hbase.Get {
			if k.reads == nil {
				return nil
			}
			return k.reads(*a.(*A))
		},
		more: func(a any, r *reading) []hbase.Get {
			if k.more == nil {
				return nil
			}
			return k.more(*a.(*A), r)
		},
		decide: func(a any, r *reading) ([]hbase.Cell, error) { return k.decide(a.(*A), r) },
		plan:   func(a any, o op) plan { return k.plan(*a.(*A), o) },
		parse: func(arguments string) (any, error) {
			a := new(A)
			*a = k.zero
			if err := json.Unmarshal([]byte(arguments), a); err != nil {
				return nil, fmt.Errorf("%w: the arguments of a %s: %w", hbase.ErrCorrupt, k.name, err)
			}
			return a, nil
		},
	}
	kinds[k.name] = n
	return n
}
