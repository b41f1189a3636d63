package plan

import (
	"context"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

func TestTooLongResponseIsNull(t *testing.T) {
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
			one := obj("T", "s", "abc", "no", errNo, "ts", list(obj("T", "s", "def")))
			fx := &fixture{sdl: `type Query { ts: [T] } type T { s: String, no: T, ts: [T] }`, resolvers: map[string]resolver{"Query.ts": returns(list(one, one))}}
			e := newExecutor(fx.build())
			e.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
				return next(WithBounds(ctx, &Bounds{Bytes: test.most}))
			})
			if got := execute(e, test.query, "", nil); got != test.want {
				t.Error(got)
			}
			if fx.tasks.running != 0 {
				t.Errorf("%d tasks never ended", fx.tasks.running)
			}
		})
	}
}
