// Package password hashes passwords by Argon2id, and compares them.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"runtime"
	"sync"

	"golang.org/x/crypto/argon2"
)

// Derive derives a key from a password, such as [argon2.IDKey].
type Derive func(password, salt []byte, passes, kib uint32, threads uint8, size uint32) []byte

// Hasher hashes passwords, at most one per processor at a time, to limit the memory: other calls
// wait. It is safe for concurrent use.
type Hasher struct {
	params Params
	derive Derive
	slots  chan struct{}
	// absent is compared with the password if there is no account. It is random, not the hash of a
	// password.
	absent func() phc
}

// New returns a Hasher with [Default].
func New() *Hasher { return With(Default, argon2.IDKey) }

// With returns a Hasher with other parameters, and in tests another derivation.
func With(params Params, derive Derive) *Hasher {
	return &Hasher{
		params: params, derive: derive, slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
		absent: sync.OnceValue(func() phc { return phc{params, random(saltSize), random(hashSize)} }),
	}
}

// Hash returns the hash of a password with a new salt, in the PHC string format. It fails only if
// ctx ends while it waits.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	p := phc{Params: h.params, salt: random(saltSize)}
	var err error
	if p.hash, err = h.work(ctx, password, p); err != nil {
		return "", err
	}
	return p.String(), nil
}

// Verify reports whether the password has that hash, and whether the hash is stale: made with other
// parameters than Hash uses. No password has the empty hash, and Verify takes as long for it as for
// any other. The error is [ErrFormat] if the hash cannot be parsed.
func (h *Hasher) Verify(ctx context.Context, password, hash string) (right, stale bool, err error) {
	p := h.absent()
	if hash != "" {
		if p, err = parse(hash); err != nil {
			return false, false, err
		}
	}
	got, err := h.work(ctx, password, p)
	if err != nil {
		return false, false, err
	}
	right = subtle.ConstantTimeCompare(got, p.hash) == 1 && hash != ""
	return right, right && p.Params != h.params, nil
}

// work waits for a slot, and hashes a password with the parameters and the salt of p.
func (h *Hasher) work(ctx context.Context, password string, p phc) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
		return h.derive([]byte(password), p.salt, p.Passes, p.KiB, p.Threads, hashSize), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: it ends the process instead
	return b
}
