package writers

import (
	"encoding/json"
	"fmt"
	"time"

	"twibase/hbase"
)

// opType declares an operation type. Intents store its arguments A as JSON.
type opType[A any] struct {
	// name is stored. Its meaning never changes.
	name string
	zero A // the value that JSON is decoded into
	// row reads the commit row. If row is nil, the intent is the commit.
	row   func(A) hbase.Get
	reads func(A) []hbase.Get
	// check decides whether to commit, or returns UserErrors. It stores in *a the previous state
	// that the effects need.
	check func(a *A, r *reading) (decision, error)
	// effects is a pure function, so every gateway makes the same effects. It may be nil.
	effects func(a A, o operation) effects

	properties
}

type properties struct {
	// readsEffects is true if reads or check need effects of earlier operations on the row. Then
	// the row's last operation is completed before the check.
	readsEffects bool
	// recordsCompletion is true if the effects have a compensation for an object with a reusable
	// key. A [tables.CompletionRecord] makes a late compensation fail.
	recordsCompletion bool
	// nonIdempotent operations are retried only after an attempt that did not commit: a repeated
	// update could revert a later one, and a repeated deletion could delete a new object with the
	// same key.
	nonIdempotent bool
	// A sweep applies the effects after the delay. There must be no commit row, because its next
	// operation would apply them too early.
	delay time.Duration
}

type operation struct {
	id string
	// at is T in docs/WRITES.md, in milliseconds.
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
	commits     bool
	commitCells []hbase.Cell
}

var unchanged decision

func commit(cells ...hbase.Cell) decision { return decision{true, cells} }

// anyOpType is an opType[A] for any A. arguments are of type *A.
type anyOpType struct {
	name string
	properties
	hasCommitRow bool

	row     func(arguments any) hbase.Get
	reads   func(arguments any) []hbase.Get
	check   func(arguments any, r *reading) (decision, error)
	effects func(arguments any, o operation) effects
	parse   func(text string) (arguments any, err error)
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
	if t.effects == nil {
		t.effects = func(A, operation) effects { return effects{} }
	}
	n := &anyOpType{
		name: t.name, properties: t.properties, hasCommitRow: t.row != nil,
		row:     func(a any) hbase.Get { return t.row(*a.(*A)) },
		reads:   func(a any) []hbase.Get { return t.reads(*a.(*A)) },
		check:   func(a any, r *reading) (decision, error) { return t.check(a.(*A), r) },
		effects: func(a any, o operation) effects { return t.effects(*a.(*A), o) },
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
