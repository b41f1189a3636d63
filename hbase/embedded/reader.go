package embedded

import "github.com/cockroachdb/pebble/v2"

// reader returns a reader of the store as it is now. It goes back with release.
func (s *Store) reader(opts *pebble.IterOptions) (*reader, error) {
	it, err := s.db.NewIter(opts)
	if err != nil {
		return nil, storeError(err)
	}
	r := s.readers.Get().(*reader)
	r.cursor = cursor{it: it}
	r.toRow, r.toFamily, r.toColumn, r.toPage = 0, 0, 0, 0
	r.expired = s.now() - markerAge.Milliseconds()
	return r, nil
}

// release ends a reader. The iterator's error, if any, was seen by whoever read.
func (s *Store) release(r *reader) {
	_ = r.it.Close()
	r.cursor = cursor{}
	r.arena = arena{}
	r.family, r.column = r.family[:0], r.column[:0]
	s.readers.Put(r)
}
