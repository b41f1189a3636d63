package tables

import (
	"encoding/binary"
	"fmt"
	"strings"

	"twibase/hbase"
)

// ListBound is how many members a bucket of a list holds. An HBase row never splits, so that a longer list goes on in further
// rows; it is a good deal below what a region can hold, and far above what a page needs.
const ListBound = 50_000

// directory is the first byte of the columns by which bucket 0 names the others. It sorts behind every member: an inverted time starts below
// 0x80, and no byte of a name in UTF-8 is 0xff. So a page that runs off the end of bucket 0 brings the directory along.
const directory = "\xff"

// bucketSize is the length of a bucket's number.
const bucketSize = 4

// MembersEnd is behind every position of a list.
const MembersEnd = directory

// List is a kind of wide row: a column per member of the owner's list, in the order of the qualifiers. E is what a column says.
//
// Bucket 0, the owner's own row, holds the list's beginning. When it passes [ListBound], its end moves to a sealed bucket, and a
// directory column in bucket 0 names that: 0xff ‖ the bucket's upper bound → its number and its first qualifier. Buckets
// cover the list without gaps, so that a position is enough to go on reading: a member that is in two buckets while it
// moves is read once.
type List[E any] struct {
	Table, Family string
	// Count is the attribute of the owner's row in CountTable that holds the list's length; both are empty if nothing does.
	CountTable, Count string

	// position checks a qualifier. Its errors, and those of decode, are [ErrName]: Decode adds that stored data is corrupt.
	position func(qualifier string) error
	decode   func(m *Memory, owner, qualifier string, value []byte) (E, error)
	encode   func(E) (qualifier string, value []byte)
	// size is how much memory a member takes beside its cell, in bytes. It is nil if members are made as fast as found: they are not remembered.
	size func(E) int
}

// Bucket is a row of a list that covers the qualifiers from Start up to, and without, Stop; an empty Stop is the list's end. Start and
// Stop are positions of the list, whether or not a member has them any more.
type Bucket struct {
	Number      uint32
	Start, Stop string
}

// Row returns the key of a bucket of the owner's list. Bucket 0 is the owner's own row.
func (l *List[E]) Row(owner string, bucket uint32) string {
	if bucket == 0 {
		return RowKey(owner)
	}
	return string(binary.BigEndian.AppendUint32([]byte(RowKey(owner)+separator+l.Family), bucket))
}

// RowIn is [List.Row] of many owners' own rows, whose keys are made in m.
func (l *List[E]) RowIn(m *Memory, owner string) string { return m.rowKey(owner) }

// OwnerOf reads a key of Row back.
func (l *List[E]) OwnerOf(row string) (owner string, bucket uint32, err error) {
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

// Get reads a page of one bucket.
func (l *List[E]) Get(owner string, bucket uint32, page hbase.Page) hbase.Get {
	return hbase.Get{Table: l.Table, Row: l.Row(owner, bucket), Columns: l.Family, Page: page}
}

// GetIn is [List.Get] for many lists, whose rows' keys are made in m.
func (l *List[E]) GetIn(m *Memory, owner string, bucket uint32, page hbase.Page) hbase.Get {
	if bucket != 0 {
		return l.Get(owner, bucket, page)
	}
	return hbase.Get{Table: l.Table, Row: m.rowKey(owner), Columns: l.Family, Page: page}
}

// Directory reads the first n sealed buckets that end at the position or behind it, or the last bucket if it is empty. A list of one
// bucket has none.
//
// A page before a position lies in the first of them, given that its Start is before the position, and otherwise in bucket 0. The position
// itself, and what follows it, lie in the first of those that the Directory of [hbase.Next](position) reads, on the same terms. The two differ
// where the position is the first of a bucket.
func (l *List[E]) Directory(owner, position string, n int) hbase.Get {
	if position == "" {
		position = directory
	}
	return l.Get(owner, 0, hbase.Page{Start: directory + position, Limit: n})
}

// DirectoryTo reads the sealed buckets that end at the position or before it.
func (l *List[E]) DirectoryTo(owner, position string) hbase.Get {
	return l.Get(owner, 0, hbase.Page{Start: directory, Stop: directory + hbase.Next(position)})
}

// Directories reads the whole directory, and what stands behind it: the announcement of a cut.
func (l *List[E]) Directories(owner string) hbase.Get {
	return l.Get(owner, 0, hbase.Page{Start: MembersEnd})
}

// Length reads the list's length: see [DecodeCount].
func (l *List[E]) Length(owner string) hbase.Get {
	return hbase.Get{Table: l.CountTable, Row: RowKey(owner), Columns: Attributes + ":" + l.Count}
}

// Check reports whether a qualifier, which may come from a client, can be a position in such a list.
func (l *List[E]) Check(qualifier string) error { return l.position(qualifier) }

// Decode returns the members and the directory columns among the cells of one bucket, both in the list's order. Who reads bucket 0 without
// knowing the directory takes its [Beginning] first.
// positions are the members' qualifiers. Cells of other families are passed over. Members may be others', too: nobody writes to what they point to.
func (l *List[E]) Decode(owner string, cells []hbase.Cell) (members []E, positions []string, buckets []Bucket, err error) {
	d := Decoder[E]{list: l}
	return d.Decode(owner, cells)
}

// Decoder is [List.Decode] for many lists: what it makes lies side by side. It is not safe for concurrent use.
type Decoder[E any] struct {
	list    *List[E]
	members slab[E]
	memory  Memory
}

// Decoder returns a new one.
func (l *List[E]) Decoder() *Decoder[E] { return &Decoder[E]{list: l} }

// Decode is [List.Decode].
func (d *Decoder[E]) Decode(owner string, cells []hbase.Cell) (members []E, positions []string, buckets []Bucket, err error) {
	l := d.list
	for i := range cells {
		c := &cells[i]
		if c.Family != l.Family {
			continue
		}
		if c.Qualifier == announcement {
			if _, err := l.decodeAnnouncement(c.Value); err != nil {
				return nil, nil, nil, fmt.Errorf("%s of %q: %w", l.Table, owner, corrupt(err, "announcement"))
			}
			continue
		}
		if members == nil {
			members, positions = d.members.many(len(cells) - i)[:0], d.memory.texts.many(len(cells) - i)[:0]
		}
		if c.Qualifier != "" && c.Qualifier[:1] == directory {
			b, err := l.decodeBucket(c)
			if err != nil {
				return nil, nil, nil, fmt.Errorf("%s of %q: %w", l.Table, owner, corrupt(err, c.Qualifier))
			}
			buckets = append(buckets, b)
			continue
		}
		if Moved(*c) {
			continue
		}
		e, err := d.member(owner, c)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s of %q: %w", l.Table, owner, corrupt(err, c.Qualifier))
		}
		members, positions = append(members, e), append(positions, c.Qualifier)
	}
	return members, positions, buckets, nil
}

// member makes the member of a cell, if nobody has.
func (d *Decoder[E]) member(owner string, c *hbase.Cell) (E, error) {
	l := d.list
	if l.size == nil || c.Memo == nil {
		return l.decode(&d.memory, owner, c.Qualifier, c.Value)
	}
	if e, is := c.Memo.Made().(E); is {
		return e, nil
	}
	// What is remembered shares no memory but the cell's, or it would keep more alive than it takes: the owner's name may be a piece of a whole request.
	e, err := l.decode(new(Memory), strings.Clone(owner), c.Qualifier, c.Value)
	if err == nil {
		c.Memo.Remember(e, l.size(e))
	}
	return e, err
}

// Position returns the qualifier of a member, which is its place in the list.
func (l *List[E]) Position(e E) string {
	qualifier, _ := l.encode(e)
	return qualifier
}

// Cell returns the column of a member.
func (l *List[E]) Cell(e E, timestamp int64) hbase.Cell {
	qualifier, value := l.encode(e)
	return hbase.Cell{Family: l.Family, Qualifier: qualifier, Timestamp: timestamp, Value: value}
}

// BucketCell returns the directory column that names a sealed bucket.
func (l *List[E]) BucketCell(b Bucket, timestamp int64) hbase.Cell {
	stop := b.Stop
	if stop == "" {
		stop = directory
	}
	return hbase.Cell{Family: l.Family, Qualifier: directory + stop, Timestamp: timestamp,
		Value: append(binary.BigEndian.AppendUint32(nil, b.Number), b.Start...)}
}

func (l *List[E]) decodeBucket(c *hbase.Cell) (Bucket, error) {
	if len(c.Value) < bucketSize {
		return Bucket{}, fmt.Errorf("%w: a directory column of %d bytes", ErrName, len(c.Value))
	}
	b := Bucket{Number: binary.BigEndian.Uint32(c.Value), Start: string(c.Value[bucketSize:]), Stop: c.Qualifier[1:]}
	if b.Stop == MembersEnd {
		b.Stop = ""
	} else if b.Stop == "" {
		return Bucket{}, fmt.Errorf("%w: a directory column without a bound", ErrName)
	}
	return b, l.checkBucket(b)
}

func (l *List[E]) checkBucket(b Bucket) error {
	err := l.position(b.Start)
	if err == nil && b.Stop != "" {
		err = l.position(b.Stop)
	}
	if err == nil && (b.Number == 0 || b.Stop != "" && b.Start >= b.Stop) {
		err = fmt.Errorf("%w: a directory names bucket %d from %q to %q", ErrName, b.Number, b.Start, b.Stop)
	}
	return err
}
