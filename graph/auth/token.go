package auth

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"twibase/graph/apierr"
	"twibase/hbase/tables"
)

// Lifetime is how long a token of [Tokens.Sign] is good for.
const Lifetime = time.Hour

// minSecret is how many bytes HS256 needs of its key (RFC 7518, section 3.2).
const minSecret = 32

// Tokens signs and verifies tokens: JSON Web Tokens with HS256, whose subject is a username. It is safe for concurrent use.
// Nil accepts no token.
type Tokens struct {
	// Secret is the key, as [ReadSecret] returns it.
	Secret []byte
	// Dev honours the claim admin.
	Dev bool
	// Now is the clock.
	Now func() time.Time
}

// ReadSecret reads the key that the file holds; a line break at its end does not count. Its errors say what to mend.
func ReadSecret(file string) ([]byte, error) {
	secret, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist; make a secret with: head -c 32 /dev/urandom | base64 > %[1]s", file)
	case err != nil:
		return nil, err
	}
	secret = bytes.TrimRight(secret, "\r\n")
	if len(secret) < minSecret {
		return nil, fmt.Errorf("%s has %d bytes, and a secret needs %d; make one with: head -c 32 /dev/urandom | base64 > %[1]s",
			file, len(secret), minSecret)
	}
	return secret, nil
}

type claims struct {
	jwt.RegisteredClaims
	Admin bool `json:"admin,omitempty"`
}

// Sign returns a token for the viewer, which need not be known to any store. It is [tables.ErrName] if that can't be a username.
func (t *Tokens) Sign(viewer Viewer) (string, error) {
	if err := tables.CheckUsername(viewer.Username); err != nil {
		return "", err
	}
	now := t.Now()
	return jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Subject:   viewer.Username,
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(now.Add(Lifetime)),
		},
		Admin: viewer.Admin,
	}).SignedString(t.Secret)
}

// Verify returns the viewer whom a token names. The error is UNAUTHENTICATED, and says no more than its holder may know.
func (t *Tokens) Verify(token string) (Viewer, *apierr.Error) {
	if t == nil {
		return Viewer{}, apierr.Unauthenticated("this server takes no tokens: it was started without --jwt-secret-file")
	}
	var c claims
	_, err := jwt.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return t.Secret, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(), jwt.WithStrictDecoding(),
		jwt.WithTimeFunc(t.Now))
	switch {
	case err == nil && tables.CheckUsername(c.Subject) == nil:
		return Viewer{Username: c.Subject, Admin: c.Admin && t.Dev}, nil
	case errors.Is(err, jwt.ErrTokenExpired):
		return Viewer{}, apierr.Unauthenticated("the token has expired: get a new one")
	case errors.Is(err, jwt.ErrTokenNotValidYet):
		return Viewer{}, apierr.Unauthenticated("the token is not valid yet")
	}
	return Viewer{}, apierr.Unauthenticated("the token is not one of this server's")
}
