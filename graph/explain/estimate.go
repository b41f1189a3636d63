package explain

// Most is the greatest number of anything that a plan tells: what is more counts as this. Every JSON parser reads it exactly.
const Most = 1<<53 - 1

func add(a, b int64) int64 { return min(a+b, Most) }

func times(a, b int64) int64 {
	if a != 0 && b > Most/a {
		return Most
	}
	return a * b
}

// Moment is a time in the execution: after how many rounds, at most. What comes after a scan has a course of rounds of its own, as a scan runs
// beside them: the operation takes no more rounds than all courses together.
type Moment struct{ course, round int }

// Next returns the moment one round later.
func (m Moment) Next() Moment { return Moment{m.course, m.round + 1} }

// Latest returns the latest of moments of one course.
func Latest(m Moment, others ...Moment) Moment {
	for _, o := range others {
		m.round = max(m.round, o.round)
	}
	return m
}

// Kind is how a read goes together with others of its row.
type Kind int

// The kinds of reads.
const (
	Alone Kind = iota // a Get of its own
	Named             // named columns
	First             // the first columns of one family
)

// Read is a Get that a loader makes for each object of a crowd.
type Read struct {
	Loader, Table string
	// Columns are families and columns with blanks between, and Limit is how many of a family are read at most, 0 for all.
	Columns string
	Limit   int
	Kind    Kind
	// Of tells apart the rows that an object has in one table, and their pages. Alone and without it, a read is never taken for another.
	Of string
	// Times is how many Gets there are for each object, and Rounds how many rounds they take one after the other: 0 is 1.
	Times  int64
	Rounds int
	// If says on what it depends; it is empty for a read that every request makes.
	If string
}

// key is what equal reads have in common.
func (r Read) key() Read {
	return Read{Table: r.Table, Columns: r.Columns, Limit: r.Limit, Kind: r.Kind, Of: r.Of}
}

// record is a read or a scan that the estimate was told of.
type record struct {
	Read
	step  *step
	begun Moment
	gets  int64
	// rows is what a scan brings at most; 0 for Gets.
	rows int64
}

// step is a resolver that is called.
type step struct {
	call    *Call
	path    string // when it is told
	parents int64
	objects int64
	err     error
	// uncalled is true if the arguments can't be coerced: the resolver is not called then.
	uncalled bool
	open     string
}

// estimate collects what an operation reads: all numbers are upper bounds. It takes time and memory linear in the reads that it is told of.
type estimate struct {
	ordinary bool
	steps    []*step
	records  []*record
	courses  []int // how many rounds each takes
	single   Crowd // of the rows that are the same whoever they are read for
}

func newEstimate(ordinary bool) *estimate {
	return &estimate{ordinary: ordinary, courses: make([]int, 1), single: Crowd{N: 1, Called: Moment{course: -1}}}
}

// Crowd is a set of objects with which resolvers are called.
type Crowd struct {
	// N is how many there are at most.
	N int64
	// Called is when resolvers are called with them.
	Called Moment

	made map[Read]bool
	rows []row
}

// row is what is read of a row of every object in a table, in the round in which resolvers are called: those reads of named columns
// and one first page become one Get.
type row struct {
	table  string
	named  *record // the Get of the named columns, unless a page has taken them along
	served bool    // whether named columns go along with something
}

// read puts a read of each object on record.
func (e *estimate) read(s *step, at Moment, crowd *Crowd, r Read) Moment {
	if crowd.N == 0 || e.ordinary && r.If != "" {
		return at
	}
	r.Times, r.Rounds = max(r.Times, 1), max(r.Rounds, 1)
	rec := &record{Read: r, step: s, begun: at, gets: times(crowd.N, r.Times)}
	if !crowd.merge(rec) {
		rec.gets = 0
	}
	e.records = append(e.records, rec)
	at.round += r.Rounds
	e.courses[at.course] = max(e.courses[at.course], at.round)
	return at
}

// merge reports whether a read is a Get of its own: it was not made before, nor does it surely become one with another.
func (c *Crowd) merge(rec *record) bool {
	if rec.Kind != Alone || rec.Of != "" {
		key := rec.key()
		if c.made[key] {
			return false
		}
		if c.made == nil {
			c.made = map[Read]bool{}
		}
		c.made[key] = true
	}
	if rec.Kind == Alone || rec.Of != "" || rec.begun != c.Called {
		return true
	}
	var r *row
	for i := range c.rows {
		if c.rows[i].table == rec.Table {
			r = &c.rows[i]
		}
	}
	if r == nil {
		c.rows = append(c.rows, row{table: rec.Table})
		r = &c.rows[len(c.rows)-1]
	}
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
