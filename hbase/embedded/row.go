package embedded

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"twibase/hbase"
)

// A reader steps over maxPassed versions before it seeks the next column. With many VERSIONS, it
// steps over more, to count garbage.
const maxPassed = 64

type query struct {
	start, stop []byte // encoded; may be empty
	limit       int
	noValues    bool
	versions    int
}

// reader reads a snapshot.
type reader struct {
	cursor
	arena
	query query

	rowKey, family, column []byte
	target, past           []byte // scratch

	masked  int64 // the family is masked up to this timestamp, or -1
	now     int64 // ms
	garbage int   // skipped entries that the cleaner can remove
}

func (s *Store) reader(opts *pebble.IterOptions) (*reader, error) {
	it, err := s.db.NewIter(opts)
	if err != nil {
		return nil, storeError(err)
	}
	return &reader{cursor: cursor{it: it}, now: s.now()}, nil
}

func (r *reader) close() { _ = r.it.Close() } // returns the iterator's error again

func (r *reader) prepare(page hbase.Page, versions int) {
	q := &r.query
	q.start, q.stop, q.limit, q.versions = q.start[:0], q.stop[:0], page.Limit, versions
	q.noValues = page.NoValues
	if page.Start != "" {
		q.start = appendEscaped(q.start, page.Start)
	}
	if page.Stop != "" {
		q.stop = appendEscaped(q.stop, page.Stop)
	}
}

// row reads rowKey. If r.within is false, the cursor must be at its first entry.
func (r *reader) row(sel *selection) ([]hbase.Cell, error) {
	r.begin()
	r.garbage = 0
	for i := range sel.families {
		fs := &sel.families[i]
		r.family = append(append(r.family[:0], r.rowKey...), fs.key...)
		if i == 0 && r.within {
			r.seek(r.family)
		} else {
			r.advance(r.family, nearby)
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
		r.advance(r.target, nearColumn)
		if !r.in(r.target) {
			continue
		}
		found, err := r.readColumn(fs, c)
		if err != nil {
			return err
		}
		if found {
			if left--; left == 0 {
				break
			}
		}
	}
	return nil
}

// readFamilyMarkers sets masked from the first, newest marker, and moves to the columns.
func (r *reader) readFamilyMarkers() error {
	r.masked = -1
	for r.in(r.family) {
		timestamp, ok := familyMarker(r.key[len(r.family):])
		if !ok {
			return nil
		}
		if err := r.countMarker(); err != nil {
			return err
		}
		if r.masked < 0 {
			r.masked = timestamp
			r.next()
		} else {
			r.past = append(append(r.past[:0], r.family...), terminator...)
			r.advance(r.past, nearby)
		}
	}
	return nil
}

func (r *reader) readPage(fs *familySelection) error {
	q := &r.query
	if len(q.start) > 0 {
		r.target = append(append(r.target[:0], r.family...), q.start...)
		r.advance(r.target, nearby)
	}
	if len(q.stop) > 0 {
		r.target = append(append(r.target[:0], r.family...), q.stop...)
	}
	left := q.limit
	for r.in(r.family) {
		if len(q.stop) > 0 && bytes.Compare(r.key, r.target) >= 0 {
			return nil
		}
		found, err := r.readColumn(fs, nil)
		if err != nil {
			return err
		}
		if found {
			if left--; left == 0 {
				return nil
			}
		}
	}
	return nil
}

// readColumn reads and passes the column at the cursor. known is nil unless it was selected by
// name.
func (r *reader) readColumn(fs *familySelection, known *column) (found bool, err error) {
	n := len(r.key) - tailLength
	if n < len(r.family)+len(terminator) || string(r.key[n-len(terminator):n]) != terminator {
		return false, badKey(r.key)
	}
	r.column = append(r.column[:0], r.key[:n]...)
	left := min(r.query.versions, fs.versions)
	masked, visible, passed := r.masked, 0, 0
	for ; r.in(r.column); r.next() {
		timestamp, kind, ok := version(r.key[n:])
		if !ok {
			return false, badKey(r.key)
		}
		// Neither this version nor an older one matches.
		if timestamp <= masked || left == 0 {
			if passed++; passed > max(maxPassed, fs.versions+tolerated) {
				r.past = append(r.past[:0], r.column...)
				r.seek(prefixEnd(r.past))
				return found, nil
			}
		}
		switch {
		case kind != kindPut:
			masked = max(masked, timestamp)
			if err := r.countMarker(); err != nil {
				return false, err
			}
			continue
		case timestamp <= masked || r.expired(fs.ttl, timestamp):
			r.garbage++
			continue
		}
		if visible++; visible == fs.versions+tolerated+1 {
			r.garbage += tolerated
		}
		if left > 0 {
			if err := r.take(fs.name, known, timestamp, found); err != nil {
				return false, err
			}
			found, left = true, left-1
		}
	}
	return found, nil
}

// take adds the version at the cursor. If again is true, the previous cell has the same column.
func (r *reader) take(family string, known *column, timestamp int64, again bool) error {
	c, err := hbase.Cell{Family: family, Timestamp: timestamp}, error(nil)
	if !r.query.noValues {
		value, err := r.it.ValueAndErr()
		if err != nil {
			return storeError(err)
		}
		c.Value = r.copy(value)
	}
	switch {
	case known != nil:
		c.Qualifier = known.qualifier
	case again:
		c.Qualifier = r.cells[len(r.cells)-1].Qualifier
	default:
		if c.Qualifier, err = r.unescaped(r.column[len(r.family) : len(r.column)-len(terminator)]); err != nil {
			return err
		}
	}
	r.add(c)
	return nil
}

func (r *reader) expired(ttl, timestamp int64) bool { return ttl > 0 && timestamp < r.now-ttl }

func (r *reader) countMarker() error {
	expired, err := r.markerExpired()
	if expired {
		r.garbage++
	}
	return err
}

func (r *reader) markerExpired() (bool, error) {
	value, err := r.it.ValueAndErr()
	if err != nil {
		return false, storeError(err)
	}
	if len(value) != 8 {
		return false, fmt.Errorf("%w: delete marker has %d bytes, not 8", hbase.ErrCorrupt, len(value))
	}
	return int64(binary.BigEndian.Uint64(value)) < r.now-hbase.TimeToPurgeDeletes.Milliseconds(), nil
}
