package tables

import (
	"fmt"
	"strings"

	"twibase/hbase"
)

// List declares a kind of wide row: a column per member of the owner's list, in the order of the qualifiers. E is a member.
//
// Bucket 0, the owner's own row, holds the beginning of the list. When it passes [ListBound], the end of the list moves to
// a sealed bucket, a row of its own. A directory column in bucket 0 names the sealed bucket: 0xff ‖ its upper bound → its
// number and its first qualifier. The buckets cover the list without gaps. So a position is enough to continue reading: a
// member that is in two buckets while it moves is read once.
type List[E any] struct {
	AnyList
	// decode reads a member. The error is [ErrName]; Decode adds that stored data is corrupt.
	decode func(m *Memory, owner, qualifier string, value []byte) (E, error)
	encode func(E) (qualifier string, value []byte)
	// size is how many bytes of memory a decoded member takes beside its cell. It is nil for members that decode so fast
	// that they are not kept.
	size func(E) int
	// isPublic reports whether everybody may see a member. It is nil if the list has no [AnyList.PublicCount].
	isPublic func(E) bool
}

// newList completes a declaration. If position is nil, a qualifier is a position if it decodes without a value.
func newList[E any](l List[E]) *List[E] {
	if l.position == nil {
		l.position = func(qualifier string) error {
			_, err := l.decode(new(Memory), "", qualifier, nil)
			return err
		}
	}
	l.public = func(owner string, cells []hbase.Cell) ([]bool, error) {
		members, _, _, err := l.Decode(owner, cells)
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

// IsPublic reports whether a member adds to the list's [AnyList.PublicCount].
func (l *List[E]) IsPublic(e E) bool { return l.isPublic != nil && l.isPublic(e) }

// Decode returns the members and the directory columns among the cells of one bucket, both in the order of the list.
// positions are the qualifiers of the members. Cells of other families are skipped.
//
// Members may be shared: they must not be changed.
func (l *List[E]) Decode(owner string, cells []hbase.Cell) (
	members []E, positions []string, buckets []Bucket, err error,
) {
	d := Decoder[E]{list: l}
	return d.Decode(owner, cells)
}

// Decoder is [List.Decode] for many lists: it allocates members together. It is not safe for concurrent use.
type Decoder[E any] struct {
	list    *List[E]
	members slab[E]
	memory  Memory
}

// Decoder returns a new Decoder.
func (l *List[E]) Decoder() *Decoder[E] { return &Decoder[E]{list: l} }

// Decode is [List.Decode].
func (d *Decoder[E]) Decode(owner string, cells []hbase.Cell) (
	members []E, positions []string, buckets []Bucket, err error,
) {
	l := d.list
	for i := range cells {
		c := &cells[i]
		if c.Family != l.Family {
			continue
		}
		if members == nil {
			members, positions = d.members.many(len(cells) - i)[:0], d.memory.texts.many(len(cells) - i)[:0]
		}
		if isDirectory(c) {
			if buckets, err = l.appendBucket(buckets, owner, c); err != nil {
				return nil, nil, nil, err
			}
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

// member decodes a member, unless its cell keeps the decoded one.
func (d *Decoder[E]) member(owner string, c *hbase.Cell) (E, error) {
	l := d.list
	if l.size == nil || c.Memo == nil {
		return l.decode(&d.memory, owner, c.Qualifier, c.Value)
	}
	if e, is := c.Memo.Made().(E); is {
		return e, nil
	}
	// A kept member shares memory with its cell only. The owner's name may be a slice of a whole request: it is copied.
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
