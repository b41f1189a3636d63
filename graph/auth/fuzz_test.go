package auth

import (
	"slices"
	"strings"
	"testing"
	"time"

	"twibase/graph/apierr"
)

// Only signed tokens are accepted.
func FuzzToken(f *testing.F) {
	tokens := Tokens{Secrets: NewSecrets([]byte("a secret of more than 32 bytes, for tests")), Dev: true,
		Now: func() time.Time { return time.Unix(1_500_000_000, 0) }}
	var signed []string
	for _, viewer := range []Viewer{{Username: "LiLei"}, {Username: "小红", Admin: true}} {
		token, _, err := tokens.Sign(viewer)
		if err != nil {
			f.Fatal(err)
		}
		signed = append(signed, token)
		f.Add("Bearer " + token)
		f.Add("bearer  " + token + " ")
		f.Add("Bearer " + token[:len(token)-1])
	}
	for _, header := range []string{"", "Bearer", "Basic TGlMZWk6eA", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJMaUxlaSJ9.",
		"Bearer {}.{}.{}",
		"Bearer eyJhbGciOiJIUzI1NiIsImNyaXQiOlsiZXhwIl19.eyJzdWIiOiJMaUxlaSJ9.AAAA"} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		ctx, rejection := tokens.Authenticate(t.Context(), header)
		if rejection != nil {
			if _, known := ViewerOf(ctx); known || rejection.Code != apierr.CodeUnauthenticated {
				t.Errorf("rejected with %s, viewer known: %v", rejection.Code, known)
			}
			return
		}
		_, token, _ := strings.Cut(header, " ")
		if !slices.Contains(signed, strings.TrimSpace(token)) {
			viewer, _ := ViewerOf(ctx)
			t.Errorf("accepted without a signature as %v", viewer)
		}
	})
}
