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

// failing is a fixture of n objects whose field t fails, each with what the function says.
func failing(n int, with func(i int) error) *fixture {
	objects, errs := make([]any, n), make(graphql.BatchErrorList, n)
	for i := range objects {
		objects[i], errs[i] = obj("T", "s", "s"), with(i)
	}
	return nullable().with(map[string]resolver{"Query.list": returns(objects), "T.t": func([]*testObject, map[string]any) ([]any, error) {
		return make([]any, n), errs
	}})
}

// bounded answers a query in a ctx with a bound of errors, and returns how many are not told.
func (fx *fixture) bounded(most int, query string) (answer string, more int) {
	e := newExecutor(fx.build())
	bounds := &Bounds{Errors: most}
	e.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		return next(WithBounds(ctx, bounds))
	})
	answer = execute(e, query, "", nil)
	return answer, bounds.Unreported
}

func TestErrorsBeyondTheBoundAreCounted(t *testing.T) {
	same := func(int) error { return errNo }
	for _, test := range []struct {
		name       string
		n, most    int
		of         func(i int) error
		told, more int
	}{
		{"as many as are told are told", 4, 4, same, 4, 0},
		{"one more is counted", 5, 4, same, 4, 1},
		{"so are very many", 10_000, 4, same, 4, 9996},
		{"those that say the same are one", 100, 4, func(int) error { return errors.New("no") }, 4, 96},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer, more := failing(test.n, test.of).bounded(test.most, `{list{s t{s}}}`)
			if told := strings.Count(answer, `"message"`); told != test.told || more != test.more {
				t.Errorf("%d errors are told and %d are more, want %d and %d", told, more, test.told, test.more)
			}
			if all, _ := failing(test.n, test.of).bounded(1<<30, `{list{s t{s}}}`); data(all) != data(answer) {
				t.Error("the data are others than where all errors are told")
			}
			for i := range min(test.most, test.n) {
				if !strings.Contains(answer, fmt.Sprintf(`"path":["list",%d,"t"]`, i)) {
					t.Errorf("error %d is not told", i)
				}
			}
		})
	}
	t.Run("a leaf that panics has them counted once", func(t *testing.T) {
		fx := failing(10, same).with(map[string]resolver{"T.leaf": returns(panics{})})
		answer, more := fx.bounded(4, `{list{t{s} leaf}}`)
		if told := strings.Count(answer, `"message"`); told+more != 20 {
			t.Errorf("%d errors are told and %d are more, want 20 in all", told, more)
		}
	})
	t.Run("an answer that is too long has no others", func(t *testing.T) {
		bounds := &Bounds{Errors: 4, Bytes: 10}
		e := newExecutor(failing(10, same).build())
		e.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
			return next(WithBounds(ctx, bounds))
		})
		if answer := execute(e, `{list{t{s}}}`, "", nil); strings.Count(answer, `"message"`) != 1 || bounds.Unreported != 0 {
			t.Errorf("%d are more: %s", bounds.Unreported, answer)
		}
	})
}

// data cuts the data out of an answer.
func data(answer string) string { return answer[strings.Index(answer, `"data"`):] }

func TestUnreportedErrorsTakeNoMemory(t *testing.T) {
	allocated := func(n int) uint64 {
		fx := failing(n, func(int) error { return errNo })
		fx.bounded(4, `{list{t{s}}}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		fx.bounded(4, `{list{t{s}}}`)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	const few, many = 1000, 11_000
	if each := (allocated(many) - allocated(few)) / (many - few); each > 300 {
		t.Errorf("an object whose field fails takes %d bytes", each)
	}
}
