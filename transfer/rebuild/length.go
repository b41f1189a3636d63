package rebuild

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Length is how many members a list has, and how many of them everybody may see.
type Length struct{ All, Public int }

// Grown is the length with one more member.
func (n Length) Grown(public bool) Length {
	n.All++
	if public {
		n.Public++
	}
	return n
}

// Count returns the lengths of the lists of these owners, each member counted once.
func Count(ctx context.Context, store hbase.Store, l *tables.AnyList, owners []string) (map[string]Length, error) {
	lengths := make(map[string]Length, len(owners))
	return lengths, Spans(ctx, store, l, owners, func(s *Span) error {
		public, err := l.Public(s.Owner, s.Cells)
		if err != nil {
			return err
		}
		for i := range s.Cells {
			if s.Covers(i) {
				lengths[s.Owner] = lengths[s.Owner].Grown(public != nil && public[i])
			}
		}
		return nil
	})
}

// Changes returns what differs from the length in the counts of the list's owner. A count of 0 need not be stored. If
// full is set, only the counts of an empty list need not be.
func (n Length) Changes(l *tables.AnyList, owner hbase.Get, stored []hbase.Cell, full bool) (changes []Change) {
	for _, count := range []struct {
		column string
		value  int
	}{{l.Count, n.All}, {l.PublicCount, n.Public}} {
		old := find(stored, count.column)
		absent := old == nil && count.value == 0 && (n.All == 0 || !full)
		if count.column != "" && !absent {
			changes = Differs(changes, owner, old, hbase.Cell{Family: tables.Attributes, Qualifier: count.column,
				Timestamp: 1, Value: strconv.AppendInt(nil, int64(count.value), 10)})
		}
	}
	return changes
}

// Lengths writes the lengths of lists, attributes of their owners, where they differ from these. If they are first, no
// length was ever written, and none is read.
func (s *Rebuilder) Lengths(ctx context.Context, l *tables.AnyList, lengths map[string]Length, first bool) error {
	owners := slices.Sorted(maps.Keys(lengths))
	return s.groups(ctx, owners, func(ctx context.Context, owners []string) error {
		return s.writeLengths(ctx, l, owners, lengths, first)
	})
}

func (s *Rebuilder) writeLengths(ctx context.Context, l *tables.AnyList, owners []string, lengths map[string]Length,
	first bool) error {
	if l.Count == "" {
		return nil
	}
	gets := make([]hbase.Get, len(owners))
	for i, owner := range owners {
		gets[i] = l.Lengths(owner)
	}
	stored := make([][]hbase.Cell, len(gets))
	if !first {
		var err error
		if stored, err = hbase.GetAll(ctx, s.Store, gets); err != nil {
			return err
		}
	}
	var changes []Change
	for i, owner := range owners {
		changes = append(changes, lengths[owner].Changes(l, gets[i], stored[i], true)...)
	}
	return writeChanges(ctx, s.Store, changes)
}
