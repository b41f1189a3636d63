// Package auth tells who asks: the viewer whom a bearer token names, or a stranger. A cookie is never a credential.
//
// A token is a JSON Web Token that this server signed with a secret of its own, or that somebody else signed whose public keys it was given.
package auth

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"twibase/graph/apierr"
)

// Viewer is who asks.
type Viewer struct {
	Username string
	// Admin says that the token makes an administrator: see [Tokens.Dev]. Others are administrators by their role, of which a token
	// says nothing.
	Admin bool
}

type (
	viewerKey struct{}
	expiryKey struct{}
)

// WithViewer returns a ctx of that viewer's.
func WithViewer(ctx context.Context, viewer Viewer) context.Context {
	return context.WithValue(ctx, viewerKey{}, viewer)
}

// ViewerOf returns who asks; ok is false for a stranger.
func ViewerOf(ctx context.Context) (viewer Viewer, ok bool) {
	viewer, ok = ctx.Value(viewerKey{}).(Viewer)
	return viewer, ok
}

// WithExpiry returns a ctx that knows when the viewer's token ends.
func WithExpiry(ctx context.Context, expires time.Time) context.Context {
	return context.WithValue(ctx, expiryKey{}, expires)
}

// ExpiryOf returns when the viewer's token ends; ok is false for a stranger.
func ExpiryOf(ctx context.Context) (expires time.Time, ok bool) {
	expires, ok = ctx.Value(expiryKey{}).(time.Time)
	return expires, ok
}

// urlNames are those of parameters in which clients of others send tokens, in lower case and without what joins words.
var urlNames = []string{"accesstoken", "auth", "authorization", "authtoken", "bearer", "bearertoken", "idtoken", "jwt", "token"}

var unjoined = strings.NewReplacer("_", "", "-", "")

// inURL reports whether a request has a token in its URL, which whoever is on its way writes down.
func inURL(r *http.Request) bool {
	for name := range r.URL.Query() {
		if slices.Contains(urlNames, unjoined.Replace(strings.ToLower(name))) {
			return true
		}
	}
	return false
}

// Handler lets next know the viewer, if the request has a token: Authorization: Bearer TOKEN. One that is not accepted is status 401,
// never a stranger's answer; so is one in the URL. It is safe for concurrent use.
func (t *Tokens) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if inURL(r) {
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_request"`)
			apierr.Unauthenticated("a token does not belong into a URL: send Authorization: Bearer TOKEN, and take this token for known to others").
				Write(w, http.StatusUnauthorized)
			return
		}
		headers := r.Header.Values("Authorization")
		if len(headers) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		ctx, _, err := t.Authenticate(r.Context(), headers...)
		switch {
		case err == nil:
			next.ServeHTTP(w, r.WithContext(ctx))
		case err.Code == apierr.CodeUnavailable:
			w.Header().Set("Retry-After", "30")
			err.Write(w, http.StatusServiceUnavailable)
		default:
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
			err.Write(w, http.StatusUnauthorized)
		}
	})
}

// Authenticate returns the ctx of the viewer whose token an Authorization header has, and when the token ends. The error is as that of
// [Tokens.Verify].
func (t *Tokens) Authenticate(ctx context.Context, headers ...string) (context.Context, time.Time, *apierr.Error) {
	scheme, token, _ := strings.Cut(headers[0], " ")
	if len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return ctx, time.Time{}, ErrScheme
	}
	viewer, expires, err := t.Verify(ctx, strings.TrimSpace(token))
	if err != nil {
		return ctx, time.Time{}, err
	}
	return WithExpiry(WithViewer(ctx, viewer), expires), expires, nil
}
