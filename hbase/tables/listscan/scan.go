package listscan

import (
	"cmp"
	"slices"
	"sort"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Range is the part of a list to read: at most Limit members after the position After and before
// the position Before, from the beginning or, if Backward, from the end. An empty position is no
// bound.
type Range struct {
	After, Before string
	// From is a bound like After, but the range includes it. At most one of them is set.
	From     string
	Limit    int
	Backward bool
	// Far says that the range may start in a sealed bucket. A forward scan then reads the directory
	// together with bucket 0, which saves a round if it does, and costs a Get if it does not.
	Far bool
}

// Empty reports whether no position can be in the range.
func (r *Range) Empty() bool { return r.Before != "" && max(r.After, r.From) >= r.Before }

// single reports whether the range is one position.
func (r *Range) single() bool { return r.From != "" && r.Before == r.From+"\x00" }

// start returns the first position of the range.
func (r *Range) start() string {
	if r.After != "" {
		return hbase.Next(r.After)
	}
	return r.From
}

// covers reports whether a bucket has its beginning in the range, as far as its start goes.
func (r *Range) covers(b tables.Bucket) bool { return b.Start > r.After && b.Start >= r.From }

// Widths of reads. A scan of cost declarations uses them too.
const (
	// MaxWidth is the greatest number of buckets that a round reads.
	MaxWidth = 32
	// FarLookup is the number of directory columns that are read beside bucket 0: the bucket of the
	// position, and the next.
	FarLookup = 2
	// Lookup is the number of directory columns that a round of its own reads.
	Lookup = 256
	// Tail is the number of columns of bucket 0 that a backward scan reads together with the
	// directory. A list of fewer members in one bucket needs no other round.
	Tail = 256
)

// state says what the next round of a scan reads.
type state uint8

const (
	forwardFirst   state = iota // bucket 0 from the position on; the directory too if the range is Far
	forwardLookup               // the directory from the position on
	forwardBuckets              // sealed buckets, several at once
	backwardFirst               // the directory column of the bucket before the end; the beginning of bucket 0 too
	backwardBucket              // one bucket whole
	backwardLookup              // the directory before a bucket that is empty
	backwardProbe               // one column each of several buckets, to find the last that is not empty
	done
)

// Scan reads a page of a list.
//
// Forward:
//
//	first ──► page is full, or the list ends ──────────────────────────────► done
//	  │ the page reaches into sealed buckets
//	  ├──► buckets, once they are known ◄──┐ twice as many as before, while ──► done
//	  │        │ known ones are used up    │ the page is not full
//	  └──► lookup ─────────────────────────┘
//
// The first page of a list needs bucket 0 only. The columns after its last member are the
// directory, so a page that reads past it knows the next buckets. Buckets from which most members
// were removed are why the number of buckets per round doubles: a page of a list of n buckets takes
// O(log n) rounds, as long as n is small beside [MaxWidth] and [Lookup]. No more buckets are read
// at once than the page needs if they are as full as those of the round before.
//
// Backward:
//
//	first ──► all is in the beginning of bucket 0 ─────────────────────────► done
//	  └──► bucket ──► it has a member: the page is its end ────────────────► done
//	         ▲ └──► it is empty: lookup ──┐ the bucket before it
//	         ├────────────────────────────┘
//	         └── probe ◄── and that is empty too: twice as many as before
//
// A backward page comes from one bucket. It may be short although more members precede it.
//
// A Scan is not safe for concurrent use.
type Scan struct {
	list  *tables.AnyList
	owner string
	*Range

	state state
	// reads is the number of Gets of the next round, width the number of buckets that it may read,
	// which doubles.
	reads, width uint8
	// whole is how many buckets of the last round lie in the range with their beginning, and found
	// how many members they had.
	whole uint8
	found int32
	// from is the first position that a forward scan has not read.
	from string
	// known are sealed buckets that are still to be read, in the list's order. A backward scan
	// reads the last one first.
	known []tables.Bucket

	cells                []hbase.Cell
	hasNext, hasPrevious bool
}

// New returns a scan of the owner's list. The caller must not change the range during the scan.
func New(list *tables.AnyList, owner string, r *Range) Scan {
	s := Scan{list: list, owner: owner, Range: r, reads: 1, width: 1, from: r.start()}
	switch {
	case r.Empty():
		s.state, s.reads = done, 0
	case r.Backward:
		s.state, s.reads = backwardFirst, 2
	case r.Far && s.from != "":
		s.reads = 2
	}
	return s
}

// Done reports whether the page is complete.
func (s *Scan) Done() bool { return s.state == done }

// Cells returns the columns of the page's members, in the list's order. The caller must not write
// to them.
func (s *Scan) Cells() []hbase.Cell { return s.cells }

// HasNext reports whether members follow the page. A backward scan does not look, and says so if
// there is a bound.
func (s *Scan) HasNext() bool { return s.hasNext || s.Backward && s.Before != "" }

// HasPrevious reports whether members precede the page. A forward scan does not look, and says so
// if there is a bound.
func (s *Scan) HasPrevious() bool { return s.hasPrevious || !s.Backward && max(s.After, s.From) != "" }

// Reads returns the number of Gets of the next round.
func (s *Scan) Reads() int { return int(s.reads) }

// Gets returns the Gets of the next round.
func (s *Scan) Gets() []hbase.Get {
	gets, m := make([]hbase.Get, s.reads), new(tables.Memory)
	for k := range gets {
		gets[k] = s.Get(m, k)
	}
	return gets
}

// Get returns the k-th Get of the next round, with its row key allocated in m.
func (s *Scan) Get(m *tables.Memory, k int) hbase.Get {
	switch s.state {
	case forwardFirst:
		if k == 1 {
			return s.list.Directory(s.owner, s.from, FarLookup)
		}
		// The page has no end, so that it brings the directory along.
		return s.list.GetIn(m, s.owner, 0, hbase.Page{Start: s.from, Limit: s.columns()})
	case forwardLookup:
		return s.list.Directory(s.owner, hbase.Next(s.from), s.lookup())
	case forwardBuckets:
		return s.bucket(m, s.known[k], s.columns())
	case backwardFirst:
		if k == 0 {
			return s.list.Directory(s.owner, s.Before, 1)
		}
		return s.bucket(m, tables.Bucket{}, Tail)
	case backwardBucket:
		return s.bucket(m, s.last(), 0)
	case backwardLookup:
		return s.list.DirectoryTo(s.owner, s.last().Start)
	case backwardProbe:
		return s.bucket(m, s.known[len(s.known)-s.Reads()+k], 1)
	}
	panic("listscan: the scan is done")
}

// bucket reads the part of a bucket that is in the range and has not been read.
func (s *Scan) bucket(m *tables.Memory, b tables.Bucket, limit int) hbase.Get {
	// What follows the bucket's Stop may be old copies.
	p := hbase.Page{Start: max(b.Start, s.from), Stop: cmp.Or(b.Stop, tables.MembersEnd), Limit: limit}
	if s.Before != "" {
		p.Stop = min(p.Stop, s.Before)
	}
	return s.list.GetIn(m, s.owner, b.Number, p)
}

// Run reads until the scan is done. read returns the cells of each Get.
func (s *Scan) Run(read func([]hbase.Get) ([][]hbase.Cell, error)) error {
	for !s.Done() {
		cells, err := read(s.Gets())
		if err != nil {
			return err
		}
		if err := s.Take(Results(cells)); err != nil {
			return err
		}
	}
	return nil
}

// Results returns the results of Gets of which none failed.
func Results(cells [][]hbase.Cell) []hbase.Result {
	results := make([]hbase.Result, len(cells))
	for i := range cells {
		results[i].Cells = cells[i]
	}
	return results
}

// Take continues the scan with the results of the last Gets, index-aligned. It fails if one failed
// that the scan needs, or if stored data is corrupt.
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
	case backwardBucket:
		return s.takeBucket(results[0])
	case backwardLookup:
		return s.takePreceding(results[0])
	case backwardProbe:
		return s.takeProbes(results)
	}
	panic("listscan: the scan is done")
}

// next says what the next round reads.
func (s *Scan) next(state state, reads int) { s.state, s.reads = state, uint8(reads) }

func (s *Scan) finish() { s.next(done, 0) }

// last is the bucket that a backward scan reads, or has found empty.
func (s *Scan) last() tables.Bucket { return s.known[len(s.known)-1] }

// room is the number of members that the page lacks.
func (s *Scan) room() int { return s.Limit - len(s.cells) }

// columns is the number of columns that a forward scan reads of a row: one more than the page lacks
// tells whether another follows.
func (s *Scan) columns() int {
	if s.single() {
		return 1
	}
	return s.room() + 1
}

// lookup is the number of directory columns that a forward scan reads in a round of its own.
func (s *Scan) lookup() int {
	if s.single() {
		return 1
	}
	return Lookup
}

// directory returns the sealed buckets that a result names.
func (s *Scan) directory(r hbase.Result) ([]tables.Bucket, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	return s.list.DecodeDirectory(s.owner, r.Cells)
}

// split divides the cells of a page of a bucket into members and directory.
func split(cells []hbase.Cell) (members, directory []hbase.Cell) {
	n := len(cells)
	for n > 0 && cells[n-1].Qualifier >= tables.MembersEnd {
		n--
	}
	return cells[:n:n], cells[n:]
}

// before returns the members before a position.
func before(members []hbase.Cell, position string) []hbase.Cell {
	n := sort.Search(len(members), func(i int) bool { return members[i].Qualifier >= position })
	return members[:n:n]
}

// withoutMarkers returns the cells without moved markers.
func withoutMarkers(cells []hbase.Cell) []hbase.Cell {
	if !slices.ContainsFunc(cells, tables.Moved) {
		return cells
	}
	return slices.DeleteFunc(slices.Clone(cells), tables.Moved)
}
