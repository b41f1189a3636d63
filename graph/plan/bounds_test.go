package plan

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

func failing(n int, err func(i int) error) *fixture {
	objects, errs := make([]any, n), make(graphql.BatchErrorList, n)
	for i := range objects {
		objects[i], errs[i] = obj("T", "s", "s"), err(i)
	}
	fail := func([]*testObject, map[string]any) ([]any, error) { return make([]any, n), errs }
	return nullable().with(map[string]resolver{"Query.list": returns(objects), "T.t": fail})
}

func (fx *fixture) executeBounded(most int, query string) (response string, unreported int) {
	e := newExecutor(fx.build())
	bounds := &Bounds{Errors: most}
	e.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		return next(WithBounds(ctx, bounds))
	})
	return execute(e, query, "", nil), bounds.Unreported
}

func TestErrorsBeyondTheBoundAreCounted(t *testing.T) {
	same := func(int) error { return errNo }
	for _, test := range []struct {
		name                 string
		n, most              int
		err                  func(i int) error
		reported, unreported int
	}{
		{"at the bound", 4, 4, same, 4, 0},
		{"one above the bound", 5, 4, same, 4, 1},
		{"far above the bound", 10_000, 4, same, 4, 9996},
		{"errors with the same message", 100, 4, func(int) error { return errors.New("no") }, 4, 96},
	} {
		t.Run(test.name, func(t *testing.T) {
			response, unreported := failing(test.n, test.err).executeBounded(test.most, `{list{s t{s}}}`)
			if reported := strings.Count(response, `"message"`); reported != test.reported || unreported != test.unreported {
				t.Errorf("%d errors in the response and %d unreported, want %d and %d",
					reported, unreported, test.reported, test.unreported)
			}
			if all, _ := failing(test.n, test.err).executeBounded(1<<30, `{list{s t{s}}}`); data(all) != data(response) {
				t.Error("the data differ from the data of a response with all errors")
			}
			for i := range min(test.most, test.n) {
				if !strings.Contains(response, fmt.Sprintf(`"path":["list",%d,"t"]`, i)) {
					t.Errorf("error %d is not in the response", i)
				}
			}
		})
	}
	t.Run("a leaf that panics is counted once", func(t *testing.T) {
		fx := failing(10, same).with(map[string]resolver{"T.leaf": returns(panics{})})
		response, unreported := fx.executeBounded(4, `{list{t{s} leaf}}`)
		if reported := strings.Count(response, `"message"`); reported+unreported != 20 {
			t.Errorf("%d errors in the response and %d unreported, want 20 in total", reported, unreported)
		}
	})
	t.Run("a response that is too long has one error", func(t *testing.T) {
		bounds := &Bounds{Errors: 4, Bytes: 10}
		e := newExecutor(failing(10, same).build())
		e.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
			return next(WithBounds(ctx, bounds))
		})
		if response := execute(e, `{list{t{s}}}`, "", nil); strings.Count(response, `"message"`) != 1 || bounds.Unreported != 0 {
			t.Errorf("%d unreported: %s", bounds.Unreported, response)
		}
	})
}

func data(response string) string { return response[strings.Index(response, `"data"`):] }

func TestUnreportedErrorsTakeNoMemory(t *testing.T) {
	allocated := func(n int) uint64 {
		fx := failing(n, func(int) error { return errNo })
		fx.executeBounded(4, `{list{t{s}}}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		fx.executeBounded(4, `{list{t{s}}}`)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	const few, many = 1000, 11_000
	if each := (allocated(many) - allocated(few)) / (many - few); each > 300 {
		t.Errorf("%d bytes per failed object, want 300 at most", each)
	}
}

func TestTooLongResponseIsNull(t *testing.T) {
	for _, test := range []struct {
		name  string
		query string
		most  int
		want  string
	}{
		{"at the bound", `{ts{s}}`, 32, `{"data":{"ts":[{"s":"abc"},{"s":"abc"}]}}`},
		{"above the bound", `{ts{s}}`, 31, `{"errors":[{"message":"the length of the response in bytes exceeds the limit of 31"}],"data":null}`},
		{"above the bound, with other errors", `{ts{no{s} t:no{s} s ts{s}}}`, 36, `{"errors":[{"message":"the length of the response in bytes exceeds the limit of 36"}],"data":null}`},
		{"no bound", `{ts{s t:s u:s}}`, 0, `{"data":{"ts":[{"s":"abc","t":"abc","u":"abc"},{"s":"abc","t":"abc","u":"abc"}]}}`},
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
