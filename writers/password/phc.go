package password

import (
	"encoding/base64"
	"errors"
	"fmt"

	"golang.org/x/crypto/argon2"
)

// ErrFormat is a hash that can't be read. It does not say which.
var ErrFormat = errors.New("not a hash of a password")

// Params say how much work a hash is.
type Params struct {
	KiB     uint32 // of memory
	Passes  uint32
	Threads uint8
}

// Default is what OWASP recommends for servers: 19 MiB, two passes, one thread, some 20 ms.
var Default = Params{KiB: 19 << 10, Passes: 2, Threads: 1}

// greatest is the most work that is done for a hash that is read: a damaged row must not take all memory.
var greatest = Params{KiB: 256 << 10, Passes: 16, Threads: 16}

// The sizes of RFC 9106, section 4, in bytes.
const (
	saltSize = 16
	hashSize = 32
)

// phc is a hash with all that it takes to make it again.
type phc struct {
	Params
	salt, hash []byte
}

// The encoding is strict, so that a hash has one form.
var encoding = base64.RawStdEncoding.Strict()

// String writes the PHC string format.
func (p phc) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.KiB, p.Passes, p.Threads,
		encoding.EncodeToString(p.salt), encoding.EncodeToString(p.hash))
}

// parse reads what String writes.
func parse(s string) (p phc, err error) {
	var version int
	var salt, hash string
	_, err = fmt.Sscanf(s, "$argon2id$v=%d$m=%d,t=%d,p=%d$%22s$%43s", &version, &p.KiB, &p.Passes, &p.Threads, &salt, &hash)
	if err == nil {
		p.salt, err = encoding.DecodeString(salt)
	}
	if err == nil {
		p.hash, err = encoding.DecodeString(hash)
	}
	switch {
	case err != nil, version != argon2.Version, p.String() != s, len(p.salt) != saltSize, len(p.hash) != hashSize,
		p.Passes < 1, p.Threads < 1, p.KiB > greatest.KiB, p.Passes > greatest.Passes, p.Threads > greatest.Threads:
		return phc{}, ErrFormat
	}
	return p, nil
}
