package rebuild

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Length counts members, and public members.
type Length struct{ All, Public int }

// Plus returns the sum.
func (n Length) Plus(more Length) Length { return Length{n.All + more.All, n.Public + more.Public} }

func (s *BucketPage) length(l *tables.AnyList) (Length, error) {
	n := Length{All: len(s.Cells)}
	public, err := l.Public(s.Owner, s.Cells)
	for _, is := range public {
		if is {
			n.Public++
		}
	}
	return n, err
}

// Count returns lengths by owner.
func Count(ctx context.Context, store hbase.Store, l *tables.AnyList, owners []string) (map[string]Length, error) {
	lengths := make(map[string]Length, len(owners))
	return lengths, BucketPages(ctx, store, l, owners, func(s *BucketPage) error {
		n, err := s.length(l)
		lengths[s.Owner] = lengths[s.Owner].Plus(n)
		return err
	})
}

// Lengths writes known lengths as the counts of owners.
func (s *Rebuilder) Lengths(ctx context.Context, l *tables.AnyList, lengths map[string]Length) error {
	owners := slices.Sorted(maps.Keys(lengths))
	return s.groups(ctx, owners, func(ctx context.Context, owners []string) error {
		return s.writeLengths(ctx, l, owners, lengths)
	})
}

func (s *Rebuilder) writeLengths(
	ctx context.Context, l *tables.AnyList, owners []string, lengths map[string]Length,
) error {
	if l.Count == "" {
		return nil
	}
	stored := make([][]hbase.Cell, len(owners))
	if !s.Blank {
		var err error
		if stored, err = hbase.GetEach(ctx, s.Store, owners, l.Lengths); err != nil {
			return err
		}
	}
	return writeChanges(ctx, s.Store, LengthChanges(l, owners, lengths, stored, true))
}

// LengthChanges compares stored counts with the lengths of lists. A count of 0 may be missing if
// the list is empty or, unless full is true, has no public members.
func LengthChanges(
	l *tables.AnyList, owners []string, lengths map[string]Length, stored [][]hbase.Cell, full bool,
) (changes []Change) {
	for i, owner := range owners {
		n := lengths[owner]
		for _, count := range []struct {
			column string
			value  int
		}{{l.Count, n.All}, {l.PublicCount, n.Public}} {
			old := hbase.FindCell(stored[i], tables.Attributes, count.column)
			absent := old == nil && count.value == 0 && (n.All == 0 || !full)
			if count.column != "" && !absent {
				value := strconv.AppendInt(nil, int64(count.value), 10)
				want := hbase.Cell{Family: tables.Attributes, Qualifier: count.column, Timestamp: 1, Value: value}
				changes = AppendChange(changes, l.Lengths(owner), old, want)
			}
		}
	}
	return changes
}
