package embedded

import (
	"bytes"
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"twibase/hbase"
)

// clean removes the garbage of one row. Versions go without a lock, for what could be written meanwhile under the same key is
// garbage too. Markers go under the row's lock: a put of an older timestamp must not come in between the look for what
// they mask and their removal.
func (s *Store) clean(ctx context.Context, row []byte) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	t := s.tableOf(row)
	if t == nil {
		return nil
	}
	markers, err := s.sweep(ctx, t, row, false)
	if err != nil || !markers {
		return err
	}
	key, err := decodeRow(row)
	if err != nil {
		return err
	}
	defer s.rows.alone(t.id, key)()
	_, err = s.sweep(ctx, t, row, true)
	return err
}

// tableOf returns the table of a row's prefix, or nil if it was dropped.
func (s *Store) tableOf(row []byte) *table {
	for _, t := range s.tables {
		if bytes.HasPrefix(row, appendTable(nil, t.id)) {
			return t
		}
	}
	return nil
}

// sweep removes a row's masked and superseded versions, and its old markers if it may. It reports whether there are old markers.
func (s *Store) sweep(ctx context.Context, t *table, row []byte, markers bool) (old bool, err error) {
	r, err := s.reader(&pebble.IterOptions{LowerBound: row, UpperBound: behind(bytes.Clone(row))})
	if err != nil {
		return false, err
	}
	defer s.release(r)
	w := sweeper{store: s, reader: r, row: row, table: t, markers: markers, batch: s.db.NewBatch()}
	defer func() { w.batch.Close() }()
	for r.at(r.it.First()); r.valid; r.next() {
		if err := w.entry(); err != nil {
			return false, err
		}
		if w.batch.Count() >= cleanBatch && !markers {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			if err := w.flush(); err != nil {
				return false, err
			}
		}
	}
	if err := r.it.Error(); err != nil {
		return false, storeError(err)
	}
	return w.old, w.flush()
}

// sweeper walks over the entries of a row.
type sweeper struct {
	store *Store
	*reader
	row     []byte
	table   *table
	markers bool
	batch   *pebble.Batch
	// old is whether there is a marker that may go.
	old bool

	// The family and the column of the entry: their keys, and what their markers mask.
	familyMasked, columnMasked, hidden int64
	keep                               int
	// seen counts the column's visible versions; held are the superseded ones while they are few enough to be tolerated.
	seen int
	held [][]byte
}

func (w *sweeper) entry() error {
	if len(w.family) == 0 || !w.in(w.family) {
		if err := w.enterFamily(); err != nil {
			return err
		}
	}
	tail := w.key[len(w.family):]
	if len(tail) == familyTailLength && tail[0] == 0 && tail[1] == 0 {
		w.familyMasked = max(w.familyMasked, decodeTime(tail[2:]))
		return w.marker()
	}
	n := len(w.key) - tailLength
	if n < len(w.family)+len(terminator) {
		return fmt.Errorf("%w: key %q", hbase.ErrCorrupt, w.key)
	}
	if !bytes.Equal(w.column, w.key[:n]) {
		w.column = append(w.column[:0], w.key[:n]...)
		w.columnMasked, w.hidden, w.seen, w.held = w.familyMasked, -1, 0, nil
	}
	timestamp := decodeTime(w.key[n:])
	switch w.key[n+tailLength-1] {
	case kindAllVersions:
		w.columnMasked = max(w.columnMasked, timestamp)
		return w.marker()
	case kindOneVersion:
		w.hidden = timestamp
		return w.marker()
	}
	if timestamp <= w.columnMasked || timestamp == w.hidden {
		return w.batch.Delete(w.key, nil)
	}
	return w.version()
}

// version decides about a version that no marker masks.
func (w *sweeper) version() error {
	if w.seen++; w.seen <= w.keep {
		return nil
	}
	if w.seen <= w.keep+tolerated {
		w.held = append(w.held, bytes.Clone(w.key))
		return nil
	}
	for _, key := range w.held {
		if err := w.batch.Delete(key, nil); err != nil {
			return err
		}
	}
	w.held = nil
	return w.batch.Delete(w.key, nil)
}

func (w *sweeper) marker() error {
	written, err := w.markerWritten()
	if err != nil || written >= w.expired {
		return err
	}
	w.old = true
	if !w.markers {
		return nil
	}
	return w.batch.Delete(w.key, nil)
}

func (w *sweeper) enterFamily() error {
	for _, f := range w.table.families {
		w.family = append(append(append(w.family[:0], w.row...), f.name...), 0)
		if w.in(w.family) {
			w.familyMasked, w.keep = -1, f.keep
			w.column = w.column[:0]
			return nil
		}
	}
	return fmt.Errorf("%w: key %q", hbase.ErrCorrupt, w.key)
}

// flush removes what was collected. Nobody waits for it to be durable: after a crash there is garbage again.
func (w *sweeper) flush() error {
	if w.batch.Empty() {
		return nil
	}
	if err := w.batch.Commit(pebble.NoSync); err != nil {
		return storeError(err)
	}
	err := w.batch.Close()
	w.batch = w.store.db.NewBatch()
	return storeError(err)
}
