package tables

import (
	"encoding/binary"
	"fmt"
	"slices"

	"twibase/hbase"
)

// announcement is the column of bucket 0 that tells of new buckets before the directory names them, while they are filled. It sorts behind the
// directory. Who reads passes over it; who writes a member writes it to both places.
const announcement = directory + directory + directory

// moved is the value of a member that joined a sealed bucket while bucket 0 still held what had been moved there. It stands in bucket 0.
const moved = "\xff"

// Place is where a member of a list belongs: to the bucket that covers its position and, if that is just being cut, also to the one
// that is going to.
type Place struct {
	Covering, Announced uint32
	// Moving is whether the bucket that was cut may still hold what Covering took over from it.
	Moving bool
}

// MovedCell stands in bucket 0 for a member that was added to a sealed bucket while bucket 0 had its neighbours still: it tells who reads
// on there that the rest is elsewhere.
func (l *AnyList) MovedCell(position string, timestamp int64) hbase.Cell {
	return hbase.Cell{Family: l.Family, Qualifier: position, Timestamp: timestamp, Value: []byte(moved)}
}

// Moved reports whether a cell of bucket 0 is a MovedCell. It is no member.
func Moved(c hbase.Cell) bool { return string(c.Value) == moved }

// Places reads where a position belongs: see [AnyList.Place].
func (l *AnyList) Places(owner, position string) hbase.Get {
	return l.Get(owner, 0, hbase.Page{Start: directory + hbase.Next(position)})
}

// Place returns where the position belongs, given the cells of Places. Announced is 0 if no cut concerns it.
func (l *AnyList) Place(owner, position string, cells []hbase.Cell) (p Place, err error) {
	buckets, err := l.DecodeDirectory(owner, cells)
	if err != nil {
		return Place{}, err
	}
	fresh, err := l.fresh(owner, cells)
	if err != nil {
		return Place{}, err
	}
	p.Covering, p.Announced = BucketOf(buckets, position), BucketOf(fresh, position)
	if p.Announced != 0 && p.Announced == p.Covering {
		p.Announced, p.Moving = 0, true
	}
	return p, nil
}

// Buckets returns the numbers of all buckets of a list, those that are only announced among them, given its directory and what stands behind that.
func (l *AnyList) Buckets(owner string, cells []hbase.Cell) (numbers []uint32, err error) {
	named, err := l.DecodeDirectory(owner, cells)
	if err != nil {
		return nil, err
	}
	fresh, err := l.fresh(owner, cells)
	numbers = []uint32{0}
	for _, b := range slices.Concat(named, fresh) {
		if !slices.Contains(numbers, b.Number) {
			numbers = append(numbers, b.Number)
		}
	}
	return numbers, err
}

// fresh returns the buckets that are announced.
func (l *AnyList) fresh(owner string, cells []hbase.Cell) (fresh []Bucket, err error) {
	for _, c := range cells {
		if c.Family == l.Family && c.Qualifier == announcement {
			if fresh, err = l.decodeAnnouncement(c.Value); err != nil {
				return nil, corrupt(err, fmt.Sprintf("announcement in %s of %q", l.Table, owner))
			}
		}
	}
	return fresh, nil
}

// AnnouncementCell returns the column that tells of new buckets, ascending and without gaps.
func (l *AnyList) AnnouncementCell(fresh []Bucket, timestamp int64) hbase.Cell {
	var value string
	for _, b := range fresh {
		value = appendPart(value, b.Start) + string(binary.BigEndian.AppendUint32(nil, b.Number))
	}
	value = appendPart(value, fresh[len(fresh)-1].Stop)
	return hbase.Cell{Family: l.Family, Qualifier: announcement, Timestamp: timestamp, Value: []byte(value)}
}

// AnnouncementEnd takes the announcement of that timestamp away.
func (l *AnyList) AnnouncementEnd(timestamp int64) hbase.Deletion {
	return hbase.Deletion{Kind: hbase.AllVersions, Family: l.Family, Qualifier: announcement, Timestamp: timestamp}
}

// Announced returns when the announcement among the cells was made, 0 if there is none.
func (l *AnyList) Announced(cells []hbase.Cell) (timestamp int64) {
	for _, c := range cells {
		if c.Family == l.Family && c.Qualifier == announcement {
			timestamp = c.Timestamp
		}
	}
	return timestamp
}

func (l *AnyList) decodeAnnouncement(value []byte) (fresh []Bucket, err error) {
	rest := string(value)
	for {
		position, more, ok := cutPart(rest)
		if n := len(fresh); ok && n > 0 {
			fresh[n-1].Stop = position
		}
		switch {
		case !ok || len(fresh) == 0 && more == "":
			return nil, fmt.Errorf("%w: an announcement of buckets is damaged", ErrName)
		case more == "":
			return fresh, l.checkBucket(fresh[len(fresh)-1])
		case len(more) < bucketSize:
			return nil, fmt.Errorf("%w: an announcement of buckets is damaged", ErrName)
		}
		if n := len(fresh); n > 0 {
			if err := l.checkBucket(fresh[n-1]); err != nil {
				return nil, err
			}
		}
		fresh = append(fresh, Bucket{Number: binary.BigEndian.Uint32([]byte(more)), Start: position})
		rest = more[bucketSize:]
	}
}
