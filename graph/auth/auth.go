// Package auth authenticates requests: the viewer is the user that a bearer token names. A cookie
// is never a credential.
//
// A token is a JSON Web Token, signed with a secret of this server or with a key of an issuer whose
// public keys the server was given.
package auth

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"twibase/graph/apierr"
)

// Viewer is the user whose token a request has.
type Viewer struct {
	Username string
	// Admin is whether the token has the admin claim, and [Tokens.Dev] honours it. Other
	// administrators have a role, which is not in the token.
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

// ViewerOf returns the viewer of ctx; ok is false without one.
func ViewerOf(ctx context.Context) (viewer Viewer, ok bool) {
	viewer, ok = ctx.Value(viewerKey{}).(Viewer)
	return viewer, ok
}

// WithExpiry returns a ctx with the time at which the viewer's token expires.
func WithExpiry(ctx context.Context, expires time.Time) context.Context {
	return context.WithValue(ctx, expiryKey{}, expires)
}

// ExpiryOf returns when the viewer's token expires; ok is false without a viewer.
func ExpiryOf(ctx context.Context) (expires time.Time, ok bool) {
	expires, ok = ctx.Value(expiryKey{}).(time.Time)
	return expires, ok
}

// urlNames are URL parameters in which some clients send tokens, in lower case and without
// separators.
var urlNames = []string{"accesstoken", "auth", "authorization", "authtoken", "bearer", "bearertoken", "idtoken", "jwt", "token"}

var separators = strings.NewReplacer("_", "", "-", "")

// inURL reports whether a request has a token in its URL, which proxies and servers log.
func inURL(r *http.Request) bool {
	for name := range r.URL.Query() {
		if slices.Contains(urlNames, separators.Replace(strings.ToLower(name))) {
			return true
		}
	}
	return false
}

// Handler puts the viewer into the context, if the request has a token: Authorization: Bearer
// TOKEN. A token that is not accepted, or that is in the URL, is status 401; the request is never
// served anonymously. It is safe for concurrent use.
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

// Authenticate returns a ctx with the viewer of the token in an Authorization header, and with the token's expiry. The
// errors are those of [Tokens.Verify], and [ErrScheme].
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
