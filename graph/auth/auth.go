// Package auth tells who asks: the viewer whom a bearer token names, or a stranger. A cookie is never a credential.
package auth

import (
	"context"
	"net/http"
	"strings"

	"twibase/graph/apierr"
)

// Viewer is who asks.
type Viewer struct {
	Username string
	// Admin says that an administrator asks.
	Admin bool
}

type viewerKey struct{}

// WithViewer returns a ctx of that viewer's.
func WithViewer(ctx context.Context, viewer Viewer) context.Context {
	return context.WithValue(ctx, viewerKey{}, viewer)
}

// ViewerOf returns who asks; ok is false for a stranger.
func ViewerOf(ctx context.Context) (viewer Viewer, ok bool) {
	viewer, ok = ctx.Value(viewerKey{}).(Viewer)
	return viewer, ok
}

// Handler lets next know the viewer, if the request has a token: Authorization: Bearer TOKEN. One that is not accepted is status 401,
// never a stranger's answer. It is safe for concurrent use.
func (t *Tokens) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers := r.Header.Values("Authorization")
		if len(headers) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		viewer, err := t.read(headers)
		if err != nil {
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
			err.Write(w, http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(WithViewer(r.Context(), viewer)))
	})
}

func (t *Tokens) read(headers []string) (Viewer, *apierr.Error) {
	scheme, token, _ := strings.Cut(headers[0], " ")
	if len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return Viewer{}, apierr.Unauthenticated("the Authorization header is not of the form: Bearer TOKEN")
	}
	return t.Verify(strings.TrimSpace(token))
}
