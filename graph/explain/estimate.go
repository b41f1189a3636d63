package explain

import "slices"

// An estimate adds up upper bounds of the reads of an operation. It walks over the resolver calls
// of the compiled operation (plan.Walk), and evaluates the declared [Cost] of each instead of
// calling it.
//
// # Sets and stages
//
// A [Set] describes the parents of a call by their maximum number, the cardinality. A [Stage] is
// the maximum number of rounds before a point of the execution. A read has one Get for each object
// of a set, and is answered one stage later.
//
//	{ users(first: 20) { friends(first: 10) { name } } }
//
//	call       parents   declares                     stages     Gets
//	users            1   Read a list, return 20       0 ─► 1        1
//	friends         20   Read a list, return 10       1 ─► 2       20
//	name           200   Read a row                   2 ─► 3      200
//
// # Merging
//
// Loaders never send equal reads of a set twice, and merge reads of one row in one round. The
// estimate counts one Get for all named columns of a row and one first page, if they are read at
// the stage at which the set is ready. Two pages count as two Gets, because loaders merge pages
// only under conditions that are unknown here.
//
// # Chains
//
// A scan runs concurrently with the rounds. So its results start a chain of rounds of their own, at
// round 0. An operation takes at most the rounds of all chains together:
//
//	chain 0   ──┬── round 1 ── round 2 ── …
//	            └── scan ─► chain 1   ── round 1 ── …

// Most stands for all larger numbers. JSON parsers read it exactly.
const Most = 1<<53 - 1

func add(a, b int64) int64 { return min(a+b, Most) }

func times(a, b int64) int64 {
	if a != 0 && b > Most/a {
		return Most
	}
	return a * b
}

// Stage is a point of the execution: the maximum number of rounds of a chain before it.
type Stage struct{ chain, round int }

// Next returns the stage one round later.
func (s Stage) Next() Stage { return Stage{s.chain, s.round + 1} }

// Latest returns the latest of stages of one chain.
func Latest(s Stage, others ...Stage) Stage {
	for _, o := range others {
		s.round = max(s.round, o.round)
	}
	return s
}

// Kind is whether a read shares a Get with other reads of its row.
type Kind int

// The kinds of reads.
const (
	Alone Kind = iota // a Get of its own
	Named             // named columns
	First             // the first columns of one family
)

// Read is a Get that a loader sends for each object of a set.
type Read struct {
	Loader, Table string
	// Columns are separated by spaces. Limit is the maximum number of columns of a family, 0 for all.
	Columns string
	Limit   int
	Kind    Kind
	// Subject distinguishes rows of a table, or pages of a row. Alone without a Subject never equals
	// another.
	Subject string
	// Times is the number of Gets for each object, in Rounds rounds; 0 is 1.
	Times  int64
	Rounds int
	// If is the condition of the read; empty if there is none.
	If string
}

// key returns the fields that are equal in equal reads.
func (r Read) key() Read {
	return Read{Table: r.Table, Columns: r.Columns, Limit: r.Limit, Kind: r.Kind, Subject: r.Subject}
}

// record is a declared read or scan.
type record struct {
	Read
	step  *step
	begun Stage
	gets  int64
	rows  int64 // the maximum number of rows of a scan; 0 for Gets
	level int   // the number of its first level, set by [estimate.levels]
}

// step is a call of a resolver.
type step struct {
	call    *Call
	parents int64
	objects int64
	err     error
	// uncalled is true if the arguments can't be coerced.
	uncalled bool
	open     string

	// Set by [Predict]:

	path, label string
	lines       []string
	below       []*step
}

// estimate collects the reads of an operation, in linear time and memory.
type estimate struct {
	ordinary bool // omit reads with a condition
	steps    []*step
	records  []*record
	chains   []int // the number of rounds of each chain
	single   Set   // of Call.Shared
}

func newEstimate(ordinary bool) *estimate {
	return &estimate{ordinary: ordinary, chains: make([]int, 1), single: Set{Cardinality: 1, Ready: Stage{chain: -1}}}
}

// Set is a set of objects, the parents of resolver calls.
type Set struct {
	// Cardinality is the maximum number of objects.
	Cardinality int64
	// Ready is the stage at which resolvers are called with the objects.
	Ready Stage

	made map[Read]bool // the keys of reads that were sent
	rows []row
}

// row collects the reads of one row per object of a set at the stage Ready.
type row struct {
	table  string
	named  *record // the Get of named columns, unless they share the Get of a page
	served bool    // whether named columns share a Get
}

func (e *estimate) read(s *step, at Stage, set *Set, r Read) Stage {
	if set.Cardinality == 0 || e.ordinary && r.If != "" {
		return at
	}
	r.Times, r.Rounds = max(r.Times, 1), max(r.Rounds, 1)
	rec := &record{Read: r, step: s, begun: at, gets: times(set.Cardinality, r.Times)}
	if !set.merge(rec) {
		rec.gets = 0
	}
	e.records = append(e.records, rec)
	at.round += r.Rounds
	e.chains[at.chain] = max(e.chains[at.chain], at.round)
	return at
}

// merge reports whether a read may need a Get of its own.
func (s *Set) merge(rec *record) bool {
	if rec.Kind != Alone || rec.Subject != "" {
		key := rec.key()
		if s.made[key] {
			return false
		}
		if s.made == nil {
			s.made = map[Read]bool{}
		}
		s.made[key] = true
	}
	if rec.Kind == Alone || rec.Subject != "" || rec.begun != s.Ready {
		return true
	}
	i := slices.IndexFunc(s.rows, func(r row) bool { return r.table == rec.Table })
	if i < 0 {
		i, s.rows = len(s.rows), append(s.rows, row{table: rec.Table})
	}
	r := &s.rows[i]
	if rec.Kind == Named {
		if r.served {
			return false
		}
		r.served, r.named = true, rec
		return true
	}
	if r.served = true; r.named != nil {
		r.named.gets, r.named = 0, nil
	}
	return true
}
