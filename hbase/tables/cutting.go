package tables

import (
	"encoding/binary"
	"fmt"

	"twibase/hbase"
)

// announcement is the column of bucket 0 that tells of new buckets before the directory names them, while they are filled. It sorts behind the
// directory. Who reads passes over it; who writes a member writes it to both places.
const announcement = directory + directory + directory

// Place is where a member of a list belongs: to the bucket that covers its position and, if that is just being cut, also to the one
// that is going to.
type Place struct{ Covering, Announced uint32 }

// Places reads where a position belongs: see [List.Place].
func (l *List[E]) Places(owner, position string) hbase.Get {
	return l.Get(owner, 0, hbase.Page{Start: directory + hbase.Next(position)})
}

// Place returns where the position belongs, given the cells of Places. Announced is 0 if no cut concerns it.
func (l *List[E]) Place(owner, position string, cells []hbase.Cell) (p Place, err error) {
	_, _, buckets, err := l.Decode(owner, cells)
	if err != nil {
		return Place{}, err
	}
	p.Covering = BucketOf(buckets, position)
	for _, c := range cells {
		if c.Family == l.Family && c.Qualifier == announcement {
			fresh, err := l.decodeAnnouncement(c.Value)
			if err != nil {
				return Place{}, corrupt(err, fmt.Sprintf("announcement in %s of %q", l.Table, owner))
			}
			p.Announced = BucketOf(fresh, position)
		}
	}
	if p.Announced == p.Covering {
		p.Announced = 0
	}
	return p, nil
}

// AnnouncementCell returns the column that tells of new buckets, ascending and without gaps.
func (l *List[E]) AnnouncementCell(fresh []Bucket, timestamp int64) hbase.Cell {
	var value string
	for _, b := range fresh {
		value = appendPart(value, b.Start) + string(binary.BigEndian.AppendUint32(nil, b.Number))
	}
	value = appendPart(value, fresh[len(fresh)-1].Stop)
	return hbase.Cell{Family: l.Family, Qualifier: announcement, Timestamp: timestamp, Value: []byte(value)}
}

// AnnouncementEnd takes the announcement of that timestamp away.
func (l *List[E]) AnnouncementEnd(timestamp int64) hbase.Deletion {
	return hbase.Deletion{Kind: hbase.AllVersions, Family: l.Family, Qualifier: announcement, Timestamp: timestamp}
}

func (l *List[E]) decodeAnnouncement(value []byte) (fresh []Bucket, err error) {
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
