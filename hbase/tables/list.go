package tables

import (
	"encoding/binary"
	"fmt"
	"strings"

	"twibase/hbase"
)

// ListBound is the number of members above which a bucket is split: far below a region's capacity,
// and far above a page.
const ListBound = 50_000

// AnyList is a [List] without the type of its members.
type AnyList struct {
	Table, Family string
	Owner         *AnyObject
	// Count and PublicCount are columns of the owner, or empty.
	Count, PublicCount string
	MaxMember          int  // bytes; if 0, [MaxCell] has a default
	Cursor             byte // first byte of cursors; 0 without cursors
	Trimmed            bool // written by jobs, and loses its last members instead of a split
	Dated              bool // a relation's list whose positions begin with the relation's date
	Check              func(qualifier string) error
	// Public returns nil without a PublicCount.
	Public func(owner string, members []hbase.Cell) ([]bool, error)
}

// maxPageBytes bounds a page of background work: several workers read pages in parallel.
const maxPageBytes = 4 << 20

// PageSize returns the members of a page of background work: n, or fewer if they may be large.
func (l *AnyList) PageSize(n int) int {
	if l.MaxMember == 0 {
		return n
	}
	return min(n, maxPageBytes/l.MaxMember)
}

func (l *AnyList) Row(owner string, bucket uint32) string {
	if bucket == 0 {
		return RowKey(owner)
	}
	return string(binary.BigEndian.AppendUint32([]byte(RowKey(owner)+separator+l.Family), bucket))
}

// OwnerOf decodes [AnyList.Row].
func (l *AnyList) OwnerOf(row string) (owner string, bucket uint32, err error) {
	if n := len(row) - bucketSize; n > hashSize {
		if head, named := strings.CutSuffix(row[:n], separator+l.Family); named {
			bucket = binary.BigEndian.Uint32([]byte(row[n:]))
			if owner, err := OwnerOf(head); err == nil && bucket != 0 {
				return owner, bucket, nil
			}
		}
	}
	owner, err = OwnerOf(row)
	return owner, 0, err
}

// Rows scans the rows of all owners, also pending buckets, with one column of each.
func (l *AnyList) Rows() hbase.Scan {
	return hbase.Scan{Table: l.Table, Columns: l.Family, Page: hbase.Page{Limit: 1}}
}

func (l *AnyList) Get(owner string, bucket uint32, page hbase.Page) hbase.Get {
	return hbase.Get{Table: l.Table, Row: l.Row(owner, bucket), Columns: l.Family, Page: page}
}

// GetIn is [AnyList.Get] with memory of m.
func (l *AnyList) GetIn(m *Memory, owner string, bucket uint32, page hbase.Page) hbase.Get {
	if bucket != 0 {
		return l.Get(owner, bucket, page)
	}
	return hbase.Get{Table: l.Table, Row: m.rowKey(owner), Columns: l.Family, Page: page}
}

// Length reads the Count. [DecodeCount] decodes it.
func (l *AnyList) Length(owner string) hbase.Get {
	return hbase.Get{Table: l.Owner.Table, Row: RowKey(owner), Columns: Attributes + ":" + l.Count}
}

// Lengths reads Count and PublicCount.
func (l *AnyList) Lengths(owner string) hbase.Get {
	get := l.Length(owner)
	if l.PublicCount != "" {
		get.Columns += " " + Attributes + ":" + l.PublicCount
	}
	return get
}

func (l *AnyList) String() string { return l.Table + ":" + l.Family }

// List is a wide row with a column per member E. Package listscan explains its buckets.
type List[E any] struct {
	AnyList
	// decode and encode are inverse. decode may return [ErrName].
	decode func(m *Memory, owner, qualifier string, value []byte) (E, error)
	encode func(E) (qualifier string, value []byte)
	// size is in bytes, without the cell. If it is nil, members are not cached.
	size     func(E) int
	isPublic func(E) bool // nil without PublicCount
}

// newList sets Public. A missing Check decodes the qualifier with an empty value.
func newList[E any](l List[E]) *List[E] {
	if l.Check == nil {
		l.Check = func(qualifier string) error {
			_, err := l.decode(new(Memory), "", qualifier, nil)
			return err
		}
	}
	l.Public = func(owner string, cells []hbase.Cell) ([]bool, error) {
		members, _, err := l.Decode(owner, cells)
		if l.isPublic == nil || err != nil {
			return nil, err
		}
		public := make([]bool, len(members))
		for i, e := range members {
			public[i] = l.isPublic(e)
		}
		return public, nil
	}
	return &l
}

// IsPublic reports whether the PublicCount includes the member.
func (l *List[E]) IsPublic(e E) bool { return l.isPublic != nil && l.isPublic(e) }

// Decode returns the members in cells with their positions. It skips the directory and other
// families. Members may be shared, and are read-only.
func (l *List[E]) Decode(owner string, cells []hbase.Cell) (members []E, positions []string, err error) {
	return l.Decoder().Decode(owner, cells)
}

// Decoder allocates the members of many lists together. It is not safe for concurrent use.
type Decoder[E any] struct {
	list    *List[E]
	members slab[E]
	memory  Memory
}

// Decoder returns a new decoder.
func (l *List[E]) Decoder() *Decoder[E] { return &Decoder[E]{list: l} }

// Decode is [List.Decode] with memory of d.
func (d *Decoder[E]) Decode(owner string, cells []hbase.Cell) (members []E, positions []string, err error) {
	l := d.list
	for i := range cells {
		c := &cells[i]
		if c.Family != l.Family {
			continue
		}
		if members == nil {
			members, positions = d.members.many(len(cells) - i)[:0], d.memory.texts.many(len(cells) - i)[:0]
		}
		if isDirectory(c) || Moved(*c) {
			continue
		}
		e, err := d.member(owner, c)
		if err != nil {
			return nil, nil, l.corrupt(owner, c.Qualifier, err)
		}
		members, positions = append(members, e), append(positions, c.Qualifier)
	}
	return members, positions, nil
}

func (l *AnyList) corrupt(owner, what string, err error) error {
	return fmt.Errorf("%s of %q: %w", l.Table, owner, corrupt(err, what))
}

func (d *Decoder[E]) member(owner string, c *hbase.Cell) (E, error) {
	l := d.list
	if l.size == nil || c.Memo == nil {
		return l.decode(&d.memory, owner, c.Qualifier, c.Value)
	}
	if e, is := c.Memo.Made().(E); is {
		return e, nil
	}
	// A cached member must keep only its cell's memory. owner may be a slice of a whole request.
	e, err := l.decode(new(Memory), strings.Clone(owner), c.Qualifier, c.Value)
	if err == nil {
		c.Memo.Remember(e, l.size(e))
	}
	return e, err
}

func (l *List[E]) Position(e E) string {
	qualifier, _ := l.encode(e)
	return qualifier
}

// Cell returns a member's column.
func (l *List[E]) Cell(e E, timestamp int64) hbase.Cell {
	qualifier, value := l.encode(e)
	return hbase.Cell{Family: l.Family, Qualifier: qualifier, Timestamp: timestamp, Value: value}
}
