// Package password hashes and verifies passwords with Argon2id.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/crypto/argon2"
)

// ErrFormat is the error of a malformed hash.
var ErrFormat = errors.New("not a hash of a password")

// Params are cost parameters.
type Params struct {
	KiB     uint32 // of memory
	Passes  uint32
	Threads uint8
}

// Default is OWASP's recommendation. A hash takes about 20 ms.
var Default = Params{KiB: 19 << 10, Passes: 2, Threads: 1}

// maxParams bounds the parameters of stored hashes: a corrupt row must not exhaust the memory.
var maxParams = Params{KiB: 256 << 10, Passes: 16, Threads: 16}

// RFC 9106, section 4
const (
	saltSize = 16
	hashSize = 32
)

// Derive is like [argon2.IDKey].
type Derive func(password, salt []byte, passes, kib uint32, threads uint8, size uint32) []byte

// Hasher hashes at most one password per processor at a time, to bound the memory. It is safe for
// concurrent use.
type Hasher struct {
	params Params
	derive Derive
	slots  chan struct{}
	// absent is compared with the password of an unknown account.
	absent phc
}

// New returns a Hasher with [Default].
func New() *Hasher { return With(Default, argon2.IDKey) }

// With returns a Hasher for tests.
func With(params Params, derive Derive) *Hasher {
	return &Hasher{
		params: params, derive: derive, slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
		absent: phc{params, random(saltSize), random(hashSize)},
	}
}

// Hash hashes a password with a new salt, in the PHC string format.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	p := phc{Params: h.params, salt: random(saltSize)}
	var err error
	if p.hash, err = h.work(ctx, password, p); err != nil {
		return "", err
	}
	return p.String(), nil
}

// Verify reports whether the password has the hash. stale is true if a right password's hash has
// old parameters. The empty hash matches no password, but takes the same time.
func (h *Hasher) Verify(ctx context.Context, password, hash string) (right, stale bool, err error) {
	p := h.absent
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
	_, _ = rand.Read(b) // never fails
	return b
}

type phc struct {
	Params
	salt, hash []byte
}

// A hash has one representation.
var encoding = base64.RawStdEncoding.Strict()

func (p phc) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.KiB, p.Passes, p.Threads,
		encoding.EncodeToString(p.salt), encoding.EncodeToString(p.hash))
}

func parse(s string) (p phc, err error) {
	var version int
	var salt, hash string
	const format = "$argon2id$v=%d$m=%d,t=%d,p=%d$%22s$%43s"
	_, err = fmt.Sscanf(s, format, &version, &p.KiB, &p.Passes, &p.Threads, &salt, &hash)
	if err == nil {
		p.salt, err = encoding.DecodeString(salt)
	}
	if err == nil {
		p.hash, err = encoding.DecodeString(hash)
	}
	switch {
	case err != nil, version != argon2.Version, p.String() != s, len(p.salt) != saltSize, len(p.hash) != hashSize,
		p.Passes < 1, p.Threads < 1, p.KiB > maxParams.KiB, p.Passes > maxParams.Passes, p.Threads > maxParams.Threads:
		return phc{}, ErrFormat
	}
	return p, nil
}
