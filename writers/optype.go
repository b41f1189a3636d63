package writers

import (
	"encoding/json"
	"fmt"
	"time"

	"twibase/hbase"
)

// opType declares an operation type. Intents store its arguments A as JSON.
type opType[A any] struct {
	// name is stored. It never changes its meaning.
	name string
	zero A // the value that JSON is decoded into
	// row reads the commit row. If it is nil, there is none, and the intent is the commit.
	row   func(A) hbase.Get
	reads func(A) []hbase.Get
	// check decides whether to commit. The error is UserErrors if a precondition does not hold. It
	// also sets the arguments that have the previous state, on which the effects depend.
	check func(a *A, r *reading) (decision, error)
	// plan is pure, so that every gateway makes the same plan. It may be nil.
	plan func(a A, o operation) plan

	properties
}

type properties struct {
	// readsEffects is true if reads or check read effects of the row's earlier operations. Then the
	// row's last operation is completed before the check, and the reads are repeated. That costs no
	// round if this gateway knows that the operation is complete, one if [tables.CompleteColumn]
	// names it, and at least two otherwise.
	readsEffects bool
	// recordsCompletion is true if the plan has a compensation for an object whose key can be used
	// again after a deletion. At its end, the operation replaces its commit record by a
	// [tables.CompletionRecord], so that a compensation that is still in flight fails.
	recordsCompletion bool
	// nonIdempotent operations are attempted again only if the first attempt did not commit.
	// Otherwise the second attempt of an update could revert a later update, and the second
	// attempt of a deletion could delete a new object with the same key.
	nonIdempotent bool
	// Types with a delay are applied by a sweep and have no commit row, because the next operation
	// on a commit row applies the effects of its predecessor at once.
	delay time.Duration
}

type operation struct {
	id string
	// at is the timestamp of the commit and of most puts and members of the plan, in milliseconds,
	// later than those of earlier operations on the commit row. Counts, the completion record and
	// the copies of a split, among others, have other timestamps.
	at int64
}

type reading struct {
	operation
	row   []hbase.Cell   // the commit row
	last  string         // the commit record in row, or empty
	cells [][]hbase.Cell // of opType.reads
	get   getter         // for a further round
}

type getter func(...hbase.Get) ([][]hbase.Cell, error)

func (get getter) one(g hbase.Get) ([]hbase.Cell, error) {
	cells, err := get(g)
	if err != nil {
		return nil, err
	}
	return cells[0], nil
}

type decision struct {
	commits bool
	cells   []hbase.Cell // of the commit row
}

var unchanged decision

func commit(cells ...hbase.Cell) decision { return decision{true, cells} }

// anyOpType is an opType[A] for any A. arguments are of type *A.
type anyOpType struct {
	name string
	properties
	hasCommitRow bool

	row   func(arguments any) hbase.Get
	reads func(arguments any) []hbase.Get
	check func(arguments any, r *reading) (decision, error)
	plan  func(arguments any, o operation) plan
	parse func(text string) (arguments any, err error)
}

var opTypes = map[string]*anyOpType{}

func register[A any](t opType[A]) *anyOpType {
	if opTypes[t.name] != nil {
		panic("writers: duplicate operation type " + t.name)
	}
	if t.row != nil && t.delay > 0 {
		panic("writers: operation type " + t.name + " has a commit row and a delay")
	}
	if t.reads == nil {
		t.reads = func(A) []hbase.Get { return nil }
	}
	if t.plan == nil {
		t.plan = func(A, operation) plan { return plan{} }
	}
	n := &anyOpType{
		name: t.name, properties: t.properties, hasCommitRow: t.row != nil,
		row:   func(a any) hbase.Get { return t.row(*a.(*A)) },
		reads: func(a any) []hbase.Get { return t.reads(*a.(*A)) },
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
	opTypes[t.name] = n
	return n
}
