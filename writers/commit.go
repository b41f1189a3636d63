package writers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func (x *execution) commit(ctx context.Context, purpose string) (state, error) {
	cells := append(slices.Clone(x.commitCells), x.commitRecord(x.intent.ID, x.intent.At))
	for i := range cells {
		cells[i].Timestamp = x.intent.At
	}
	committed, err := x.checkAndPut(ctx, purpose, x.expect(x.intent.After), x.commitRowPut(cells...))
	switch {
	case committed:
		return stateCommitted, nil
	case err != nil && !errors.Is(err, hbase.ErrUnavailable):
		return 0, err
	}
	return stateResolving, nil
}

func (x *execution) resolve(ctx context.Context) (state, error) {
	if x.resolveTries++; x.resolveTries > maxTries {
		return 0, x.failed("commit", hbase.ErrUnavailable)
	}
	var err error
	if x.foundRecord, err = x.one(ctx, x.resolving()+", read", x.commitRecordGet()); err != nil {
		return 0, err
	}
	last, err := tables.DecodeCommitRecord(x.foundRecord, x.intent.Family)
	if err != nil {
		return 0, err
	}
	id, _ := tables.CommittedBy(last)
	switch fenced, _ := tables.FencedBy(last); {
	case id == x.intent.ID:
		return stateCommitted, nil
	case fenced == x.intent.ID:
		return stateAbandoning, nil
	case last == x.intent.After && slices.Contains(x.parents, last):
		return stateResending, nil
	case last == x.intent.After:
		return stateFencing, nil
	}
	return stateOvertaken, nil
}

func (x *execution) resolving() string {
	if x.sweeping {
		return "sweep"
	}
	return "commit"
}

func (x *execution) fence(ctx context.Context) (state, error) {
	if id := x.predecessor(x.intent.After); x.sweeping && id != "" {
		open, err := x.openIntents(ctx, []string{id}, "sweep, last intent")
		if err != nil {
			return 0, err
		}
		if open[id] {
			return 0, x.failed("fence", fmt.Errorf("its predecessor %s is not complete", id))
		}
	}
	now := x.w.now()
	later := max(now.UnixMilli(), hbase.LatestTimestamp(x.foundRecord)+1)
	void := x.commitRecord(tables.FenceRecord(x.w.newOp(now), x.intent.ID), later)
	_, err := x.checkAndPut(ctx, "fence", x.expect(x.intent.After), x.commitRowPut(void))
	if err != nil && !errors.Is(err, hbase.ErrUnavailable) {
		return 0, err
	}
	return stateResolving, nil
}

func (x *execution) overtaken(ctx context.Context) (state, error) {
	cells, err := x.one(ctx, x.resolving()+", own intent", tables.Intents.Get(x.intent.ID))
	if err != nil {
		return 0, err
	}
	_, exists, err := tables.Intents.Decode(tables.Intents.Row(x.intent.ID), cells)
	switch {
	case err != nil || !exists:
		return stateUnknown, err
	case tables.Intents.Marked(cells):
		return stateCommitted, nil
	}
	return stateAbandoning, nil
}

func (x *execution) abandon(ctx context.Context) error {
	if x.sweeping {
		return x.mutate(ctx, write{"sweep, forget", tables.Intents.Remove(x.intent)})
	}
	_ = x.mutate(ctx, write{"forget", tables.Intents.Remove(x.intent)})
	return nil
}

func (x *execution) expect(record string) hbase.Check {
	return hbase.Check{Family: x.intent.Family, Qualifier: tables.CommitColumn, Value: []byte(record)}
}

func (x *execution) commitRowPut(cells ...hbase.Cell) hbase.Put {
	return hbase.Put{Table: x.intent.Table, Row: x.intent.Row, Cells: cells}
}

func (x *execution) commitRecord(id string, at int64) hbase.Cell {
	return hbase.Cell{Family: x.intent.Family, Qualifier: tables.CommitColumn, Timestamp: at, Value: []byte(id)}
}

func (x *execution) commitRecordGet() hbase.Get {
	return hbase.Get{Table: x.intent.Table, Row: x.intent.Row, Columns: x.intent.Family + ":" + tables.CommitColumn}
}
