package plan

import (
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

func TestStringsAreEscapedAsGqlgenEscapesThem(t *testing.T) {
	for c := range 256 {
		for length := range 20 {
			for at := range length {
				s := strings.Repeat("x", at) + string([]byte{byte(c)}) + strings.Repeat("y", length-at-1)
				var want strings.Builder
				graphql.MarshalString(s).MarshalGQL(&want)
				if got := string(AppendString(nil, s)); got != want.String() {
					t.Fatalf("%q: got %s, want %s", s, got, want.String())
				}
			}
		}
	}
	if got, want := string(AppendString([]byte(">"), "\"\n\\ 开发部 \x00")), `>"\"\n\\ 开发部 \u0000"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
