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

// minSecret is the minimum length of a key for HS256 in bytes (RFC 7518, section 3.2).
const minSecret = 32

// Secrets are the keys of this server's own tokens. The first signs, all verify: to replace a
// secret, put the new one before it, and remove it when its tokens have expired. Secrets is safe
// for concurrent use.
type Secrets struct{ kept *kept[[][]byte] }

// NewSecrets returns secrets that never change: at least one, each of at least 32 bytes.
func NewSecrets(secrets ...[]byte) *Secrets {
	s := &Secrets{newKept[[][]byte](nil, nil)}
	s.kept.value.Store(&secrets)
	return s
}

// ReadSecrets reads secrets from a file: one per line if it is text, otherwise the whole file,
// without a line break at its end.
func ReadSecrets(file string) (*Secrets, error) {
	s := &Secrets{newKept(func(context.Context) ([]byte, error) {
		text, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s does not exist; make a secret with: head -c 32 /dev/urandom | base64 > %[1]s", file)
		}
		return text, err
	}, func(text []byte) ([][]byte, error) { return parseSecrets(file, text) })}
	_, err := s.kept.load(context.Background(), 0)
	return s, err
}

func (s *Secrets) all() [][]byte { return *s.kept.value.Load() }

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
			return nil, fmt.Errorf("line %d of %s has %d bytes, and a secret needs %d; make one with: head -c 32 /dev/urandom | base64 > %[2]s",
				i+1, file, len(line), minSecret)
		}
		secrets = append(secrets, line)
	}
	if secrets == nil {
		return nil, fmt.Errorf("%s is empty; make a secret with: head -c 32 /dev/urandom | base64 > %[1]s", file)
	}
	return secrets, nil
}

// isText distinguishes text from random bytes, which may contain line breaks.
func isText(text []byte) bool {
	return utf8.Valid(text) && !bytes.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' })
}
