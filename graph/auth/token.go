package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/rs/zerolog"

	"twibase/graph/apierr"
	"twibase/hbase/tables"
)

const (
	// Lifetime is the time from [Tokens.Sign] to the expiry.
	Lifetime = time.Hour
	maxToken = 8 << 10 // bytes
	// leeway is the accepted clock skew of issuers. It does not extend the expiry.
	leeway    = 5 * time.Second
	endOfTime = 253402300799 // the last second of the year 9999
)

// Tokens signs and verifies tokens, and is safe for concurrent use. Nil accepts and signs none.
type Tokens struct {
	// Secrets sign and verify the server's own tokens (HS256); may be nil.
	Secrets *Secrets
	Keys    *KeySet
	// Issuer and Audience, unless empty, are claims that Sign sets and Verify requires.
	Issuer, Audience string
	// Dev honours the admin claim of tokens that Secrets verify, and enables [Tokens.DevHandler].
	Dev bool
	Now func() time.Time
}

// Errors that callers distinguish.
var (
	ErrExpired     = apierr.Unauthenticated("the token has expired: get a new one")
	ErrNotValidYet = apierr.Unauthenticated("the token is not valid yet")
	ErrScheme      = apierr.Unauthenticated("the Authorization header is not of the form: Bearer TOKEN")
)

var algorithms = []jose.SignatureAlgorithm{jose.HS256, jose.RS256, jose.ES256, jose.EdDSA}

type claims struct {
	jwt.Claims
	Admin bool `json:"admin,omitempty"`
}

// Signs reports whether Sign can be called.
func (t *Tokens) Signs() bool { return t != nil && t.Secrets != nil }

// Sign returns a token for a viewer, who needs no account. The error is [tables.ErrName] for an
// invalid username.
func (t *Tokens) Sign(viewer Viewer) (token string, expires time.Time, err error) {
	if err := tables.CheckUsername(viewer.Username); err != nil {
		return "", time.Time{}, err
	}
	key := jose.SigningKey{Algorithm: jose.HS256, Key: t.Secrets.all()[0]}
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", time.Time{}, err
	}
	now := t.Now()
	c := claims{Admin: viewer.Admin, Claims: jwt.Claims{
		Subject:  viewer.Username,
		Issuer:   t.Issuer,
		IssuedAt: jwt.NewNumericDate(now),
		Expiry:   jwt.NewNumericDate(now.Add(Lifetime)),
	}}
	if t.Audience != "" {
		c.Audience = jwt.Audience{t.Audience}
	}
	token, err = jwt.Signed(signer).Claims(c).Serialize()
	return token, c.Expiry.Time().UTC(), err
}

// Verify returns the viewer of a token, and its expiry. The error is UNAUTHENTICATED, or
// UNAVAILABLE while the keys are unknown.
func (t *Tokens) Verify(ctx context.Context, token string) (Viewer, time.Time, *apierr.Error) {
	if t == nil {
		const message = "this server takes no tokens: it was started without --jwt-secret-file and --jwks"
		return Viewer{}, time.Time{}, apierr.Unauthenticated(message)
	}
	c, err := t.open(ctx, token)
	if err == nil {
		err = t.check(c.Claims)
	}
	var public *apierr.Error
	switch {
	case err == nil:
		return Viewer{Username: c.Subject, Admin: c.Admin}, c.Expiry.Time().UTC(), nil
	case errors.Is(err, jwt.ErrExpired):
		public = ErrExpired
	case errors.Is(err, jwt.ErrNotValidYet), errors.Is(err, jwt.ErrIssuedInTheFuture):
		public = ErrNotValidYet
	case errors.Is(err, errNoKeys):
		public = &apierr.Error{Code: apierr.CodeUnavailable, Message: "the keys of tokens are not known yet; try again later"}
	default:
		public = apierr.Unauthenticated("the token is not one of this server's")
	}
	return Viewer{}, time.Time{}, public
}

var errNotAccepted = errors.New("the token is not accepted")

// open returns the claims of a token with a valid signature.
func (t *Tokens) open(ctx context.Context, token string) (c claims, err error) {
	if !isToken(token) {
		return claims{}, errNotAccepted
	}
	parsed, err := jwt.ParseSigned(token, algorithms)
	if err != nil {
		return claims{}, err
	}
	header := parsed.Headers[0]
	var keys []any
	own := header.Algorithm == string(jose.HS256)
	if own && t.Secrets != nil {
		for _, secret := range t.Secrets.all() {
			keys = append(keys, secret)
		}
	} else if !own && t.Keys != nil {
		if keys, err = t.Keys.find(ctx, header.KeyID, header.Algorithm); err != nil {
			return claims{}, err
		}
	}
	for _, key := range keys {
		if c = (claims{}); parsed.Claims(key, &c) == nil {
			c.Admin = c.Admin && own && t.Dev
			return c, nil
		}
	}
	return claims{}, errNotAccepted
}

// isToken requires canonical base64. Go's decoder ignores line breaks and unused bits, so one token
// would have several forms.
func isToken(token string) bool {
	if len(token) > maxToken || strings.ContainsAny(token, "\r\n") {
		return false
	}
	parts := strings.SplitN(token, ".", 4)
	return len(parts) == 3 && !slices.ContainsFunc(parts, func(part string) bool {
		_, err := base64.RawURLEncoding.Strict().DecodeString(part)
		return err != nil || part == ""
	})
}

func (t *Tokens) check(c jwt.Claims) error {
	now := t.Now()
	expected := jwt.Expected{Issuer: t.Issuer, Time: now}
	if t.Audience != "" {
		expected.AnyAudience = jwt.Audience{t.Audience}
	}
	if err := c.ValidateWithLeeway(expected, leeway); err != nil {
		return err
	}
	switch {
	case c.Expiry == nil:
		return errNotAccepted // the token would be valid for ever
	case !now.Before(c.Expiry.Time()):
		return jwt.ErrExpired
	}
	for _, date := range []*jwt.NumericDate{c.Expiry, c.NotBefore, c.IssuedAt} {
		if date != nil && (*date < 0 || *date > endOfTime) {
			return errNotAccepted
		}
	}
	return tables.CheckUsername(c.Subject)
}

// Follow reads changed secrets and keys until ctx is done.
func (t *Tokens) Follow(ctx context.Context, log zerolog.Logger) {
	if t == nil {
		return
	}
	var all sync.WaitGroup
	if t.Secrets != nil {
		all.Go(func() { t.Secrets.secrets.refresh(ctx, log, "secret file", fileInterval) })
	}
	if t.Keys != nil {
		all.Go(func() { t.Keys.keys.refresh(ctx, log, "key set", t.Keys.interval) })
	}
	all.Wait()
}
