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
	want("within the limit", 80)
	third := hold("third", 40)
	want("above the limit the oldest is cut off", 80, "first")
	first()
	want("sent has no effect after the cut", 80, "first")
	second()
	second()
	want("the second call of sent has no effect", 40, "first")
	huge := hold("huge", 1000)
	want("a response above the limit cuts off all others", 1000, "first", "third")
	hold("small", 1)
	want("the next response cuts it off", 1, "first", "third", "huge")
	third()
	huge()
	want("sent has no effect after later cuts", 1, "first", "third", "huge")
}

func TestNilBytesBoundsNothing(t *testing.T) {
	var b *Bytes
	b.Add(1<<40, func() { t.Error("a response is cut off") })()
	if _, err := io.Copy(io.Discard,
		b.Reader(bytes.NewReader(make([]byte, 2*size)), 0, func() { t.Error("a request is cut off") })); err != nil {
		t.Error(err)
	}
}
