package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

// longLeaf has 50 texts of 100 kB, 5 MB in all, in one object.
const longLeaf = 100_000

func executeReserving(t *testing.T, most int, slots writeSlots, reserve func(bytes int) error) string {
	t.Helper()
	var query strings.Builder
	for i := range 50 {
		fmt.Fprintf(&query, " a%d:s", i)
	}
	fx := &fixture{sdl: `type Query { t: T } type T { s: String }`, resolvers: map[string]resolver{
		"Query.t": returns(obj("T", "s", strings.Repeat("x", longLeaf))),
	}}
	schema := fx.build()
	schema.slots = slots
	e := newExecutor(schema)
	e.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		return next(WithReserve(WithBounds(ctx, &Bounds{Bytes: most}), reserve))
	})
	return execute(e, "{t{"+query.String()+"}}", "", nil)
}

func TestLongDataReserveMemory(t *testing.T) {
	var reserved []int
	response := executeReserving(t, 0, newWriteSlots(), func(bytes int) error {
		reserved = append(reserved, bytes>>20)
		return nil
	})
	if len(response) < 50*longLeaf || fmt.Sprint(reserved) != "[4 16]" {
		t.Errorf("got %d bytes after reservations of %v MiB", len(response), reserved)
	}
}

func TestDataWithoutMemoryAreNull(t *testing.T) {
	calls := 0
	got := executeReserving(t, 0, newWriteSlots(), func(int) error {
		if calls++; calls == 2 {
			return errors.New("no memory")
		}
		return nil
	})
	if want := `{"errors":[{"message":"no memory"}],"data":null}`; got != want || calls != 2 {
		t.Errorf("got %.200s after %d calls, want %s after 2", got, calls, want)
	}
}

func TestLongTextsOfOneObjectAreBounded(t *testing.T) {
	most := 0
	got := executeReserving(t, 2<<20, newWriteSlots(), func(bytes int) error {
		most = max(most, bytes)
		return nil
	})
	if !strings.Contains(got, "the length of the response in bytes exceeds the limit of 2097152") || most > 2<<20 {
		t.Errorf("got %.200s after a reservation of %d bytes", got, most)
	}
}
