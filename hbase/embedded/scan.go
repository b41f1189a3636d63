package embedded

import (
	"bytes"
	"context"
	"iter"

	"github.com/cockroachdb/pebble/v2"

	"twibase/hbase"
)

// server is what the store is called among region servers: it is the only one.
const server = "embedded"

// maxPageBytes ends a page of a scan that has fewer rows than it may.
const maxPageBytes = 4 << 20

// Scan implements [hbase.Store]. Each page is a consistent snapshot of its own; nothing is held open between pages.
func (s *Store) Scan(ctx context.Context, scan hbase.Scan) iter.Seq2[hbase.Row, error] {
	return hbase.Pages(ctx, scan, func() func(int) ([]hbase.Row, bool, error) {
		var from []byte
		return func(size int) (rows []hbase.Row, more bool, err error) {
			rows, from, err = s.page(ctx, &scan, from, size)
			return rows, from != nil, err
		}
	})
}

// page reads up to size rows from the row prefix from on, or from the range's start if it is nil. It returns the prefix that the
// next page begins with, or nil at the end of the range.
func (s *Store) page(ctx context.Context, scan *hbase.Scan, from []byte, size int) (rows []hbase.Row, next []byte, err error) {
	ctx, cancel := hbase.Bounded(ctx, 0)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return nil, nil, err
	}
	defer s.leave()
	t, err := s.table(scan.Table)
	if err != nil {
		return nil, nil, err
	}
	sel, err := t.selection(scan.Columns)
	if err != nil {
		return nil, nil, err
	}
	lower, upper := bounds(t.id, scan, from)
	if bytes.Compare(lower, upper) >= 0 {
		return nil, nil, nil
	}
	r, err := s.reader(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return nil, nil, err
	}
	defer r.close()
	hbase.StatsOf(ctx).CountRPC(server)
	r.prepare(scan.Page, scan.Versions, scan.Time)
	bytesRead := int64(0)
	for n, more := 0, r.firstRow(scan.Reversed); more; n, more = n+1, r.nextRow(scan.Reversed) {
		if len(rows) == size || bytesRead >= maxPageBytes {
			return rows, append([]byte(nil), r.rowKey...), nil
		}
		if n%64 == 0 && ctx.Err() != nil {
			return rows, nil, ctx.Err()
		}
		cells, err := r.row(sel)
		if err != nil {
			return rows, nil, err
		}
		s.cleaner.offer(r, len(cells) == 0)
		if len(cells) == 0 {
			continue
		}
		key, err := decodeRow(r.rowKey)
		if err != nil {
			return rows, nil, err
		}
		rows = append(rows, hbase.Row{Key: key, Cells: cells})
		bytesRead += hbase.Size(cells)
	}
	return rows, nil, storeError(r.it.Error())
}

// firstRow moves to the first entry of the first row, or of the last one if reversed.
func (r *reader) firstRow(reversed bool) bool {
	if reversed {
		r.at(r.it.Last())
	} else {
		r.at(r.it.First())
	}
	return r.enterRow(reversed)
}

// nextRow moves to the first entry of the row that follows, or that comes before if reversed.
func (r *reader) nextRow(reversed bool) bool {
	if reversed {
		r.at(r.it.SeekLT(r.rowKey))
	} else {
		r.behind = append(r.behind[:0], r.rowKey...)
		r.advance(behind(r.behind))
	}
	return r.enterRow(reversed)
}

func (r *reader) enterRow(reversed bool) bool {
	if !r.valid {
		return false
	}
	r.rowKey = append(r.rowKey[:0], r.key[:split(r.key)]...)
	if reversed {
		r.seek(r.rowKey)
	}
	return r.valid
}

// bounds returns the range of keys that is left of a scan whose next row has the prefix from, if that is not nil.
func bounds(table uint32, scan *hbase.Scan, from []byte) (lower, upper []byte) {
	lower, upper = appendTable(nil, table), appendTable(nil, table+1)
	if scan.Reversed {
		if scan.Stop != "" {
			lower = behind(appendRow(nil, table, scan.Stop))
		}
		if scan.Start != "" {
			upper = behind(appendRow(nil, table, scan.Start))
		}
		if from != nil {
			upper = behind(from)
		}
		return lower, upper
	}
	if scan.Start != "" {
		lower = appendRow(nil, table, scan.Start)
	}
	if scan.Stop != "" {
		upper = appendRow(nil, table, scan.Stop)
	}
	if from != nil {
		lower = from
	}
	return lower, upper
}
