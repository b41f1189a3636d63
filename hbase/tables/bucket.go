package tables

import (
	"slices"

	"twibase/hbase"
)

// BucketOf returns the number of the bucket that covers the position, given the whole directory of the list in its order: 0 if
// no sealed one does.
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

// Cut plans how a bucket that has grown past the bound goes on in new ones: the bucket keeps what is before the first of
// cuts, positions of its members, and each cut begins a new bucket. It returns the new buckets, and the directory columns to put in one
// step: those of the new ones and, if the bucket was sealed itself, its own.
func Cut(directory []Bucket, bucket uint32, cuts []string) (fresh, columns []Bucket) {
	next, stop := uint32(1), ""
	for i, b := range directory {
		next = max(next, b.Number+1)
		switch {
		case b.Number == bucket:
			stop = b.Stop
			columns = append(columns, Bucket{Number: bucket, Start: b.Start, Stop: cuts[0]})
		case bucket == 0 && i == 0:
			stop = b.Start
		}
	}
	for i, cut := range cuts {
		b := Bucket{Number: next + uint32(i), Start: cut, Stop: stop}
		if i+1 < len(cuts) {
			b.Stop = cuts[i+1]
		}
		fresh = append(fresh, b)
	}
	return fresh, append(columns, fresh...)
}

// Cuts are the rows on which the cuts of lists are decided: one a list, made when it is first cut.
var Cuts = cuts{"cuts"}

type cuts struct{ Table string }

// Row returns the key of the row of an owner's list: hash ‖ owner ‖ 0 ‖ table ‖ 0 ‖ family.
func (cuts) Row(table, family, owner string) string {
	return RowKey(owner) + separator + table + separator + family
}

// Get reads the last decision about an owner's list.
func (c cuts) Get(table, family, owner string) hbase.Get {
	return hbase.Get{Table: c.Table, Row: c.Row(table, family, owner), Columns: Attributes}
}
