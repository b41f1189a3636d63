package embedded

import (
	"bytes"
	"context"
	"time"

	"twibase/hbase"
)

// CheckAndPut gives a cell without a timestamp the time now, or the checked version's timestamp if
// that is later.
func (s *Store) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	if err := put.Validate(); err != nil {
		return false, err
	}
	ctx, cancel := hbase.Bounded(ctx, 0)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return false, err
	}
	defer s.leave()
	t, err := s.table(put.Table)
	if err != nil {
		return false, err
	}
	f, err := t.family(check.Family)
	if err != nil {
		return false, err
	}
	defer hbase.StatsOf(ctx).CountRPC(server, 0, time.Now())
	unlock := s.rows.alone(t.id, put.Row)
	current, err := s.newest(t, put.Row, f, check.Qualifier)
	if err != nil {
		unlock()
		return false, err
	}
	if !bytes.Equal(current.Value, check.Value) {
		unlock()
		// The value may not be durable yet.
		return false, s.awaitDurable(ctx)
	}
	// As in HBase, a missing family of put is an error only if the check succeeds.
	if _, err := s.checkMutation(put); err != nil {
		unlock()
		return false, err
	}
	w := s.writer(max(s.now(), current.Timestamp))
	w.put(t, put)
	err = s.commit(ctx, w.batch, unlock)
	return err == nil, err
}

func (s *Store) newest(t *table, row string, f family, qualifier string) (hbase.Cell, error) {
	r, err := s.reader(nil)
	if err != nil {
		return hbase.Cell{}, err
	}
	defer r.close()
	sel := &selection{table: t.id, families: []familySelection{selectColumns(f, []string{qualifier})}}
	cells, err := r.get(&hbase.Get{Row: row}, sel)
	if err != nil || len(cells) == 0 {
		return hbase.Cell{}, err
	}
	s.cleaner.offer(r, false)
	return cells[0], nil
}
