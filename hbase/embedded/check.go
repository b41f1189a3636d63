package embedded

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"twibase/hbase"
)

// CheckAndPut implements [hbase.Store]. As in HBase, the cells of put without a timestamp get the present, or the checked
// version's timestamp if that is later, so that they are not behind it.
func (s *Store) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	ctx, cancel := hbase.Bounded(ctx, 0)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return false, err
	}
	defer s.leave()
	if err := put.Validate(); err != nil {
		return false, err
	}
	t, err := s.table(put.Table)
	if err != nil {
		return false, err
	}
	f, err := t.family(check.Family)
	if err != nil {
		return false, err
	}
	hbase.StatsOf(ctx).CountRPC(server)
	unlock := s.rows.alone(t.id, put.Row)
	current, err := s.newest(t, put.Row, f, check.Qualifier)
	if err != nil {
		unlock()
		return false, err
	}
	var value []byte
	now := s.now()
	if current != nil {
		value = current.Value
		now = max(now, current.Timestamp)
	}
	if !bytes.Equal(value, check.Value) {
		unlock()
		// What the answer is about must not be lost after it was given.
		return false, s.settle(ctx)
	}
	// HBase looks at the put only now: one that it could not apply is no error if the check fails.
	if _, err := s.checkMutation(put); err != nil {
		unlock()
		return false, err
	}
	w := s.writer(now)
	w.put(t, put)
	if err := s.commit(ctx, w.batch, unlock); err != nil {
		return false, err
	}
	return true, nil
}

// Increment implements [hbase.Store]. It applies once. The sum wraps around, as in HBase.
func (s *Store) Increment(ctx context.Context, inc hbase.Increment) (int64, error) {
	ctx, cancel := hbase.Bounded(ctx, 0)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.leave()
	if err := inc.Validate(); err != nil {
		return 0, err
	}
	t, err := s.table(inc.Table)
	if err != nil {
		return 0, err
	}
	f, err := t.family(inc.Family)
	if err != nil {
		return 0, err
	}
	hbase.StatsOf(ctx).CountRPC(server)
	unlock := s.rows.alone(t.id, inc.Row)
	current, err := s.newest(t, inc.Row, f, inc.Qualifier)
	if err != nil {
		unlock()
		return 0, err
	}
	sum, now := inc.Delta, s.now()
	if current != nil {
		if len(current.Value) != 8 {
			unlock()
			return 0, fmt.Errorf("%w: %s:%q has %d bytes", hbase.ErrNotLong, inc.Family, inc.Qualifier, len(current.Value))
		}
		sum += int64(binary.BigEndian.Uint64(current.Value))
		now = max(now, current.Timestamp+1)
	}
	w := s.writer(now)
	w.row = appendRow(nil, t.id, inc.Row)
	w.cell(inc.Family, inc.Qualifier, now, kindPut, binary.BigEndian.AppendUint64(nil, uint64(sum)))
	if err := s.commit(ctx, w.batch, unlock); err != nil {
		return 0, err
	}
	return sum, nil
}

// newest returns the newest version of a cell, or nil if there is none.
func (s *Store) newest(t *table, row string, f family, qualifier string) (*hbase.Cell, error) {
	r, err := s.reader(nil)
	if err != nil {
		return nil, err
	}
	defer s.release(r)
	r.within = true
	r.prepare(hbase.Page{}, 1, hbase.TimeRange{})
	key := appendRow(nil, t.id, row)
	cells, err := r.row(key, &selection{families: []familySelection{selectColumns(f, []string{qualifier})}})
	if err != nil || len(cells) == 0 {
		return nil, err
	}
	s.cleaner.offer(r, key, false)
	return &cells[0], nil
}
