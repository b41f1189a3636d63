package inflight

import (
	"bytes"
	"io"
	"slices"
	"testing"
)

func TestOldestResponsesAreCutOffAboveTheLimit(t *testing.T) {
	b := New(100)
	var cut []string
	hold := func(name string, bytes int) (sent func()) {
		return b.Add(bytes, func() { cut = append(cut, name) })
	}
	want := func(what string, bytes int, names ...string) {
		t.Helper()
		if got, n := b.Load(); got != bytes || n != len(names) || !slices.Equal(cut, names) {
			t.Errorf("%s: %d bytes in flight, want %d; %v cut off (counted: %d), want %v", what, got, bytes, cut, n, names)
		}
	}
	first, second := hold("first", 40), hold("second", 40)
	want("what fits", 80)
	third := hold("third", 40)
	want("one too many cuts off the oldest", 80, "first")
	first()
	want("whose end is counted once", 80, "first")
	second()
	second()
	want("also if it is told twice", 40, "first")
	huge := hold("huge", 1000)
	want("one that is too long cuts off all others", 1000, "first", "third")
	hold("small", 1)
	want("and is cut off by the next", 1, "first", "third", "huge")
	third()
	huge()
	want("all of that later", 1, "first", "third", "huge")
}

func TestNilBytesBoundsNothing(t *testing.T) {
	var b *Bytes
	b.Add(1<<40, func() { t.Error("a response is cut off") })()
	if _, err := io.Copy(io.Discard,
		b.Reader(bytes.NewReader(make([]byte, 2*size)), 0, func() { t.Error("a request is cut off") })); err != nil {
		t.Error(err)
	}
}
