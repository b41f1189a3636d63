package plan

import (
	"context"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

func TestAnAnswerThatIsTooLongIsNotGiven(t *testing.T) {
	for _, test := range []struct {
		name  string
		query string
		most  int
		want  string
	}{
		{"one of so many bytes is", `{ts{s}}`, 32, `{"data":{"ts":[{"s":"abc"},{"s":"abc"}]}}`},
		{"one of more is not", `{ts{s}}`, 31, `{"errors":[{"message":"the answer in bytes is limited to 31, and this has more"}],"data":null}`},
		{"nor are its other errors", `{ts{no{s} t:no{s} s ts{s}}}`, 36, `{"errors":[{"message":"the answer in bytes is limited to 36, and this has more"}],"data":null}`},
		{"without a bound every one is", `{ts{s t:s u:s}}`, 0, `{"data":{"ts":[{"s":"abc","t":"abc","u":"abc"},{"s":"abc","t":"abc","u":"abc"}]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			one := of("T", "s", "abc", "no", errNo, "ts", list(of("T", "s", "def")))
			w := &world{sdl: `type Query { ts: [T] } type T { s: String, no: T, ts: [T] }`, resolvers: map[string]resolver{"Query.ts": always(list(one, one))}}
			e := engine(w.build())
			e.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
				return next(WithBounds(ctx, &Bounds{Bytes: test.most}))
			})
			if got := ask(e, test.query, "", nil); got != test.want {
				t.Error(got)
			}
			if w.tasks.running != 0 {
				t.Errorf("%d tasks never ended", w.tasks.running)
			}
		})
	}
}
