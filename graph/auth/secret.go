package auth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"unicode"
	"unicode/utf8"
)

// minSecret is in bytes (RFC 7518, section 3.2).
const minSecret = 32

// Secrets are the keys of tokens that this server issues, safe for concurrent use. The first signs,
// and all verify. To replace a secret, add the new one as the first line, and remove the old one
// when its tokens have expired.
type Secrets struct{ secrets *reloaded[[][]byte] }

// NewSecrets returns fixed secrets: at least one, of at least 32 bytes.
func NewSecrets(secrets ...[]byte) *Secrets {
	s := &Secrets{newReloaded[[][]byte](nil, nil)}
	s.secrets.current.Store(&secrets)
	return s
}

// ReadSecrets reads a file with a secret per line. A file that is not text is one secret, without
// line breaks at its end.
func ReadSecrets(file string) (*Secrets, error) {
	s := &Secrets{newReloaded(func(context.Context) ([]byte, error) {
		text, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s does not exist; make a secret with: head -c 32 /dev/urandom | base64 > %[1]s", file)
		}
		return text, err
	}, func(text []byte) ([][]byte, error) { return parseSecrets(file, text) })}
	_, err := s.secrets.load(context.Background(), 0)
	return s, err
}

// Failing reports whether the last read failed.
func (s *Secrets) Failing() bool { return s.secrets.failing.Load() }

func (s *Secrets) all() [][]byte { return *s.secrets.current.Load() }

func parseSecrets(file string, text []byte) ([][]byte, error) {
	lines := [][]byte{bytes.TrimRight(text, "\r\n")}
	if isText(text) {
		lines = bytes.Split(text, []byte("\n"))
	}
	var secrets [][]byte
	for i, line := range lines {
		if line = bytes.TrimRight(line, "\r"); len(line) == 0 && len(lines) > 1 {
			continue
		}
		if len(line) < minSecret {
			return nil, fmt.Errorf("line %d of %s has %d bytes, and a secret needs %d; "+
				"make one with: head -c 32 /dev/urandom | base64 > %[2]s", i+1, file, len(line), minSecret)
		}
		secrets = append(secrets, line)
	}
	if secrets == nil {
		return nil, fmt.Errorf("%s has no secret; make one with: head -c 32 /dev/urandom | base64 > %[1]s", file)
	}
	return secrets, nil
}

func isText(text []byte) bool {
	return utf8.Valid(text) && !bytes.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
	})
}
