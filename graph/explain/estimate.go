package explain

import "slices"

// An estimate adds up upper bounds of the reads of an operation. For each resolver call of
// plan.Walk it calls the [Cost].
//
// # Sets and stages
//
// A [Set] describes the parents of a call by their maximum number, the cardinality. A [Stage] is
// the maximum number of rounds before a point of the execution. A read usually has one Get for each
// object of a set, and is answered one stage later.
//
//	{ user(…) { followers(first: 20) { nodes { twits(first: 3) { nodes { content } } } } } }
//
//	call         declares                               stages     Gets
//	followers    Read a list of its 1 parent            0 ─► 1        1
//	             Returns a set of 20
//	twits        Read a list of each of 20 parents      1 ─► 2       20
//	             Returns a set of 60
//
// Fields without resolvers are skipped: the parents of twits are the set that followers returns.
//
// # Merging
//
// Loaders never send equal reads of a set twice, and merge reads of one row in one round. So reads
// that begin when a set is ready share Gets: all named columns of a row share one Get, which is
// that of a first page if there is one. Different pages of a row count separately, because loaders
// merge them only under conditions that are unknown here. So do reads that begin later, because a
// stage is only a maximum: they may be sent in different rounds.
//
// # Chains
//
// A scan runs concurrently with the rounds, and may end at any time. So its results start a chain
// of rounds of their own, at round 0. Rounds of two chains need not coincide, so the bound of an
// operation is the sum of the rounds of all chains, plus the number of scans:
//
//	chain 0   ──┬── round 1 ── round 2 ── …
//	            └── scan ─► chain 1   ── round 1 ── …

// Most is the largest bound: sums and products saturate at it. JSON parsers read it exactly.
const Most = 1<<53 - 1

func add(a, b int64) int64 { return min(a+b, Most) }

func times(a, b int64) int64 {
	if a != 0 && b > Most/a {
		return Most
	}
	return a * b
}

// Stage is a point of a chain of rounds.
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

// Kind says which reads of the same row can share a Get.
type Kind int

// The kinds of reads.
const (
	Alone Kind = iota // a Get of its own
	Named             // named columns
	First             // the first columns of one family
)

// Read is a Get that a loader sends for each object of a set, or a scan: see [Call.Scan].
type Read struct {
	Loader, Table string
	Columns       string // separated by spaces
	Limit         int    // per family, 0 for all
	Kind          Kind
	// Subject distinguishes rows of a table, or pages of a row. Reads of kind Alone without a
	// Subject are never equal.
	Subject string
	// Times is the number of Gets for each object, in Rounds rounds. 0 means 1 for both.
	Times  int64
	Rounds int
	// If is the condition of the read, or empty.
	If string

	// open has the arguments with unknown values on which Limit may depend.
	open string
}

func (r Read) key() Read {
	return Read{Table: r.Table, Columns: r.Columns, Limit: r.Limit, Kind: r.Kind, Subject: r.Subject, open: r.open}
}

type record struct {
	Read
	step    *step
	begun   Stage
	gets    int64   // 0 if the Gets of carrier include the read
	carrier *record // whose Gets include this read, or nil; it may have a carrier, too
	rows    int64   // of a scan, or 0
	level   int     // the first level of the read, set by [estimate.levels]
}

type step struct {
	call    *Call
	parents int64
	objects int64
	err     error
	// uncalled: the arguments can't be coerced (err is the reason).
	uncalled bool
	open     string

	// Set by [Predict]:

	path, label string
	lines       []string
	below       []*step
}

type estimate struct {
	ordinary bool
	steps    []*step
	records  []*record
	chains   []int // by chain, the number of rounds
	shared   Set
}

func newEstimate(ordinary bool) *estimate {
	// The set shared is ready in chain -1, where no read begins, so only equal reads of it are
	// merged.
	shared := Set{Cardinality: 1, Ready: Stage{chain: -1}}
	return &estimate{ordinary: ordinary, chains: make([]int, 1), shared: shared}
}

// Set is a set of objects, the parents of resolver calls.
type Set struct {
	Cardinality int64 // maximum
	Ready       Stage // at which resolvers are called

	sent map[Read]*record
	rows []tableRows
}

// tableRows are rows of one table that are read at Ready, one for each object of a set.
type tableRows struct {
	table string
	named *record // named columns with their own Gets, or nil after a page has taken them over
	get   *record // the record whose Gets later reads of named columns share
}

func (e *estimate) read(s *step, at Stage, set *Set, r Read) Stage {
	if set.Cardinality == 0 || e.ordinary && r.If != "" {
		return at
	}
	r.Times, r.Rounds = max(r.Times, 1), max(r.Rounds, 1)
	rec := &record{Read: r, step: s, begun: at, gets: times(set.Cardinality, r.Times)}
	if rec.carrier = set.merge(rec); rec.carrier != nil {
		rec.gets = 0
	}
	e.records = append(e.records, rec)
	at.round += r.Rounds
	e.chains[at.chain] = max(e.chains[at.chain], at.round)
	return at
}

// merge returns the record whose Gets a read shares, or nil. A first page takes over the Gets of
// named columns of its row.
func (s *Set) merge(rec *record) (carrier *record) {
	if rec.Kind != Alone || rec.Subject != "" {
		key := rec.key()
		if carrier = s.sent[key]; carrier != nil {
			return carrier
		}
		if s.sent == nil {
			s.sent = map[Read]*record{}
		}
		s.sent[key] = rec
	}
	if rec.Kind == Alone || rec.Subject != "" || rec.begun != s.Ready {
		return nil
	}
	i := slices.IndexFunc(s.rows, func(r tableRows) bool { return r.table == rec.Table })
	if i < 0 {
		i, s.rows = len(s.rows), append(s.rows, tableRows{table: rec.Table})
	}
	r := &s.rows[i]
	if rec.Kind == Named {
		if r.get != nil {
			return r.get
		}
		r.get, r.named = rec, rec
		return nil
	}
	if r.get == nil {
		r.get = rec
	}
	if r.named != nil {
		r.named.gets, r.named.carrier, r.named, r.get = 0, rec, nil, rec
	}
	return nil
}

func (r *record) holder() *record {
	for r.carrier != nil {
		r = r.carrier
	}
	return r
}
