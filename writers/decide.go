package writers

import (
	"context"
	"errors"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// decide makes the decision, unless others are first, which is errAgain or errPerhaps. What became of it is found out whatever happens to the answer, or
// the error says that it is not known.
func (x *execution) decide(ctx context.Context, cells []hbase.Cell) error {
	put := hbase.Put{Table: x.intent.Table, Row: x.intent.Row}
	for _, c := range cells {
		c.Timestamp = x.intent.At
		put.Cells = append(put.Cells, c)
	}
	put.Cells = append(put.Cells, x.decision(x.intent.ID, x.intent.At))
	won, err := x.checkAndPut(ctx, "decide", x.after(), put)
	if won || err != nil && !errors.Is(err, hbase.ErrUnavailable) {
		return err
	}
	for range maxTries {
		row, err := x.one(ctx, "decide, read", x.lastGet())
		if err != nil {
			return err // The intent stays: a sweep finds out.
		}
		last, err := tables.DecodeOp(row)
		if err != nil {
			return err
		}
		id, _ := tables.DecidedBy(last)
		switch shut, _ := tables.ShutOut(last); {
		case id == x.intent.ID:
			return nil
		case shut == x.intent.ID:
			// A sweep took this write for dead.
			x.forget(ctx)
			return errAgain
		case last == x.intent.After && slices.Contains(parents(ctx), last):
			// A fence would say nothing of who demands it, and whom all others have to help first.
			won, err := x.checkAndPut(ctx, "decide, again", x.after(), put)
			if won || err != nil && !errors.Is(err, hbase.ErrUnavailable) {
				return err
			}
		case last == x.intent.After:
			// The decision is lost, or still on its way: nobody may wait for it, so it is kept from ever being made.
			if _, err := x.fence(ctx, row); err != nil && !errors.Is(err, hbase.ErrUnavailable) {
				return err
			}
		default:
			// Others decided. If that was after this decision, this write was helped to its end before, or it demanded the other.
			there, marked, err := x.stands(ctx, "decide, own intent")
			switch {
			case err != nil:
				return err
			case marked:
				return nil
			case there:
				x.forget(ctx)
				return errAgain
			case x.known.added:
				return ErrUnknown
			default:
				return errPerhaps
			}
		}
	}
	return x.failed("decide", hbase.ErrUnavailable)
}

// stands reports whether the intent is there, and whether it says that the write was decided. That is so before anything that the write
// demands may be decided on its row.
func (x *execution) stands(ctx context.Context, label string) (there, marked bool, err error) {
	cells, err := x.one(ctx, label, tables.Intents.Get(x.intent.ID))
	if err != nil {
		return false, false, err
	}
	_, there, err = tables.Intents.Decode(tables.Intents.Row(x.intent.ID), cells)
	return there, there && tables.Intents.Marked(cells), err
}

// fence keeps the write from being decided later, given its deciding row as it is before.
func (x *execution) fence(ctx context.Context, row []hbase.Cell) (bool, error) {
	now := x.w.now()
	void := tables.VoidOp(x.w.newOp(now), x.intent.ID)
	return x.checkAndPut(ctx, "fence", x.after(), hbase.Put{Table: x.intent.Table, Row: x.intent.Row,
		Cells: []hbase.Cell{x.decision(void, max(now.UnixMilli(), youngest(row)+1))}})
}

func (x *execution) after() hbase.Check {
	return hbase.Check{Family: x.intent.Family, Qualifier: tables.Decision, Value: []byte(x.intent.After)}
}

func (x *execution) decision(id string, at int64) hbase.Cell {
	return hbase.Cell{Family: x.intent.Family, Qualifier: tables.Decision, Timestamp: at, Value: []byte(id)}
}

// lastGet reads the last decision.
func (x *execution) lastGet() hbase.Get {
	return deciding{x.intent.Table, x.intent.Row, x.intent.Family}.last()
}
