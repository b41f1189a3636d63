package tables

import (
	"encoding/binary"
	"fmt"
	"slices"

	"twibase/hbase"
)

// A directory column of bucket 0 is directoryPrefix ‖ stop → number ‖ start of another bucket. It
// sorts after every member, because inverted times start below 0x80, and UTF-8 has no byte 0xff.
const directoryPrefix = "\xff"

// MembersEnd is after every position.
const MembersEnd = directoryPrefix

const pendingColumn = directoryPrefix + directoryPrefix + directoryPrefix

const moved = "\xff" // the value of a moved marker

const bucketSize = 4 // bytes of a bucket's number

// Bucket is a row of a list. It covers the positions [Start, Stop). An empty Stop is no bound.
type Bucket struct {
	Number      uint32
	Start, Stop string
}

// BucketOf returns the named bucket that covers position, or 0. directory may lack the buckets that
// stop at or before position.
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

// NextBucket returns the number of a new bucket of a rebuilt list. Package writers has numbers that
// concurrent splits do not share.
func NextBucket(directory []Bucket) uint32 {
	next := uint32(1)
	for _, b := range directory {
		next = max(next, b.Number+1)
	}
	return next
}

// Split plans the split of a full bucket. Each of starts begins a new bucket, numbered from first
// on. The full bucket keeps the members before starts[0]. One Put writes columns to the directory:
// the new buckets and, unless bucket is 0, the full bucket with its new stop.
func Split(directory []Bucket, bucket, first uint32, starts []string) (created, columns []Bucket) {
	stop := ""
	if bucket == 0 && len(directory) > 0 {
		stop = directory[0].Start
	}
	for _, b := range directory {
		if b.Number == bucket {
			stop = b.Stop
			columns = append(columns, Bucket{Number: bucket, Start: b.Start, Stop: starts[0]})
		}
	}
	for i, start := range starts {
		b := Bucket{Number: first + uint32(i), Start: start, Stop: stop}
		if i+1 < len(starts) {
			b.Stop = starts[i+1]
		}
		created = append(created, b)
	}
	return created, append(columns, created...)
}

// Directory reads up to n named buckets, from the first that stops at or after position on. An
// empty position is the list's end.
//
// If the first bucket read starts before position, it covers the positions directly before
// position. Otherwise bucket 0 does. To find the bucket of position itself, pass
// [hbase.Next](position).
func (l *AnyList) Directory(owner, position string, n int) hbase.Get {
	if position == "" {
		position = directoryPrefix
	}
	return l.Get(owner, 0, hbase.Page{Start: directoryPrefix + position, Limit: n})
}

// DirectoryTo reads the named buckets that stop at or before a position.
func (l *AnyList) DirectoryTo(owner, position string) hbase.Get {
	return l.Get(owner, 0, hbase.Page{Start: directoryPrefix, Stop: directoryPrefix + hbase.Next(position)})
}

// Directories reads all named and pending buckets.
func (l *AnyList) Directories(owner string) hbase.Get {
	return l.Get(owner, 0, hbase.Page{Start: MembersEnd})
}

// DecodeDirectory returns the named buckets. It skips members.
func (l *AnyList) DecodeDirectory(owner string, cells []hbase.Cell) (buckets []Bucket, err error) {
	for i := range cells {
		c := &cells[i]
		switch {
		case c.Family != l.Family || !isDirectory(c):
		case c.Qualifier == pendingColumn: // only checked
			if _, err := l.PendingBuckets(owner, cells[i:i+1]); err != nil {
				return nil, err
			}
		default:
			b, err := l.decodeBucket(c)
			if err != nil {
				return nil, l.corrupt(owner, c.Qualifier, err)
			}
			buckets = append(buckets, b)
		}
	}
	return buckets, nil
}

func isDirectory(c *hbase.Cell) bool { return c.Qualifier >= MembersEnd }

// BucketCell returns a directory column.
func (l *AnyList) BucketCell(b Bucket, timestamp int64) hbase.Cell {
	stop := b.Stop
	if stop == "" {
		stop = MembersEnd
	}
	return hbase.Cell{Family: l.Family, Qualifier: directoryPrefix + stop, Timestamp: timestamp,
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
	err := l.Check(b.Start)
	if err == nil && b.Stop != "" {
		err = l.Check(b.Stop)
	}
	if err == nil && (b.Number == 0 || b.Stop != "" && b.Start >= b.Stop) {
		err = fmt.Errorf("%w: a directory names bucket %d from %q to %q: "+
			"the number must not be 0, and the start must precede the stop", ErrName, b.Number, b.Start, b.Stop)
	}
	return err
}

// MovedCell returns a moved marker. Only bucket 0 needs markers, because it is read before the
// directory is known.
func (l *AnyList) MovedCell(position string, timestamp int64) hbase.Cell {
	return hbase.Cell{Family: l.Family, Qualifier: position, Timestamp: timestamp, Value: []byte(moved)}
}

// Moved recognises a moved marker.
func Moved(c hbase.Cell) bool { return string(c.Value) == moved }

// BucketsAt has the buckets to which a member at a position is written.
type BucketsAt struct {
	Covering uint32 // the bucket that covers it
	Pending  uint32 // the bucket that will cover it, or 0
	Moving   bool   // old copies may remain in the bucket that was split
}

// BucketsAt reads the pending buckets, and the named buckets that stop after a position.
func (l *AnyList) BucketsAt(owner, position string) hbase.Get {
	return l.Get(owner, 0, hbase.Page{Start: directoryPrefix + hbase.Next(position)})
}

// DecodeBucketsAt decodes [AnyList.BucketsAt].
func (l *AnyList) DecodeBucketsAt(owner, position string, cells []hbase.Cell) (at BucketsAt, err error) {
	buckets, err := l.DecodeDirectory(owner, cells)
	if err != nil {
		return BucketsAt{}, err
	}
	pending, err := l.PendingBuckets(owner, cells)
	if err != nil {
		return BucketsAt{}, err
	}
	at.Covering, at.Pending = BucketOf(buckets, position), BucketOf(pending, position)
	if at.Pending != 0 && at.Pending == at.Covering {
		// The pending column stays until the old copies are deleted.
		at.Pending, at.Moving = 0, true
	}
	return at, nil
}

// PendingCell returns the pending column: see docs/TABLES.md.
func (l *AnyList) PendingCell(pending []Bucket, timestamp int64) hbase.Cell {
	var value []byte
	for _, b := range pending {
		value = binary.BigEndian.AppendUint32(appendPart(value, b.Start), b.Number)
	}
	value = appendPart(value, pending[len(pending)-1].Stop)
	return hbase.Cell{Family: l.Family, Qualifier: pendingColumn, Timestamp: timestamp, Value: value}
}

// PendingEnd deletes the pending column.
func (l *AnyList) PendingEnd(timestamp int64) hbase.Deletion {
	return hbase.Deletion{Kind: hbase.AllVersions, Family: l.Family, Qualifier: pendingColumn, Timestamp: timestamp}
}

// PendingSince returns the timestamp of the pending column, or 0.
func (l *AnyList) PendingSince(cells []hbase.Cell) (timestamp int64) {
	if c := hbase.FindCell(cells, l.Family, pendingColumn); c != nil {
		return c.Timestamp
	}
	return 0
}

// PendingBuckets decodes the pending column.
func (l *AnyList) PendingBuckets(owner string, cells []hbase.Cell) (pending []Bucket, err error) {
	c := hbase.FindCell(cells, l.Family, pendingColumn)
	if c == nil {
		return nil, nil
	}
	position, rest, ok := nextPart(string(c.Value))
	for ok && len(rest) >= bucketSize && err == nil {
		b := Bucket{Number: binary.BigEndian.Uint32([]byte(rest)), Start: position}
		if position, rest, ok = nextPart(rest[bucketSize:]); ok {
			b.Stop = position
			pending, err = append(pending, b), l.checkBucket(b)
		}
	}
	if err == nil && (!ok || rest != "" || len(pending) == 0) {
		err = fmt.Errorf("%w: a list of pending buckets is damaged", ErrName)
	}
	if err != nil {
		return nil, l.corrupt(owner, "pending buckets", err)
	}
	return pending, nil
}

// Splits are the commit rows of splits, one per list.
var Splits = splits{"cuts"}

type splits struct{ Table string }

func (s splits) Get(table, family, owner string) hbase.Get {
	row := RowKey(owner) + separator + table + separator + family
	return hbase.Get{Table: s.Table, Row: row, Columns: Attributes}
}
