package tables

import (
	"time"
	"unsafe"
)

// Memory allocates decoded values and row keys in large pieces. Texts share memory with their
// cells. The zero value is ready for use. It is not safe for concurrent use.
type Memory struct {
	twits    slab[Twit]
	comments slab[Comment]
	texts    slab[string]
	numbers  slab[int]
	instants slab[time.Time]
	text     []byte
}

// The sizes of pieces of text, in bytes.
const minText, maxText = 64, 16 << 10

// textOf returns a cell's value as a string that shares its memory.
func textOf(value []byte) string { return unsafe.String(unsafe.SliceData(value), len(value)) }

func (m *Memory) rowKey(id string) string {
	hash, n := hashOf(id), hashSize+len(id)
	if n > cap(m.text)-len(m.text) {
		m.text = make([]byte, 0, max(min(2*cap(m.text), maxText), minText, n))
	}
	start := len(m.text)
	m.text = append(append(m.text, hash[:]...), id...)
	return textOf(m.text[start:])
}

// slab allocates many Ts together.
type slab[T any] struct {
	free []T
	size int
}

const maxSlab = 256

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
