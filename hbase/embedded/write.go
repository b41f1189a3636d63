package embedded

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"twibase/hbase"
)

// Mutate writes all valid mutations atomically.
func (s *Store) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	ctx, cancel := hbase.Bounded(ctx, 0)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	tables, errs, good := make([]*table, len(mutations)), make([]error, len(mutations)), 0
	for i, m := range mutations {
		if tables[i], errs[i] = s.checkMutation(m); errs[i] == nil {
			good++
		}
	}
	if good == len(mutations) {
		errs = nil
	}
	if good == 0 {
		return errs, nil
	}
	defer hbase.StatsOf(ctx).CountRPC(server, 0, time.Now())
	unlock := s.rows.share(tables, mutations)
	w := s.writer(s.now())
	for i, t := range tables {
		if t != nil {
			w.mutation(t, mutations[i])
		}
	}
	return errs, s.commit(ctx, w.batch, unlock)
}

func (s *Store) checkMutation(m hbase.Mutation) (*table, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	name, _ := m.At()
	t, err := s.table(name)
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case hbase.Put:
		for i := range m.Cells {
			if _, err := t.family(m.Cells[i].Family); err != nil {
				return nil, err
			}
		}
	case hbase.Delete:
		for _, d := range m.Columns {
			if _, err := t.family(d.Family); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// commit applies the batch, unlocks the rows, and returns when the batch is durable. Later writes
// that depend on it follow it in the log. If ctx ends first, the outcome is unknown.
func (s *Store) commit(ctx context.Context, b *pebble.Batch, unlock func()) error {
	if s.volatile {
		defer b.Close()
		err := b.Commit(pebble.NoSync)
		unlock()
		return storeError(err)
	}
	s.unsynced.Add(1)
	s.syncing.Add(1)
	err := s.db.ApplyNoSyncWait(b, pebble.Sync)
	unlock()
	if err != nil {
		s.unsynced.Add(-1)
		s.syncing.Done()
		return storeError(err)
	}
	synced := make(chan error, 1)
	go func() {
		defer s.syncing.Done()
		err := b.SyncWait()
		s.unsynced.Add(-1)
		b.Close()
		synced <- err
	}()
	select {
	case err := <-synced:
		return storeError(err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Store) awaitDurable(ctx context.Context) error {
	if s.unsynced.Load() == 0 {
		return nil
	}
	b := s.db.NewBatch()
	b.LogData(nil, nil)
	return s.commit(ctx, b, func() {})
}

type writer struct {
	batch    *pebble.Batch
	now      int64
	row, key []byte
}

func (s *Store) writer(now int64) *writer { return &writer{batch: s.db.NewBatch(), now: now} }

func (w *writer) mutation(t *table, m hbase.Mutation) {
	switch m := m.(type) {
	case hbase.Put:
		w.put(t, m)
	case hbase.Delete:
		w.delete(t, m)
	}
}

func (w *writer) put(t *table, p hbase.Put) {
	w.row = appendRow(w.row[:0], t.id, p.Row)
	for i := range p.Cells {
		c := &p.Cells[i]
		w.cell(c.Family, c.Qualifier, c.Timestamp, kindPut, c.Value)
	}
}

func (w *writer) delete(t *table, d hbase.Delete) {
	w.row = appendRow(w.row[:0], t.id, d.Row)
	written := binary.BigEndian.AppendUint64(nil, uint64(w.now))
	if len(d.Columns) == 0 {
		for _, f := range t.families {
			w.familyMarker(f.name, d.Timestamp, written)
		}
	}
	for _, c := range d.Columns {
		switch c.Kind {
		case hbase.Family:
			w.familyMarker(c.Family, c.Timestamp, written)
		case hbase.AllVersions:
			w.cell(c.Family, c.Qualifier, c.Timestamp, kindAllVersions, written)
		}
	}
}

func (w *writer) cell(family, qualifier string, timestamp int64, kind byte, value []byte) {
	w.begin(family)
	w.key = appendEscaped(w.key, qualifier)
	w.key = append(appendTime(w.key, w.time(timestamp)), kind)
	_ = w.batch.Set(w.key, value, nil) // copies the key and the value; never fails
}

func (w *writer) familyMarker(family string, timestamp int64, written []byte) {
	w.begin(family)
	w.key = appendTime(append(w.key, 0, 0), w.time(timestamp))
	_ = w.batch.Set(w.key, written, nil)
}

func (w *writer) begin(family string) {
	w.key = append(append(append(w.key[:0], w.row...), family...), 0)
}

func (w *writer) time(timestamp int64) int64 {
	if timestamp == 0 {
		return w.now
	}
	return timestamp
}
