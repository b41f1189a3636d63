package tables

import (
	"encoding/binary"
	"fmt"
	"slices"

	"twibase/hbase"
)

// pendingColumn is the column of bucket 0 that lists the pending buckets of a split: those that are filled before the directory
// names them. It sorts behind the directory. Readers ignore it; writers write a member to both buckets.
const pendingColumn = directory + directory + directory

// moved is the value of a moved marker: see package listscan.
const moved = "\xff"

// Place is the bucket that covers a position and, during a split of that bucket, the pending one that will, 0 if there is none.
type Place struct {
	Covering, Pending uint32
	// Moving is whether the bucket that was split may still hold copies of what Covering has taken over.
	Moving bool
}

// MovedCell returns a moved marker. A reader of bucket 0 stops at it and consults the directory.
func (l *AnyList) MovedCell(position string, timestamp int64) hbase.Cell {
	return hbase.Cell{Family: l.Family, Qualifier: position, Timestamp: timestamp, Value: []byte(moved)}
}

// Moved reports whether a cell of bucket 0 is a MovedCell. It is no member.
func Moved(c hbase.Cell) bool { return string(c.Value) == moved }

// Places reads where a position belongs: see [AnyList.Place].
func (l *AnyList) Places(owner, position string) hbase.Get {
	return l.Get(owner, 0, hbase.Page{Start: directory + hbase.Next(position)})
}

// Place returns where the position belongs, given the cells of Places. Pending is 0 if no split concerns it.
func (l *AnyList) Place(owner, position string, cells []hbase.Cell) (p Place, err error) {
	buckets, err := l.DecodeDirectory(owner, cells)
	if err != nil {
		return Place{}, err
	}
	pending, err := l.pending(owner, cells)
	if err != nil {
		return Place{}, err
	}
	p.Covering, p.Pending = BucketOf(buckets, position), BucketOf(pending, position)
	if p.Pending != 0 && p.Pending == p.Covering {
		p.Pending, p.Moving = 0, true
	}
	return p, nil
}

// Buckets returns the numbers of all buckets of a list, including pending ones, given the cells of its directory.
func (l *AnyList) Buckets(owner string, cells []hbase.Cell) (numbers []uint32, err error) {
	named, err := l.DecodeDirectory(owner, cells)
	if err != nil {
		return nil, err
	}
	pending, err := l.pending(owner, cells)
	numbers = []uint32{0}
	for _, b := range slices.Concat(named, pending) {
		if !slices.Contains(numbers, b.Number) {
			numbers = append(numbers, b.Number)
		}
	}
	return numbers, err
}

// pending returns the pending buckets.
func (l *AnyList) pending(owner string, cells []hbase.Cell) (pending []Bucket, err error) {
	for _, c := range cells {
		if c.Family == l.Family && c.Qualifier == pendingColumn {
			if pending, err = l.decodePending(c.Value); err != nil {
				return nil, corrupt(err, fmt.Sprintf("pending buckets in %s of %q", l.Table, owner))
			}
		}
	}
	return pending, nil
}

// PendingCell returns the column that lists pending buckets, which are ascending and without gaps.
func (l *AnyList) PendingCell(pending []Bucket, timestamp int64) hbase.Cell {
	var value []byte
	for _, b := range pending {
		value = binary.BigEndian.AppendUint32(appendPart(value, b.Start), b.Number)
	}
	value = appendPart(value, pending[len(pending)-1].Stop)
	return hbase.Cell{Family: l.Family, Qualifier: pendingColumn, Timestamp: timestamp, Value: value}
}

// PendingEnd removes the column of that timestamp.
func (l *AnyList) PendingEnd(timestamp int64) hbase.Deletion {
	return hbase.Deletion{Kind: hbase.AllVersions, Family: l.Family, Qualifier: pendingColumn, Timestamp: timestamp}
}

// PendingSince returns the timestamp of the column that lists pending buckets, 0 if it is not among the cells.
func (l *AnyList) PendingSince(cells []hbase.Cell) (timestamp int64) {
	for _, c := range cells {
		if c.Family == l.Family && c.Qualifier == pendingColumn {
			timestamp = c.Timestamp
		}
	}
	return timestamp
}

// decodePending reads a value of PendingCell: the start of each bucket with its number, and the stop of the last one.
func (l *AnyList) decodePending(value []byte) (pending []Bucket, err error) {
	position, rest, ok := cutPart(string(value))
	for ok && len(rest) >= bucketSize {
		b := Bucket{Number: binary.BigEndian.Uint32([]byte(rest)), Start: position}
		if position, rest, ok = cutPart(rest[bucketSize:]); ok {
			b.Stop = position
			if err := l.checkBucket(b); err != nil {
				return nil, err
			}
			pending = append(pending, b)
		}
	}
	if !ok || rest != "" || len(pending) == 0 {
		return nil, fmt.Errorf("%w: a list of pending buckets is damaged", ErrName)
	}
	return pending, nil
}
