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

func TestVerifyAcceptsOnlyTheSamePassword(t *testing.T) {
	h := New()
	stored := hash(t, h, "correct horse")
	for _, test := range []struct {
		name, password string
		right          bool
	}{
		{"the same", "correct horse", true},
		{"another case", "Correct horse", false},
		{"a prefix", "correct", false},
		{"a suffix", "correct horse ", false},
		{"empty", "", false},
	} {
		right, stale, err := h.Verify(t.Context(), test.password, stored)
		if right != test.right || stale || err != nil {
			t.Errorf("%s: got right %v, stale %v, error %v; want right %v", test.name, right, stale, err, test.right)
		}
	}
	if !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("got hash %s, want the default parameters", stored)
	}
}

func TestHashesOfOnePasswordDiffer(t *testing.T) {
	h := With(quick, argon2.IDKey)
	if a, b := hash(t, h, "correct horse"), hash(t, h, "correct horse"); a == b {
		t.Errorf("got the hash %s twice", a)
	}
}

// Derivations with the same parameters take the same time.
func TestUnknownAccountTakesTheSameTimeAsAWrongPassword(t *testing.T) {
	var calls []string
	h := With(quick, func(password, salt []byte, passes, kib uint32, threads uint8, size uint32) []byte {
		calls = append(calls, fmt.Sprint(len(password), len(salt), passes, kib, threads, size))
		return argon2.IDKey(password, salt, passes, kib, threads, size)
	})
	stored := hash(t, h, "correct horse")
	calls = nil
	for _, of := range []string{stored, ""} {
		if right, _, err := h.Verify(t.Context(), "wrong horse", of); right || err != nil {
			t.Errorf("hash %q: got right %v, error %v; want false, nil", of, right, err)
		}
	}
	if len(calls) != 2 || calls[0] != calls[1] {
		t.Errorf("got derivations %q, want two equal ones", calls)
	}
}

func TestHashWithOtherParametersIsStale(t *testing.T) {
	before, now := With(quick, argon2.IDKey), With(Params{KiB: 16, Passes: 1, Threads: 1}, argon2.IDKey)
	stored := hash(t, before, "correct horse")
	if right, stale, err := now.Verify(t.Context(), "correct horse", stored); !right || !stale || err != nil {
		t.Errorf("got right %v, stale %v, error %v; want true, true, nil", right, stale, err)
	}
	if right, stale, err := now.Verify(t.Context(), "wrong horse", stored); right || stale || err != nil {
		t.Errorf("wrong password: got right %v, stale %v, error %v; want false, false, nil", right, stale, err)
	}
}

func TestCorruptHashIsAnError(t *testing.T) {
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
	for _, damaged := range []string{
		"$", stored[1:], stored + "A", stored + "\n", stored[:len(stored)-1],
		with(1, "argon2i"), with(1, "bcrypt"), with(2, "v=16"), with(2, "v=019"),
		with(3, "m=8,t=0,p=1"), with(3, "m=8,t=1,p=0"), with(3, "m=4294967295,t=1,p=1"), with(3, "m=8,t=4294967295,p=1"),
		with(3, "m=8,t=1,p=255"), with(3, "m=8,t=1,p=256"), with(3, "m=-8,t=1,p=1"), with(3, "m=+8,t=1,p=1"),
		with(3, "m=8,t=1"), with(4, ""),
		with(4, fields[4][1:]), with(5, ""), with(5, "!"+fields[5][1:]), with(5, fields[5][:42]+"/"),
	} {
		if right, _, err := h.Verify(t.Context(), "correct horse", damaged); right || !errors.Is(err, ErrFormat) {
			t.Errorf("%q: got right %v, error %v; want false, ErrFormat", damaged, right, err)
		}
	}
	if n := work.n.Load(); n != 0 {
		t.Errorf("got %d derivations, want 0", n)
	}
}

func TestConcurrentHashesAreBoundedByProcessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 100
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
		for range calls {
			all.Go(func() {
				if _, err := h.Hash(t.Context(), "correct horse"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if most != runtime.GOMAXPROCS(0) || done != calls {
			t.Errorf("got %d concurrent hashes of %d, want %d of %d", most, done, runtime.GOMAXPROCS(0), calls)
		}
	})
}

func TestWaitingCallsEndWithTheirContext(t *testing.T) {
	var work counter
	h := With(quick, work.derive)
	for range cap(h.slots) {
		h.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := h.Hash(ctx, "correct horse"); s != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("Hash: got %q, error %v; want context.Canceled", s, err)
	}
	if right, _, err := h.Verify(ctx, "correct horse", ""); right || !errors.Is(err, context.Canceled) {
		t.Errorf("Verify: got right %v, error %v; want context.Canceled", right, err)
	}
	if n := work.n.Load(); n != 0 {
		t.Errorf("got %d derivations, want 0", n)
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
