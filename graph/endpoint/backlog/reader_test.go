package backlog

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

func TestOfARequestIsHeldWhatHasCome(t *testing.T) {
	b := New(1 << 20)
	r := b.Reader(strings.NewReader(strings.Repeat("x", 3*Free)), func() { t.Error("it is cut off") })
	for _, step := range []struct{ read, held int }{{Free, 0}, {1, Free + 1}, {Free, 2*Free + 1}, {Free - 1, 3 * Free}} {
		if _, err := io.ReadFull(r, make([]byte, step.read)); err != nil {
			t.Fatal(err)
		}
		if bytes, _ := b.Load(); bytes != step.held {
			t.Errorf("%d bytes are held, want %d", bytes, step.held)
		}
	}
	for range 2 {
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("at its end come %d bytes, and %v", n, err)
		}
	}
	if bytes, _ := b.Load(); bytes != 0 {
		t.Errorf("%d bytes are held when it has come", bytes)
	}
}

func TestOfRequestsThatGrowTheOldestIsCutOff(t *testing.T) {
	b := New(4 * Free)
	var cut []string
	begin := func(name string) *Reader {
		return b.Reader(bytes.NewReader(make([]byte, 3*Free)), func() { cut = append(cut, name) })
	}
	small, first, second := begin("small"), begin("first"), begin("second")
	for _, step := range []struct {
		of    *Reader
		bytes int
		held  int
	}{{small, Free, 0}, {first, 2 * Free, 2 * Free}, {second, 2 * Free, 4 * Free}, {second, 1, 2*Free + 1}, {first, Free, 2*Free + 1}} {
		if _, err := io.ReadFull(step.of, make([]byte, step.bytes)); err != nil {
			t.Fatal(err)
		}
		if bytes, _ := b.Load(); bytes != step.held {
			t.Errorf("%d bytes are held, want %d", bytes, step.held)
		}
	}
	if len(cut) != 1 || cut[0] != "first" {
		t.Errorf("%v are cut off", cut)
	}
	if _, err := first.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("one that is cut off ends with %v", err)
	}
	if _, err := io.Copy(io.Discard, io.MultiReader(second, small)); err != nil {
		t.Errorf("the others end with %v", err)
	}
	if !small.End() || !second.End() || first.End() {
		t.Error("not the first alone was cut off")
	}
	if bytes, n := b.Load(); bytes != 0 || n != 1 {
		t.Errorf("%d bytes are held in the end, and %d were cut off", bytes, n)
	}
}

func TestARequestThatGrowsCutsOffItselfIfItIsTheOldest(t *testing.T) {
	b, cut := New(4*Free), 0
	first := b.Reader(bytes.NewReader(make([]byte, 4*Free)), func() { cut++ })
	second := b.Reader(bytes.NewReader(make([]byte, 2*Free)), func() { t.Error("the second is cut off") })
	for _, r := range []*Reader{first, second, first} {
		if _, err := io.ReadFull(r, make([]byte, 3*Free/2)); err != nil {
			t.Fatal(err)
		}
	}
	if bytes, n := b.Load(); bytes != 3*Free/2 || n != 1 || cut != 1 {
		t.Errorf("%d bytes are held, %d were cut off, and %d told so", bytes, n, cut)
	}
}
