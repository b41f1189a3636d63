package password

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/argon2"
)

var quick = Params{KiB: 8, Passes: 1, Threads: 1}

// counter counts the work that is done.
type counter struct{ n atomic.Int64 }

func (c *counter) derive(password, salt []byte, passes, kib uint32, threads uint8, size uint32) []byte {
	c.n.Add(1)
	return argon2.IDKey(password, salt, passes, kib, threads, size)
}

func hash(t *testing.T, h *Hasher, password string) string {
	t.Helper()
	s, err := h.Hash(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAPasswordIsKnownAgain(t *testing.T) {
	h := New()
	stored := hash(t, h, "correct horse")
	for _, test := range []struct {
		reason, password string
		right            bool
	}{
		{"the same", "correct horse", true},
		{"another case", "Correct horse", false},
		{"a beginning", "correct", false},
		{"more", "correct horse ", false},
		{"none", "", false},
	} {
		right, stale, err := h.Verify(t.Context(), test.password, stored)
		if right != test.right || stale || err != nil {
			t.Errorf("%s: right %v, stale %v, error %v", test.reason, right, stale, err)
		}
	}
	if !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the hash is %s", stored)
	}
}

func TestTwoHashesOfOnePasswordDiffer(t *testing.T) {
	h := With(quick, argon2.IDKey)
	if a, b := hash(t, h, "correct horse"), hash(t, h, "correct horse"); a == b {
		t.Errorf("both are %s", a)
	}
}

// What takes the time is the derivation: that it is done once, with the same parameters, is what makes the times equal.
func TestAMissingAccountTakesAsMuchWorkAsAWrongPassword(t *testing.T) {
	var calls []string
	h := With(quick, func(password, salt []byte, passes, kib uint32, threads uint8, size uint32) []byte {
		calls = append(calls, fmt.Sprint(len(password), len(salt), passes, kib, threads, size))
		return argon2.IDKey(password, salt, passes, kib, threads, size)
	})
	stored := hash(t, h, "correct horse")
	calls = nil
	for _, of := range []string{stored, ""} {
		if right, _, err := h.Verify(t.Context(), "wrong horse", of); right || err != nil {
			t.Errorf("of %q: right %v, error %v", of, right, err)
		}
	}
	if len(calls) != 2 || calls[0] != calls[1] {
		t.Errorf("the work was %q", calls)
	}
}

func TestAnotherWorkIsStale(t *testing.T) {
	before, now := With(quick, argon2.IDKey), With(Params{KiB: 16, Passes: 1, Threads: 1}, argon2.IDKey)
	stored := hash(t, before, "correct horse")
	if right, stale, err := now.Verify(t.Context(), "correct horse", stored); !right || !stale || err != nil {
		t.Errorf("right %v, stale %v, error %v", right, stale, err)
	}
	if right, stale, err := now.Verify(t.Context(), "wrong horse", stored); right || stale || err != nil {
		t.Errorf("nobody may know that of a wrong password: right %v, stale %v, error %v", right, stale, err)
	}
}

func TestADamagedHashIsSeen(t *testing.T) {
	var work counter
	h := With(quick, work.derive)
	stored := hash(t, h, "correct horse")
	work.n.Store(0)
	fields := strings.Split(stored, "$")
	with := func(i int, field string) string {
		damaged := append([]string(nil), fields...)
		damaged[i] = field
		return strings.Join(damaged, "$")
	}
	for _, damaged := range []string{"$", stored[1:], stored + "A", stored + "\n", stored[:len(stored)-1], with(1, "argon2i"), with(1, "bcrypt"), with(2, "v=16"),
		with(2, "v=019"), with(3, "m=8,t=0,p=1"), with(3, "m=8,t=1,p=0"), with(3, "m=4294967295,t=1,p=1"), with(3, "m=8,t=4294967295,p=1"),
		with(3, "m=8,t=1,p=255"), with(3, "m=8,t=1,p=256"), with(3, "m=-8,t=1,p=1"), with(3, "m=+8,t=1,p=1"), with(3, "m=8,t=1"), with(4, ""),
		with(4, fields[4][1:]), with(5, ""), with(5, "!"+fields[5][1:]), with(5, fields[5][:42]+"/")} {
		if right, _, err := h.Verify(t.Context(), "correct horse", damaged); right || !errors.Is(err, ErrFormat) {
			t.Errorf("%q: right %v, error %v", damaged, right, err)
		}
	}
	if n := work.n.Load(); n != 0 {
		t.Errorf("%d of them were worked on", n)
	}
}

func TestAsManyHashAtATimeAsThereAreProcessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const people = 100
		var running, most, done int
		var mu sync.Mutex
		h := With(quick, func(password, salt []byte, passes, kib uint32, threads uint8, size uint32) []byte {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			running--
			done++
			mu.Unlock()
			return make([]byte, size)
		})
		var all sync.WaitGroup
		for range people {
			all.Go(func() {
				if _, err := h.Hash(t.Context(), "correct horse"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if most != runtime.GOMAXPROCS(0) || done != people {
			t.Errorf("%d at a time, %d done", most, done)
		}
	})
}

func TestWhoWaitsMayGoAway(t *testing.T) {
	var work counter
	h := With(quick, work.derive)
	for range cap(h.slots) {
		h.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := h.Hash(ctx, "correct horse"); s != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, error %v", s, err)
	}
	if right, _, err := h.Verify(ctx, "correct horse", ""); right || !errors.Is(err, context.Canceled) {
		t.Errorf("right %v, error %v", right, err)
	}
	if n := work.n.Load(); n != 0 {
		t.Errorf("%d were worked on", n)
	}
}

func BenchmarkHash(b *testing.B) {
	h := New()
	for b.Loop() {
		if _, err := h.Hash(b.Context(), "correct horse"); err != nil {
			b.Fatal(err)
		}
	}
}
