package tables

import (
	"strings"
	"time"
)

// Memory is what rows are decoded into: a few large pieces instead of one for each row, field and text. Its zero value is ready for use; nothing
// that came out of it is ever written over. It is not safe for concurrent use.
type Memory struct {
	twits    slab[Twit]
	comments slab[Comment]
	texts    slab[string]
	numbers  slab[int]
	instants slab[time.Time]
	text     strings.Builder
}

// The pieces of texts, in bytes: each is twice as large as the one before it, within bounds.
const minText, maxText = 64, 16 << 10

// copy returns the bytes as a string.
func (m *Memory) copy(b []byte) string {
	start := m.begin(len(b))
	m.text.Write(b)
	return m.text.String()[start:]
}

// rowKey is [RowKey].
func (m *Memory) rowKey(id string) string {
	hash := hashOf(id)
	start := m.begin(hashSize + len(id))
	m.text.Write(hash[:])
	m.text.WriteString(id)
	return m.text.String()[start:]
}

// begin returns where a text of n bytes begins that is about to be written.
func (m *Memory) begin(n int) int {
	if n > m.text.Cap()-m.text.Len() {
		size := max(min(2*m.text.Cap(), maxText), minText, n)
		m.text = strings.Builder{}
		m.text.Grow(size)
	}
	return m.text.Len()
}

// slab gives out Ts of which many lie side by side.
type slab[T any] struct {
	free []T
	size int
}

const maxSlab = 256

// one returns a zero T.
func (s *slab[T]) one() *T { return &s.many(1)[0] }

// many returns n zero Ts.
func (s *slab[T]) many(n int) []T {
	if n > len(s.free) {
		s.size = max(n, min(2*s.size, maxSlab))
		s.free = make([]T, s.size)
	}
	list := s.free[:n:n]
	s.free = s.free[n:]
	return list
}
