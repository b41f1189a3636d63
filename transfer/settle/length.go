package settle

import (
	"context"
	"strconv"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// writeLengths makes the lengths that are attributes of the owners be these. A length that was never written is 0.
func (k Kind[E]) writeLengths(ctx context.Context, s *Settler, lengths map[string]*length) error {
	owners := make([]string, 0, len(lengths))
	gets := make([]hbase.Get, 0, len(lengths))
	for owner := range lengths {
		get := k.Length(owner)
		if k.public != "" {
			get.Columns += " " + tables.Attributes + ":" + k.public
		}
		owners, gets = append(owners, owner), append(gets, get)
	}
	stored, err := Read(ctx, s.Store, gets)
	if err != nil {
		return err
	}
	var puts []hbase.Mutation
	for i, owner := range owners {
		put := hbase.Put{Table: gets[i].Table, Row: gets[i].Row}
		n := lengths[owner]
		put.Cells = appendLength(put.Cells, stored[i], k.Count, n.all, n.all == 0)
		if k.public != "" {
			put.Cells = appendLength(put.Cells, stored[i], k.public, n.public, n.all == 0)
		}
		if len(put.Cells) > 0 {
			puts = append(puts, put)
		}
	}
	return Write(ctx, s.Store, puts)
}

// appendLength adds the cell that must be written so that the column has the number. Of an empty list it may be absent.
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
