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
		if stored, err = Read(ctx, s.Store, gets); err != nil {
			return err
		}
	}
	var puts []hbase.Mutation
	for i, owner := range owners {
		put := hbase.Put{Table: gets[i].Table, Row: gets[i].Row}
		n := lengths[owner]
		put.Cells = appendLength(put.Cells, stored[i], l.Count, n.All, n.All == 0)
		if l.PublicCount != "" {
			put.Cells = appendLength(put.Cells, stored[i], l.PublicCount, n.Public, n.All == 0)
		}
		if len(put.Cells) > 0 {
			puts = append(puts, put)
		}
	}
	return Write(ctx, s.Store, puts)
}

// appendLength appends the cell that must be written so that the column has the number: none if it has. The column of an
// empty list may be absent.
func appendLength(cells, stored []hbase.Cell, column string, n int, empty bool) []hbase.Cell {
	want := hbase.Cell{Family: tables.Attributes, Qualifier: column, Timestamp: 1, Value: strconv.AppendInt(nil, int64(n), 10)}
	old := find(stored, column)
	if old == nil && empty {
		return cells
	}
	if cell, differs := replace(old, want); differs {
		return append(cells, cell)
	}
	return cells
}

// find returns the cell of a column, or nil.
func find(cells []hbase.Cell, column string) *hbase.Cell {
	for i := range cells {
		if cells[i].Qualifier == column {
			return &cells[i]
		}
	}
	return nil
}
