package explain

import "slices"

// Most is the largest number in a plan; larger ones are reported as this. Every JSON parser reads
// it exactly.
const Most = 1<<53 - 1

func add(a, b int64) int64 { return min(a+b, Most) }

func times(a, b int64) int64 {
	if a != 0 && b > Most/a {
		return Most
	}
	return a * b
}

// Stage is a point of the execution: the maximum number of rounds before it. Everything after a
// scan has a chain of rounds of its own, because the scan runs concurrently with other rounds. An
// operation takes at most the rounds of all its chains together.
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

// Kind says whether a read shares a Get with other reads of its row.
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
	// Columns are families and columns, separated by spaces. Limit is how many columns of a family
	// are read at most, 0 for all.
	Columns string
	Limit   int
	Kind    Kind
	// Subject tells apart several rows of a table, or pages of a row, that an object has. A read of
	// kind Alone without a Subject is never equal to another.
	Subject string
	// Times is the number of Gets for each object, and Rounds the number of rounds that they take
	// one after the other: 0 is 1.
	Times  int64
	Rounds int
	// If is the condition under which the read is sent; it is empty if it always is.
	If string
}

// key returns the part of a read in which equal reads agree.
func (r Read) key() Read {
	return Read{Table: r.Table, Columns: r.Columns, Limit: r.Limit, Kind: r.Kind, Subject: r.Subject}
}

// record is a declared read or scan.
type record struct {
	Read
	step  *step
	begun Stage
	gets  int64
	// rows is how many rows a scan returns at most; 0 for Gets.
	rows int64
	// level is the number of its first level, set by [estimate.levels].
	level int
}

// step is a call of a resolver.
type step struct {
	call    *Call
	parents int64
	objects int64
	err     error
	// uncalled is true if the arguments can't be coerced: the resolver is not called then.
	uncalled bool
	open     string

	// What follows is set by [Predict].

	path, label string
	lines       []string
	below       []*step
}

// estimate collects what an operation reads: all numbers are upper bounds. Its time and memory are
// linear in the declared reads.
type estimate struct {
	ordinary bool
	steps    []*step
	records  []*record
	chains   []int // how many rounds each takes
	single   Set   // the rows of Call.Shared
}

func newEstimate(ordinary bool) *estimate {
	return &estimate{ordinary: ordinary, chains: make([]int, 1), single: Set{Cardinality: 1, Ready: Stage{chain: -1}}}
}

// Set is a set of objects that are the parents of resolvers.
type Set struct {
	// Cardinality is the number of objects, at most.
	Cardinality int64
	// Ready is the stage at which resolvers are called with them.
	Ready Stage

	made map[Read]bool
	rows []row
}

// row collects the reads of one row per object of a set, in the round in which resolvers are
// called: the reads of named columns and one first page become one Get.
type row struct {
	table  string
	named  *record // the Get of the named columns, unless they share that of a page
	served bool    // whether named columns share a Get
}

// read records a read of each object.
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

// merge reports whether a read is a Get of its own: it was not sent before, and it is not certain
// to share a Get with another read.
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
