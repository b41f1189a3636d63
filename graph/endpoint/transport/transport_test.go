package transport

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

func TestMessageHasErrorsBeforeData(t *testing.T) {
	rejected := gqlerror.List{{Message: "a \"b\"\n"}}
	for _, test := range []struct {
		name          string
		before, after string
		response      graphql.Response
		want          string
	}{
		{"of data", "", "", graphql.Response{Data: []byte(`{"a":1}`)}, `{"data":{"a":1}}`},
		{"rejection", "", "", graphql.Response{Errors: rejected}, `{"errors":[{"message":"a \"b\"\n"}]}`},
		{"errors, data, extensions", "<", ">",
			graphql.Response{Data: []byte(`null`), Errors: rejected, Extensions: map[string]any{"b": 1, "a": "<\n"}},
			`<{"errors":[{"message":"a \"b\"\n"}],"data":null,"extensions":{"a":"\u003c\n","b":1}}>`},
		{"extensions in JSON", "", "",
			graphql.Response{Data: []byte(`null`), Extensions: map[string]any{"plan": json.RawMessage(`{"a":1}`), "report": 2}},
			`{"data":null,"extensions":{"plan":{"a":1},"report":2}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Message(test.before, &test.response, test.after); string(got) != test.want {
				t.Errorf("%s", got)
			}
		})
	}
}

type failing struct{ strings.Builder }

func (f *failing) Write(p []byte) (int, error) {
	f.Builder.Write(p)
	return len(p), io.ErrClosedPipe
}

func TestWriteStopsAtAnError(t *testing.T) {
	var to failing
	if err := Write(&to, &graphql.Response{Data: []byte(`{}`)}); !errors.Is(err, io.ErrClosedPipe) ||
		to.String() != `{"data":` {
		t.Errorf("%q: %v", to.String(), err)
	}
}
