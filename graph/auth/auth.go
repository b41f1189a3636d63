// Package auth authenticates requests: a bearer token names the viewer. Cookies are never
// credentials.
package auth

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"twibase/graph/apierr"
)

// Viewer is the user of a token.
type Viewer struct {
	Username string
	// Admin: the token has the admin claim, and [Tokens.Dev] honours it. Other administrators have
	// a role, which tokens do not contain.
	Admin bool
}

type (
	viewerKey struct{}
	expiryKey struct{}
)

// WithViewer returns a ctx with a viewer.
func WithViewer(ctx context.Context, viewer Viewer) context.Context {
	return context.WithValue(ctx, viewerKey{}, viewer)
}

// ViewerOf returns false if ctx has no viewer.
func ViewerOf(ctx context.Context) (viewer Viewer, ok bool) {
	viewer, ok = ctx.Value(viewerKey{}).(Viewer)
	return viewer, ok
}

// WithExpiry returns a ctx with the expiry of the viewer's token.
func WithExpiry(ctx context.Context, expires time.Time) context.Context {
	return context.WithValue(ctx, expiryKey{}, expires)
}

// ExpiryOf returns false if ctx has no expiry.
func ExpiryOf(ctx context.Context) (expires time.Time, ok bool) {
	expires, ok = ctx.Value(expiryKey{}).(time.Time)
	return expires, ok
}

// urlNames are parameters with tokens, in lower case without separators.
var urlNames = []string{
	"accesstoken", "auth", "authorization", "authtoken", "bearer", "bearertoken", "idtoken", "jwt", "token",
}

var separators = strings.NewReplacer("_", "", "-", "")

// tokenInURL reports tokens in URLs, which proxies and servers log.
func tokenInURL(r *http.Request) bool {
	for name := range r.URL.Query() {
		if slices.Contains(urlNames, separators.Replace(strings.ToLower(name))) {
			return true
		}
	}
	return false
}

// Handler puts the viewer of Authorization: Bearer TOKEN into the context. An invalid token, or one
// in the URL, is status 401, never anonymous.
func (t *Tokens) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tokenInURL(r) {
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_request"`)
			apierr.Unauthenticated("a token must not be in a URL: send it as Authorization: Bearer TOKEN, "+
				"and treat this token as disclosed").Write(w, http.StatusUnauthorized)
			return
		}
		headers := r.Header.Values("Authorization")
		if len(headers) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		ctx, err := t.Authenticate(r.Context(), headers...)
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

// Authenticate adds the viewer and the expiry of an Authorization header to ctx. It returns the
// errors of [Tokens.Verify], and [ErrScheme].
func (t *Tokens) Authenticate(ctx context.Context, headers ...string) (context.Context, *apierr.Error) {
	scheme, token, _ := strings.Cut(headers[0], " ")
	if len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return ctx, ErrScheme
	}
	viewer, expires, err := t.Verify(ctx, strings.TrimSpace(token))
	if err != nil {
		return ctx, err
	}
	return WithExpiry(WithViewer(ctx, viewer), expires), nil
}
