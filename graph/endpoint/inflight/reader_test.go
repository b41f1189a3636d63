package inflight

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

const size = 4 << 10

// sent is a request whose end blocks until it is cut off.
type sent struct {
	*Reader
	name  string
	isCut chan struct{}
}

func (s *sent) read(t *testing.T, bytes int) {
	t.Helper()
	if _, err := io.ReadFull(s, make([]byte, bytes)); err != nil {
		t.Fatalf("request %s ends with %v", s.name, err)
	}
}

func (s *sent) rest() error {
	defer s.End()
	_, err := s.Read(make([]byte, 1))
	return err
}

func requests(b *Bytes, bytes int, cut *[]string, names ...string) (all []*sent) {
	for _, name := range names {
		s := &sent{name: name, isCut: make(chan struct{})}
		s.Reader = b.Reader(io.MultiReader(io.LimitReader(zeros{}, int64(bytes)), s.end()), 0, func() {
			*cut = append(*cut, name)
			close(s.isCut)
		})
		all = append(all, s)
	}
	return all
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

type end struct{ of *sent }

func (s *sent) end() io.Reader { return end{s} }

func (e end) Read([]byte) (int, error) {
	<-e.of.isCut
	return 0, os.ErrDeadlineExceeded
}

func TestReaderCountsReceivedBytesAndItsBuffer(t *testing.T) {
	b := New(1 << 20)
	r := b.Reader(bytes.NewReader(make([]byte, 3*size)), 0, func() { t.Error("the request is cut off") })
	for _, step := range []struct{ room, held int }{{size, size}, {1, size + 1}, {size, 2*size + 1},
		{3 * size, 5*size + 1}} {
		if _, err := r.Read(make([]byte, step.room)); err != nil {
			t.Fatal(err)
		}
		if bytes, _ := b.Load(); bytes != step.held {
			t.Errorf("%d bytes in flight, want %d", bytes, step.held)
		}
	}
	for range 2 {
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("after the last byte: read %d bytes, error %v; want EOF", n, err)
		}
	}
	if bytes, _ := b.Load(); bytes != 0 {
		t.Errorf("%d bytes in flight after the end, want 0", bytes)
	}
}

func TestOldestRequestsAreCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, began := New(4*size), time.Now()
		var cut []string
		all := requests(b, 2*size, &cut, "first", "second", "third")
		first, second, third := all[0], all[1], all[2]
		held := func(when string, want int, names ...string) {
			t.Helper()
			if bytes, n := b.Load(); bytes != want || n != len(names) || !slices.Equal(cut, names) {
				t.Errorf("%s: %d bytes in flight, want %d; %v were cut off", when, bytes, want, cut)
			}
		}
		first.read(t, 2*size)
		ended := make(chan error)
		go func() { ended <- first.rest() }()
		synctest.Wait()
		second.read(t, 2*size-1)
		held("what fits", 4*size)
		second.read(t, 1)
		held("one byte more", 2*size, "first")
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a request that was cut off ends with %v", err)
		}
		go func() { ended <- second.rest() }()
		synctest.Wait()
		third.read(t, 2*size)
		held("the next oldest follows", 2*size, "first", "second")
		<-ended
		if first.End() || second.End() || !third.End() {
			t.Error("other requests were cut off")
		}
		held("in the end", 0, "first", "second")
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %v, want no time", took)
		}
	})
}

func TestGrowingRequestIsCutOffIfOldest(t *testing.T) {
	var cut []string
	b := New(4 * size)
	all := requests(b, 4*size, &cut, "first", "second")
	for _, s := range []*sent{all[0], all[1], all[0]} {
		s.read(t, 3*size/2)
	}
	if bytes, n := b.Load(); bytes != 3*size/2 || n != 1 || !slices.Equal(cut, []string{"first"}) {
		t.Errorf("%d bytes in flight, %d requests cut off: %v", bytes, n, cut)
	}
}
