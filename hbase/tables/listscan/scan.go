// Package listscan reads lists that are stored in buckets.
//
// A list that grows past [tables.ListBound] is split into buckets, which are rows. Bucket 0 is the
// owner's own row. It has the beginning of the list, and the directory of the other buckets.
//
//	row of bucket 0   hash ‖ owner
//	┌──────────────────┬──────────────────────────────┬─────────────────────┐
//	│ a  b  c  …  m    │ ff q → 2, n  │ ff ff → 1, q  │ ff ff ff → pending  │
//	├──────────────────┼──────────────────────────────┼─────────────────────┤
//	│ members before n │ directory: stop → no., start │ during a split only │
//	└──────────────────┴──────────────────────────────┴─────────────────────┘
//	row of bucket 2   hash ‖ owner ‖ 00 ‖ family ‖ 2    members from n up to q
//	row of bucket 1   hash ‖ owner ‖ 00 ‖ family ‖ 1    members from q to the end
//
// During a split (docs/WRITES.md), readers ignore pending buckets. After it, a page of bucket 0 may
// have old copies of moved members, and moved markers at the positions of members that were added
// since. A forward page ends at its first marker, and the scan continues in the bucket that the
// directory names. A backward page skips markers.
//
// [Scan] reads a page, [Rows] reads all rows. Both are state machines without I/O: the caller
// executes their Gets, maybe together with those of other scans, and passes the results to Take.
package listscan

import (
	"cmp"
	"slices"
	"sort"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Range selects the first or, if Backward, the last Limit members. An empty position is no bound.
type Range struct {
	After, Before string
	// From is an inclusive After. Set at most one of them.
	From     string
	Limit    int
	Backward bool
	// Far means that the range may start in a named bucket: see [FarLookup].
	Far bool
}

// Empty reports whether the range ends at or before its start.
func (r *Range) Empty() bool { return r.Before != "" && max(r.After, r.From) >= r.Before }

func (r *Range) onePosition() bool { return r.From != "" && r.Before == r.From+"\x00" }

func (r *Range) start() string {
	if r.After != "" {
		return hbase.Next(r.After)
	}
	return r.From
}

func (r *Range) hasStart(b tables.Bucket) bool { return b.Start > r.After && b.Start >= r.From }

// Limits of a scan. Package loaders declares costs with them.
const (
	// MaxWidth is the maximum number of buckets of a round.
	MaxWidth = 32
	// FarLookup is the number of directory columns that a forward scan of a Far range reads
	// together with bucket 0.
	FarLookup = 2
	// Lookup is the maximum number of directory columns of a forward lookup. A backward lookup has
	// no limit.
	Lookup = 256
	// HeadLimit is the number of columns of bucket 0 in the first round of a backward scan.
	HeadLimit = 256
)

// state is what the next round reads.
type state uint8

const (
	forwardFirst   state = iota // bucket 0 from the position on; if Far, with the directory
	forwardLookup               // the directory from the position on
	forwardBuckets              // several named buckets
	backwardFirst               // the directory column of the range's last bucket; the beginning of bucket 0
	backwardKeys                // positions of the last known bucket
	backwardBucket              // the last known bucket, or its end after backwardKeys
	backwardLookup              // the directory before an empty bucket
	backwardProbe               // one column of each of several buckets
	done
)

// Scan reads a page of a list.
//
// Forward:
//
//	first ───┬──► the page is full, or the list ends ──► done
//	buckets ─┼──► the next buckets are known ──────────► buckets, twice the number
//	         └──► they are not known ──► lookup ───────► buckets, or done if there are none
//
// A Get past the last member of bucket 0 also returns directory columns.
//
// Buckets may be almost empty, so their number per round doubles, up to [MaxWidth]. But a round
// reads no more buckets than fill the page if they are as full as the last ones.
//
// Backward:
//
//	first ──┬──► all is in the beginning of bucket 0: the page is its end ─► done
//	        └──► bucket
//	bucket ─┬──► it has members: the page is their end ────────────────────► done
//	        ├──► empty, and none is before it ─────────────────────────────► done
//	        ├──► empty, and the buckets before it are not known ───────────► lookup
//	        └──► empty, and they are known ────────────────────────────────► probe
//	lookup ────► the bucket before the empty one ──────────────────────────► bucket
//	probe ─────► twice the buckets each time; the last with members ───────► bucket
//
// A backward page comes from one bucket, and may be short although more members precede it. Stores
// can't read the last columns of a row, so the scan reads the whole bucket. If members may be
// large, it first reads only positions, and then the bucket's end with values.
//
// A Scan is not safe for concurrent use.
type Scan struct {
	list  *tables.AnyList
	owner string
	*Range

	state state
	reads uint8           // number of Gets of the next round
	width uint8           // maximum buckets of a round; doubles
	fill  uint8           // estimated buckets to fill the page; MaxWidth if unknown
	from  string          // first unread position; backward: start of the range
	known []tables.Bucket // buckets to read, in the list's order
	keys  []hbase.Cell    // positions of the last bucket whose values were not read
	added int             // raises the limit of endOfKeys for new members

	cells                []hbase.Cell
	hasNext, hasPrevious bool
}

// New returns a scan of r. Do not change r while the scan is used, even after Done.
func New(list *tables.AnyList, owner string, r *Range) *Scan {
	s := new(Scan)
	s.Begin(list, owner, r)
	return s
}

// Begin is [New] without an allocation. s must be zero.
func (s *Scan) Begin(list *tables.AnyList, owner string, r *Range) {
	s.list, s.owner, s.Range, s.from = list, owner, r, r.start()
	s.width, s.fill = 1, MaxWidth
	switch {
	case r.Empty():
		s.finish()
	case r.Backward:
		s.next(backwardFirst, 2)
	case r.Far && s.from != "":
		s.next(forwardFirst, 2)
	default:
		s.next(forwardFirst, 1)
	}
}

// Done reports whether the page is complete.
func (s *Scan) Done() bool { return s.state == done }

// Cells returns the page in the list's order. It is read-only.
func (s *Scan) Cells() []hbase.Cell { return s.cells }

// HasNext reports whether members of the range follow the page; of a backward scan, whether it has
// a Before.
func (s *Scan) HasNext() bool { return s.hasNext || s.Backward && s.Before != "" }

// HasPrevious reports whether members of the range precede the page; of a forward scan, whether it
// has an After or a From.
func (s *Scan) HasPrevious() bool { return s.hasPrevious || !s.Backward && max(s.After, s.From) != "" }

// Reads returns the number of Gets of the next round.
func (s *Scan) Reads() int { return int(s.reads) }

// Get returns the k-th Get of the next round. It may allocate the row key in m.
func (s *Scan) Get(m *tables.Memory, k int) hbase.Get {
	switch s.state {
	case forwardFirst:
		if k == 1 {
			return s.list.Directory(s.owner, s.from, FarLookup)
		}
		// The page has no Stop, so a short page includes the directory.
		return s.list.GetIn(m, s.owner, 0, hbase.Page{Start: s.from, Limit: s.limit()})
	case forwardLookup:
		if s.onePosition() {
			return s.list.Directory(s.owner, hbase.Next(s.from), 1)
		}
		return s.list.Directory(s.owner, hbase.Next(s.from), Lookup)
	case forwardBuckets:
		return s.bucket(m, s.known[k], s.limit())
	case backwardFirst:
		if k == 0 {
			return s.list.Directory(s.owner, s.Before, 1)
		}
		g := s.bucket(m, tables.Bucket{}, HeadLimit)
		g.Page.NoValues = s.keysFirst()
		return g
	case backwardKeys:
		g := s.bucket(m, s.last(), 0)
		g.Page.NoValues = true
		return g
	case backwardBucket:
		if len(s.keys) == 0 {
			return s.bucket(m, s.last(), 0)
		}
		page, _ := s.endOfKeys()
		return s.list.GetIn(m, s.owner, s.last().Number, page)
	case backwardLookup:
		return s.list.DirectoryTo(s.owner, s.last().Start)
	case backwardProbe:
		return s.bucket(m, s.known[len(s.known)-s.Reads()+k], 1)
	}
	panic("listscan: the scan is done")
}

func (s *Scan) bucket(m *tables.Memory, b tables.Bucket, limit int) hbase.Get {
	// Old copies may follow the Stop.
	p := hbase.Page{Start: max(b.Start, s.from), Stop: cmp.Or(b.Stop, tables.MembersEnd), Limit: limit}
	if s.Before != "" {
		p.Stop = min(p.Stop, s.Before)
	}
	return s.list.GetIn(m, s.owner, b.Number, p)
}

// Run executes scans together: each round reads for all that are not done.
func Run(read func(...hbase.Get) ([][]hbase.Cell, error), scans ...*Scan) error {
	var m tables.Memory
	for {
		var gets []hbase.Get
		for _, s := range scans {
			for k := range s.Reads() {
				gets = append(gets, s.Get(&m, k))
			}
		}
		if len(gets) == 0 {
			return nil
		}
		cells, err := read(gets...)
		if err != nil {
			return err
		}
		results := make([]hbase.Result, len(cells))
		for i := range cells {
			results[i].Cells = cells[i]
		}
		for _, s := range scans {
			if s.Done() {
				continue
			}
			n := s.Reads()
			if err := s.Take(results[:n]); err != nil {
				return err
			}
			results = results[n:]
		}
	}
}

// Take continues with the results of the round.
func (s *Scan) Take(results []hbase.Result) error {
	switch s.state {
	case forwardFirst:
		return s.takeFirst(results)
	case forwardLookup:
		return s.takeLookup(results[0])
	case forwardBuckets:
		return s.takeBuckets(results)
	case backwardFirst:
		return s.takeEnd(results[0], results[1])
	case backwardKeys:
		return s.takeKeys(results[0])
	case backwardBucket:
		return s.takeBucket(results[0])
	case backwardLookup:
		return s.takePreceding(results[0])
	case backwardProbe:
		return s.takeProbes(results)
	}
	panic("listscan: the scan is done")
}

func (s *Scan) next(state state, reads int) { s.state, s.reads = state, uint8(reads) }

func (s *Scan) finish() { s.next(done, 0) }

// last returns the bucket that a backward scan reads next, or has found empty.
func (s *Scan) last() tables.Bucket { return s.known[len(s.known)-1] }

func (s *Scan) room() int { return s.Limit - len(s.cells) }

// limit returns one more than the page lacks, to learn whether another member follows.
func (s *Scan) limit() int {
	if s.onePosition() { // has one member
		return 1
	}
	return s.room() + 1
}

func (s *Scan) directory(r hbase.Result) ([]tables.Bucket, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	return s.list.DecodeDirectory(s.owner, r.Cells)
}

func split(cells []hbase.Cell) (members, directory []hbase.Cell) {
	n := len(cells)
	for n > 0 && cells[n-1].Qualifier >= tables.MembersEnd {
		n--
	}
	return cells[:n:n], cells[n:]
}

func before(members []hbase.Cell, position string) []hbase.Cell {
	n := sort.Search(len(members), func(i int) bool { return members[i].Qualifier >= position })
	return members[:n:n]
}

func withoutMarkers(cells []hbase.Cell) []hbase.Cell {
	if !slices.ContainsFunc(cells, tables.Moved) {
		return cells
	}
	return slices.DeleteFunc(slices.Clone(cells), tables.Moved)
}
