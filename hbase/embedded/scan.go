package embedded

import (
	"bytes"
	"context"
	"iter"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"twibase/hbase"
)

// server is the region server in [hbase.Stats].
const server = "embedded"

// maxPageBytes bounds a page of a scan, in addition to its rows.
const maxPageBytes = 4 << 20

func (s *Store) Scan(ctx context.Context, scan hbase.Scan) iter.Seq2[hbase.Row, error] {
	return hbase.Pages(ctx, scan, func() func(int) ([]hbase.Row, bool, error) {
		var left keyRange
		return func(size int) (page []hbase.Row, more bool, err error) {
			page, err = s.page(ctx, &scan, &left, size)
			return page, !left.empty(), err
		}
	})
}

func (s *Store) page(ctx context.Context, scan *hbase.Scan, left *keyRange, size int) (rows []hbase.Row, err error) {
	ctx, cancel := hbase.Bounded(ctx, 0)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	t, err := s.table(scan.Table)
	if err != nil {
		return nil, err
	}
	sel, err := t.selection(scan.Columns)
	if err != nil {
		return nil, err
	}
	if left.lower == nil {
		*left = rangeOf(t.id, scan)
	}
	if left.empty() {
		return nil, nil
	}
	r, err := s.reader(&pebble.IterOptions{LowerBound: bytes.Clone(left.lower), UpperBound: bytes.Clone(left.upper)})
	if err != nil {
		return nil, err
	}
	defer r.close()
	defer hbase.StatsOf(ctx).CountRPC(server, 0, time.Now())
	r.prepare(scan.Page, 1)
	bytesRead := int64(0)
	for n := 0; r.nextRow(left, scan.Reversed); n++ {
		if len(rows) == size || bytesRead >= maxPageBytes {
			return rows, nil
		}
		if n%64 == 0 && ctx.Err() != nil {
			return rows, ctx.Err()
		}
		left.remove(r.rowKey, scan.Reversed)
		cells, err := r.row(sel)
		if err != nil {
			return rows, err
		}
		s.cleaner.offer(r, len(cells) == 0)
		if len(cells) == 0 {
			continue
		}
		key, err := decodeRow(&r.arena, r.rowKey)
		if err != nil {
			return rows, err
		}
		rows = append(rows, hbase.Row{Key: key, Cells: cells})
		bytesRead += hbase.Size(cells)
	}
	left.upper = left.lower
	return rows, storeError(r.it.Error())
}

func (r *reader) nextRow(left *keyRange, reversed bool) bool {
	switch {
	case reversed:
		r.at(r.it.SeekLT(left.upper))
	case r.key == nil:
		r.seek(left.lower)
	default:
		r.advance(left.lower, nearby)
	}
	if !r.valid {
		return false
	}
	r.rowKey = append(r.rowKey[:0], r.key[:split(r.key)]...)
	if reversed {
		r.seek(r.rowKey)
	}
	return r.valid
}

// keyRange is the unread part of a scan: [lower, upper).
type keyRange struct{ lower, upper []byte }

func (k keyRange) empty() bool { return bytes.Compare(k.lower, k.upper) >= 0 }

func (k *keyRange) remove(row []byte, reversed bool) {
	if reversed {
		k.upper = append(k.upper[:0], row...)
	} else {
		k.lower = prefixEnd(append(k.lower[:0], row...))
	}
}

func rangeOf(table uint32, scan *hbase.Scan) keyRange {
	k := keyRange{appendTable(nil, table), appendTable(nil, table+1)}
	switch {
	case scan.Reversed:
		if scan.Stop != "" {
			k.lower = prefixEnd(appendRow(nil, table, scan.Stop))
		}
		if scan.Start != "" {
			k.upper = prefixEnd(appendRow(nil, table, scan.Start))
		}
	default:
		if scan.Start != "" {
			k.lower = appendRow(nil, table, scan.Start)
		}
		if scan.Stop != "" {
			k.upper = appendRow(nil, table, scan.Stop)
		}
	}
	return k
}
