package rebuild

import (
	"context"

	"twibase/hbase"
)

// Change replaces a stored cell by the derived cell, whose timestamp is not earlier. Nil means no
// cell.
type Change struct {
	Table, Row string
	Old, New   *hbase.Cell
}

// Mutation returns the write of the change.
func (c Change) Mutation() hbase.Mutation {
	if c.New == nil {
		return hbase.DeleteCells(c.Table, c.Row, *c.Old)
	}
	return hbase.PutCells(c.Table, c.Row, *c.New)
}

func writeChanges(ctx context.Context, store hbase.Store, changes []Change) error {
	mutations := make([]hbase.Mutation, len(changes))
	for i, c := range changes {
		mutations[i] = c.Mutation()
	}
	return hbase.MutateAll(ctx, store, mutations)
}

// AppendChange appends the change from old to want if their values differ.
func AppendChange(changes []Change, at hbase.Get, old *hbase.Cell, want hbase.Cell) []Change {
	if old != nil {
		if string(old.Value) == string(want.Value) {
			return changes
		}
		want.Timestamp = max(want.Timestamp, old.Timestamp)
	}
	return append(changes, Change{at.Table, at.Row, old, &want})
}

// WriteColumn writes want unless its column already has that value.
func WriteColumn(ctx context.Context, store hbase.Store, at hbase.Get, want hbase.Cell) error {
	stored, err := hbase.GetOne(ctx, store, at)
	if err != nil {
		return err
	}
	old := hbase.FindCell(stored, want.Family, want.Qualifier)
	return writeChanges(ctx, store, AppendChange(nil, at, old, want))
}
