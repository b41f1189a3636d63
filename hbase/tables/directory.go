package tables

import (
	"encoding/binary"
	"fmt"
	"slices"

	"twibase/hbase"
)

// directory is the first byte of the columns by which bucket 0 names the sealed buckets. It sorts behind every member: an
// inverted time starts below 0x80, and no byte of a name in UTF-8 is 0xff. So a page that runs off the end of bucket 0
// includes the directory.
const directory = "\xff"

// MembersEnd is behind every position of a list.
const MembersEnd = directory

// bucketSize is the length of a bucket's number.
const bucketSize = 4

// Bucket is a row of a list. It covers the qualifiers from Start up to, but not including, Stop. An empty Stop is the end of
// the list. Start and Stop are positions of the list, but their members may be gone.
type Bucket struct {
	Number      uint32
	Start, Stop string
}

// BucketOf returns the number of the bucket that covers a position, given the whole directory of the list in its order: 0
// if no sealed bucket does.
func BucketOf(directory []Bucket, position string) uint32 {
	i, _ := slices.BinarySearchFunc(directory, position, func(b Bucket, position string) int {
		if b.Stop != "" && b.Stop <= position {
			return -1
		}
		return 1
	})
	if i < len(directory) && directory[i].Start <= position {
		return directory[i].Number
	}
	return 0
}

// NextBucket returns a number that is greater than those of all buckets.
func NextBucket(directory []Bucket) uint32 {
	next := uint32(1)
	for _, b := range directory {
		next = max(next, b.Number+1)
	}
	return next
}

// Split plans how a full bucket is split at cuts, which are positions of its members. The bucket keeps the members before
// the first cut, and each cut starts a new bucket. The new buckets are numbered from first on. columns are the directory
// columns to put together: those of the new buckets and, if the split bucket was sealed, its own.
func Split(directory []Bucket, bucket, first uint32, cuts []string) (created, columns []Bucket) {
	stop := ""
	if bucket == 0 && len(directory) > 0 {
		stop = directory[0].Start
	}
	for _, b := range directory {
		if b.Number == bucket {
			stop = b.Stop
			columns = append(columns, Bucket{Number: bucket, Start: b.Start, Stop: cuts[0]})
		}
	}
	for i, cut := range cuts {
		b := Bucket{Number: first + uint32(i), Start: cut, Stop: stop}
		if i+1 < len(cuts) {
			b.Stop = cuts[i+1]
		}
		created = append(created, b)
	}
	return created, append(columns, created...)
}

// Directory reads the first n sealed buckets that end at the position or behind it, or the last bucket if the position is
// empty. A list that was never split has none.
//
// A page before a position lies in the first of them, if its Start is before the position, and otherwise in bucket 0. The
// position itself, and what follows it, lie in the first of those that the Directory of [hbase.Next](position) reads, by
// the same rule. The two differ if the position is the first of a bucket.
func (l *AnyList) Directory(owner, position string, n int) hbase.Get {
	if position == "" {
		position = directory
	}
	return l.Get(owner, 0, hbase.Page{Start: directory + position, Limit: n})
}

// DirectoryTo reads the sealed buckets that end at the position or before it.
func (l *AnyList) DirectoryTo(owner, position string) hbase.Get {
	return l.Get(owner, 0, hbase.Page{Start: directory, Stop: directory + hbase.Next(position)})
}

// Directories reads the whole directory and, behind it, the pending buckets of a split in progress.
func (l *AnyList) Directories(owner string) hbase.Get {
	return l.Get(owner, 0, hbase.Page{Start: MembersEnd})
}

// DecodeDirectory returns the sealed buckets that the directory columns among cells name, in the order of the list. It
// skips members.
func (l *AnyList) DecodeDirectory(owner string, cells []hbase.Cell) (buckets []Bucket, err error) {
	for i := range cells {
		if c := &cells[i]; c.Family == l.Family && isDirectory(c) {
			if buckets, err = l.appendBucket(buckets, owner, c); err != nil {
				return nil, err
			}
		}
	}
	return buckets, nil
}

// isDirectory reports whether a column is no member, but a part of the directory or what follows that.
func isDirectory(c *hbase.Cell) bool { return c.Qualifier >= MembersEnd }

// appendBucket appends the bucket that a directory column names. It checks the column of pending buckets, and appends nothing for it.
func (l *AnyList) appendBucket(buckets []Bucket, owner string, c *hbase.Cell) ([]Bucket, error) {
	if c.Qualifier == pendingColumn {
		if _, err := l.decodePending(c.Value); err != nil {
			return nil, fmt.Errorf("%s of %q: %w", l.Table, owner, corrupt(err, "pending buckets"))
		}
		return buckets, nil
	}
	b, err := l.decodeBucket(c)
	if err != nil {
		return nil, fmt.Errorf("%s of %q: %w", l.Table, owner, corrupt(err, c.Qualifier))
	}
	return append(buckets, b), nil
}

// BucketCell returns the directory column that names a sealed bucket.
func (l *AnyList) BucketCell(b Bucket, timestamp int64) hbase.Cell {
	stop := b.Stop
	if stop == "" {
		stop = directory
	}
	return hbase.Cell{Family: l.Family, Qualifier: directory + stop, Timestamp: timestamp,
		Value: append(binary.BigEndian.AppendUint32(nil, b.Number), b.Start...)}
}

func (l *AnyList) decodeBucket(c *hbase.Cell) (Bucket, error) {
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

func (l *AnyList) checkBucket(b Bucket) error {
	err := l.position(b.Start)
	if err == nil && b.Stop != "" {
		err = l.position(b.Stop)
	}
	if err == nil && (b.Number == 0 || b.Stop != "" && b.Start >= b.Stop) {
		err = fmt.Errorf("%w: a directory names bucket %d from %q to %q", ErrName, b.Number, b.Start, b.Stop)
	}
	return err
}

// Splits are the commit rows of splits: one per list, created by its first split.
var Splits = splits{"cuts"}

type splits struct{ Table string }

// Row returns the key of the row of an owner's list: hash ‖ owner ‖ 0 ‖ table ‖ 0 ‖ family.
func (splits) Row(table, family, owner string) string {
	return RowKey(owner) + separator + table + separator + family
}

// Get reads the last split of an owner's list.
func (s splits) Get(table, family, owner string) hbase.Get {
	return hbase.Get{Table: s.Table, Row: s.Row(table, family, owner), Columns: Attributes}
}
