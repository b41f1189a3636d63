package embedded

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"twibase/hbase"
)

// query is what to take of the columns that a selection names.
type query struct {
	// start and stop are the page's, as parts of keys; empty if it has none.
	start, stop []byte
	limit       int
	versions    int
	time        hbase.TimeRange
}

// prepare makes the reader's query.
func (r *reader) prepare(page hbase.Page, versions int, time hbase.TimeRange) {
	q := &r.query
	q.start, q.stop, q.limit, q.versions, q.time = q.start[:0], q.stop[:0], page.Limit, max(versions, 1), time
	if page.Start != "" {
		q.start = appendEscaped(q.start, page.Start)
	}
	if page.Stop != "" {
		q.stop = appendEscaped(q.stop, page.Stop)
	}
}

// maxPassed is how many versions a reader steps over before it seeks the next column.
const maxPassed = 64

// reader reads rows. Its buffers live as long as it does; what it returns is in the arena, which is its caller's.
type reader struct {
	cursor
	arena
	query query

	// family and column are the keys of what is being read, target is a page's bound or a column, behind is scratch.
	family, column, target, behind    []byte
	toRow, toFamily, toColumn, toPage distance
	// rowKey is the row that a scan is at.
	rowKey []byte
	// masked is the timestamp up to which a marker masks the family, or -1.
	masked int64
	// expired is the time before which a marker must have been written to be garbage.
	expired int64
	// garbage counts what was passed over and that the cleaner could remove.
	garbage int
}

// row reads the selected cells of one row. The cursor is at the row's first entry, or before the row if it seeks within it.
func (r *reader) row(key []byte, sel *selection) ([]hbase.Cell, error) {
	r.begin()
	r.garbage = 0
	for i := range sel.families {
		fs := &sel.families[i]
		r.family = append(append(r.family[:0], key...), fs.key...)
		if i == 0 && r.within {
			r.seek(r.family)
		} else {
			r.advance(r.family, &r.toFamily)
		}
		if err := r.readFamily(fs); err != nil {
			return nil, err
		}
	}
	if err := r.it.Error(); err != nil {
		return nil, storeError(err)
	}
	return r.end(), nil
}

func (r *reader) readFamily(fs *familySelection) error {
	if err := r.readFamilyMarkers(); err != nil {
		return err
	}
	if len(fs.columns) == 0 {
		return r.readPage(fs)
	}
	left := r.query.limit
	for i := range fs.columns {
		c := &fs.columns[i]
		r.target = append(append(r.target[:0], r.family...), c.key...)
		r.advance(r.target, &r.toColumn)
		if !r.in(r.target) {
			continue
		}
		taken, err := r.readColumn(fs, c, false)
		if err != nil {
			return err
		}
		if taken > 0 {
			if left--; left == 0 {
				break
			}
		}
	}
	return nil
}

// readFamilyMarkers finds up to when the family is deleted: its newest marker says it.
func (r *reader) readFamilyMarkers() error {
	r.masked = -1
	for r.in(r.family) {
		tail := r.key[len(r.family):]
		if len(tail) != familyTailLength || tail[0] != 0 || tail[1] != 0 {
			return nil
		}
		if err := r.countMarker(); err != nil {
			return err
		}
		if r.masked < 0 {
			r.masked = decodeTime(tail[2:])
			r.next()
		} else {
			r.behind = append(append(r.behind[:0], r.family...), terminator...)
			r.advance(r.behind, &r.toFamily)
		}
	}
	return nil
}

func (r *reader) countMarker() error {
	written, err := r.markerWritten()
	if err == nil && written < r.expired {
		r.garbage++
	}
	return err
}

// markerWritten returns when the marker under the cursor was written.
func (r *reader) markerWritten() (int64, error) {
	value, err := r.it.ValueAndErr()
	if err != nil {
		return 0, storeError(err)
	}
	if len(value) != 8 {
		return 0, fmt.Errorf("%w: a delete marker of %d bytes", hbase.ErrCorrupt, len(value))
	}
	return int64(binary.BigEndian.Uint64(value)), nil
}

func (r *reader) readPage(fs *familySelection) error {
	q := &r.query
	if len(q.start) > 0 {
		r.target = append(append(r.target[:0], r.family...), q.start...)
		r.advance(r.target, &r.toPage)
	}
	if len(q.stop) > 0 {
		r.target = append(append(r.target[:0], r.family...), q.stop...)
	}
	left := q.limit
	for r.in(r.family) {
		if len(q.stop) > 0 && bytes.Compare(r.key, r.target) >= 0 {
			return nil
		}
		taken, err := r.readColumn(fs, nil, left == 1)
		if err != nil {
			return err
		}
		if taken > 0 {
			if left--; left == 0 {
				return nil
			}
		}
	}
	return nil
}

// readColumn takes the versions of the column under the cursor that the query asks for, and moves to the next column.
// known names the column if the selection does. Behind the last one of a page it does not move on: what follows is of no interest.
// Behind a named one it does: whether it has old versions the cleaner learns from nobody else.
func (r *reader) readColumn(fs *familySelection, known *column, last bool) (taken int, err error) {
	n := len(r.key) - tailLength
	if n < len(r.family)+len(terminator) || string(r.key[n-len(terminator):n]) != terminator {
		return 0, fmt.Errorf("%w: key %q", hbase.ErrCorrupt, r.key)
	}
	r.column = append(r.column[:0], r.key[:n]...)
	q := &r.query
	versions := min(q.versions, fs.keep)
	masked, hidden := r.masked, int64(-1)
	for passed := 0; r.in(r.column); r.next() {
		if len(r.key) != n+tailLength {
			return 0, fmt.Errorf("%w: key %q", hbase.ErrCorrupt, r.key)
		}
		timestamp, kind := decodeTime(r.key[n:]), r.key[n+tailLength-1]
		switch kind {
		case kindPut:
			switch {
			case timestamp <= masked:
				r.garbage++
				passed++
			case taken == versions || timestamp < q.time.From:
				passed++
			case timestamp == hidden:
				r.garbage++
			case q.time.Contains(timestamp):
				if err := r.take(fs.name, known, timestamp, taken == 0); err != nil {
					return 0, err
				}
				if taken++; last && taken == versions {
					return taken, nil
				}
			}
		case kindAllVersions, kindOneVersion:
			if timestamp <= masked {
				passed++
			} else if kind == kindAllVersions {
				masked = timestamp
			}
			hidden = timestamp
			if err := r.countMarker(); err != nil {
				return 0, err
			}
		default:
			return 0, fmt.Errorf("%w: key %q", hbase.ErrCorrupt, r.key)
		}
		if passed > maxPassed {
			r.garbage += max(0, taken+passed-fs.keep)
			r.behind = append(r.behind[:0], r.column...)
			r.seek(behind(r.behind))
			break
		}
	}
	return taken, nil
}

// take adds the version under the cursor to the row. The versions of a column share its qualifier.
func (r *reader) take(family string, known *column, timestamp int64, first bool) error {
	value, err := r.it.ValueAndErr()
	if err != nil {
		return storeError(err)
	}
	switch {
	case !first:
		r.add(family, r.last().Qualifier, timestamp, value)
	case known != nil:
		r.add(family, known.qualifier, timestamp, value)
	default:
		qualifier, err := r.unescaped(r.column[len(r.family) : len(r.column)-len(terminator)])
		if err != nil {
			return err
		}
		r.add(family, qualifier, timestamp, value)
	}
	return nil
}
