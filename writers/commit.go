package writers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// commit sends the CheckAndPut. If it does not succeed, it may still have been applied, or be
// applied later: stateResolving reads the row.
func (x *execution) commit(ctx context.Context, label string) (state, error) {
	put := hbase.Put{Table: x.intent.Table, Row: x.intent.Row}
	for _, c := range x.cells {
		c.Timestamp = x.intent.At
		put.Cells = append(put.Cells, c)
	}
	put.Cells = append(put.Cells, x.commitRecord(x.intent.ID, x.intent.At))
	won, err := x.checkAndPut(ctx, label, x.after(), put)
	switch {
	case won:
		return stateCommitted, nil
	case err != nil && !errors.Is(err, hbase.ErrUnavailable):
		return 0, err
	}
	return stateResolving, nil
}

// resolve reads the commit row. If it cannot, the intent stays, and a sweep finds out.
func (x *execution) resolve(ctx context.Context) (state, error) {
	if x.tries++; x.tries > maxTries {
		return 0, x.failed("commit", hbase.ErrUnavailable)
	}
	var err error
	if x.found, err = x.one(ctx, x.resolving()+", read", x.lastGet()); err != nil {
		return 0, err
	}
	last, err := tables.DecodeCommitRecord(x.found)
	if err != nil {
		return 0, err
	}
	id, _ := tables.CommittedBy(last)
	switch fenced, _ := tables.FencedBy(last); {
	case id == x.intent.ID:
		return stateCommitted, nil
	case fenced == x.intent.ID:
		return stateAbandoning, nil
	case last == x.intent.After && slices.Contains(parents(ctx), last):
		// A fence would hide the id of the operation that started this one, which others must
		// complete first.
		return stateResending, nil
	case last == x.intent.After:
		return stateFencing, nil
	}
	return stateOvertaken, nil
}

// resolving is the label of calls that find out whether the operation committed.
func (x *execution) resolving() string {
	if x.sweeping {
		return "sweep"
	}
	return "commit"
}

// fence fences the own operation: its CheckAndPut is lost, or may still be applied. A fence is a
// commit like any other: the predecessor must be complete. If it is not, a sweep tries again later,
// so that nothing short waits for something long.
func (x *execution) fence(ctx context.Context) (state, error) {
	if id, incomplete := predecessor(ctx, x.intent.After); x.sweeping && incomplete {
		open, err := x.openIntents(ctx, []string{id}, "sweep, last intent")
		if err != nil {
			return 0, err
		}
		if open[id] {
			return 0, x.failed("fence", fmt.Errorf("operation %s, the one before it, is not complete", id))
		}
	}
	now := x.w.now()
	void := x.commitRecord(tables.FenceRecord(x.w.newOp(now), x.intent.ID), max(now.UnixMilli(), youngest(x.found)+1))
	fence := hbase.Put{Table: x.intent.Table, Row: x.intent.Row, Cells: []hbase.Cell{void}}
	if _, err := x.checkAndPut(ctx, "fence", x.after(), fence); err != nil && !errors.Is(err, hbase.ErrUnavailable) {
		return 0, err
	}
	return stateResolving, nil
}

// overtaken reads the own intent. If this operation committed before the other one, then it was
// completed first, so its intent is gone; or it started the other one, so its intent is marked.
func (x *execution) overtaken(ctx context.Context) (state, error) {
	cells, err := x.one(ctx, x.resolving()+", own intent", tables.Intents.Get(x.intent.ID))
	if err != nil {
		return 0, err
	}
	_, there, err := tables.Intents.Decode(tables.Intents.Row(x.intent.ID), cells)
	switch {
	case err != nil || !there:
		return stateUnknown, err
	case tables.Intents.Marked(cells):
		return stateCommitted, nil
	}
	return stateAbandoning, nil
}

// abandon removes the intent of an operation that can no longer commit. If the gateway that was
// called fails to, a sweep does it.
func (x *execution) abandon(ctx context.Context) error {
	if x.sweeping {
		return x.mutate(ctx, write{"sweep, forget", tables.Intents.Remove(x.intent)})
	}
	_ = x.mutate(ctx, write{"forget", tables.Intents.Remove(x.intent)})
	return nil
}

// after checks that no other operation committed since the commit row was read.
func (x *execution) after() hbase.Check {
	return hbase.Check{Family: x.intent.Family, Qualifier: tables.CommitColumn, Value: []byte(x.intent.After)}
}

// commitRecord is the column of the commit row with the id of the operation that committed last.
func (x *execution) commitRecord(id string, at int64) hbase.Cell {
	return hbase.Cell{Family: x.intent.Family, Qualifier: tables.CommitColumn, Timestamp: at, Value: []byte(id)}
}

// lastGet reads the commit record.
func (x *execution) lastGet() hbase.Get {
	return hbase.Get{Table: x.intent.Table, Row: x.intent.Row, Columns: x.intent.Family + ":" + tables.CommitColumn}
}
