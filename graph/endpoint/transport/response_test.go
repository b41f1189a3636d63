package transport

import (
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// seen notes what it is asked to write, and where that lies.
type seen struct {
	text  string
	parts []*byte
	fails error
}

func (s *seen) Write(p []byte) (int, error) {
	s.text += string(p)
	s.parts = append(s.parts, &p[0])
	return len(p), s.fails
}

func TestAMessage(t *testing.T) {
	refused := gqlerror.List{{Message: "a \"b\"\n"}}
	for _, test := range []struct {
		name    string
		message Message
		want    string
	}{
		{"of data", Of("", &graphql.Response{Data: []byte(`{"a":1}`)}, ""), `{"data":{"a":1}}`},
		{"of a refusal has no data", Of("", &graphql.Response{Errors: refused}, ""), `{"errors":[{"message":"a \"b\"\n"}]}`},
		{"has all in the order of the specification, and what stands around it", Of("<", &graphql.Response{Data: []byte(`null`), Errors: refused, Extensions: map[string]any{"b": 1, "a": "<\n"}}, ">"),
			`<{"errors":[{"message":"a \"b\"\n"}],"data":null,"extensions":{"a":"\u003c\n","b":1}}>`},
		{"has extensions that are JSON already as they are", Of("", &graphql.Response{Data: []byte(`null`), Extensions: map[string]any{"plan": json.RawMessage(`{ "<" : 1 }`), "report": 2}}, ""),
			`{"data":null,"extensions":{"plan":{ "<" : 1 },"report":2}}`},
		{"of a text", Text("text"), "text"},
		{"that is empty", Message{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var to seen
			if err := test.message.Write(&to); err != nil || to.text != test.want || test.message.Len() != len(test.want) {
				t.Errorf("%q of %d bytes: %v", to.text, test.message.Len(), err)
			}
		})
	}
	t.Run("is written without a copy of its data", func(t *testing.T) {
		data := []byte(`{"a":1}`)
		var to seen
		if err := Of("data: ", &graphql.Response{Data: data}, "\n").Write(&to); err != nil || len(to.parts) != 3 || to.parts[1] != &data[0] {
			t.Errorf("%d parts are written: %v", len(to.parts), err)
		}
	})
	t.Run("tells that it can't be written, and goes no further", func(t *testing.T) {
		to := seen{fails: io.ErrClosedPipe}
		if err := Of("", &graphql.Response{Data: []byte(`{}`)}, "").Write(&to); !errors.Is(err, io.ErrClosedPipe) || to.text != `{"data":` {
			t.Errorf("%q: %v", to.text, err)
		}
	})
}
