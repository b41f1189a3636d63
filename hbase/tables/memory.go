package tables

import (
	"time"
	"unsafe"
)

// Memory is what rows are decoded into: a few large pieces instead of one for each row and field.
// Texts stay in the cells that they came in, to which nobody may write any more. Its zero value is
// ready for use; nothing that came out of it is ever written over. It is not safe for concurrent
// use.
type Memory struct {
	twits    slab[Twit]
	comments slab[Comment]
	texts    slab[string]
	numbers  slab[int]
	instants slab[time.Time]
	text     []byte
}

// The pieces of texts, in bytes: each is twice as large as the one before it, within bounds.
const minText, maxText = 64, 16 << 10

// textOf returns a cell's value as a string, without copying it: what a store answers is nobody
// else's, and who decodes a value writes to it no more.
func textOf(value []byte) string { return unsafe.String(unsafe.SliceData(value), len(value)) }

// rowKey is [RowKey].
func (m *Memory) rowKey(id string) string {
	hash := hashOf(id)
	start := m.begin(hashSize + len(id))
	m.text = append(append(m.text, hash[:]...), id...)
	return textOf(m.text[start:])
}

// begin returns where a text of n bytes begins that is about to be written.
func (m *Memory) begin(n int) int {
	if n > cap(m.text)-len(m.text) {
		m.text = make([]byte, 0, max(min(2*cap(m.text), maxText), minText, n))
	}
	return len(m.text)
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
