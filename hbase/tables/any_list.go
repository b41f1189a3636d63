package tables

import (
	"encoding/binary"
	"strings"

	"twibase/hbase"
)

// ListBound is how many members a bucket of a list holds. HBase never splits a row, so a longer list goes on in further
// rows. The bound is far below what a region can hold, and far above what a page needs.
const ListBound = 50_000

// AnyList is a [List] without the type of its members.
type AnyList struct {
	// Table and Family are where its members are: a column per member, in the order of the list.
	Table, Family string
	// Owner is the kind of object that has such a list. The first row of a list has the key of its owner.
	Owner *AnyObject
	// Count is the attribute of the owner that holds the length of the list, empty if there is none.
	Count string
	// PublicCount is the attribute that holds how many members everybody may see. It is empty if everybody may see all.
	PublicCount string
	// MaxMember is how many bytes a member has at most; 0 is some hundred. See [MaxCell].
	MaxMember int
	// Cursor is the letter that begins the cursors of the list, 0 if no field of the schema shows it.
	Cursor byte
	// Trimmed lists lose their last members when they grow too long. All other lists are split into buckets.
	Trimmed bool

	// position checks a qualifier. The error is [ErrName].
	position func(qualifier string) error
	// public decodes members. See [AnyList.Public].
	public func(owner string, cells []hbase.Cell) ([]bool, error)
}

// Row returns the key of a bucket of the owner's list. Bucket 0 is the owner's own row.
func (l *AnyList) Row(owner string, bucket uint32) string {
	if bucket == 0 {
		return RowKey(owner)
	}
	return string(binary.BigEndian.AppendUint32([]byte(RowKey(owner)+separator+l.Family), bucket))
}

// RowIn is [AnyList.Row] of the first rows of many owners. The keys are made in m.
func (l *AnyList) RowIn(m *Memory, owner string) string { return m.rowKey(owner) }

// OwnerOf reads a key of [AnyList.Row] back.
func (l *AnyList) OwnerOf(row string) (owner string, bucket uint32, err error) {
	if n := len(row) - bucketSize; n > hashSize {
		if head, sealed := strings.CutSuffix(row[:n], separator+l.Family); sealed {
			bucket = binary.BigEndian.Uint32([]byte(row[n:]))
			if owner, err := OwnerOf(head); err == nil && bucket != 0 {
				return owner, bucket, nil
			}
		}
	}
	owner, err = OwnerOf(row)
	return owner, 0, err
}

// Rows scans for the keys of all rows of such lists: of each, the first column of the family.
func (l *AnyList) Rows() hbase.Scan {
	return hbase.Scan{Table: l.Table, Columns: l.Family, Page: hbase.Page{Limit: 1}}
}

// Get reads a page of one bucket.
func (l *AnyList) Get(owner string, bucket uint32, page hbase.Page) hbase.Get {
	return hbase.Get{Table: l.Table, Row: l.Row(owner, bucket), Columns: l.Family, Page: page}
}

// GetIn is [AnyList.Get] for many lists: their row keys are made in m.
func (l *AnyList) GetIn(m *Memory, owner string, bucket uint32, page hbase.Page) hbase.Get {
	if bucket != 0 {
		return l.Get(owner, bucket, page)
	}
	return hbase.Get{Table: l.Table, Row: m.rowKey(owner), Columns: l.Family, Page: page}
}

// Length reads the list's length: see [DecodeCount].
func (l *AnyList) Length(owner string) hbase.Get {
	return hbase.Get{Table: l.Owner.Table, Row: RowKey(owner), Columns: Attributes + ":" + l.Count}
}

// Lengths reads the list's length and, if there is one, its [AnyList.PublicCount].
func (l *AnyList) Lengths(owner string) hbase.Get {
	get := l.Length(owner)
	if l.PublicCount != "" {
		get.Columns += " " + Attributes + ":" + l.PublicCount
	}
	return get
}

// Check reports whether a qualifier, which may come from a client, can be a position in such a list.
func (l *AnyList) Check(qualifier string) error { return l.position(qualifier) }

// Public decodes members and reports for each whether everybody may see it. It returns nil if the list has no
// [AnyList.PublicCount]. The error is [hbase.ErrCorrupt] if a member can't be read.
func (l *AnyList) Public(owner string, members []hbase.Cell) ([]bool, error) {
	return l.public(owner, members)
}

// String returns table:family.
func (l *AnyList) String() string { return l.Table + ":" + l.Family }
