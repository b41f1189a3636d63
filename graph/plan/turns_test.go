package plan

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

func TestLongDataAreWrittenInTurns(t *testing.T) {
	turns := make(Turns, 1)
	var taken []int
	note := func(value string) graphql.Marshaler {
		taken = append(taken, len(turns))
		if value == "panics" && len(taken) == 3 {
			panic("a leaf")
		}
		return graphql.MarshalString(value)
	}
	half := strings.Repeat("x", turnLength/2)
	for _, test := range []struct {
		name   string
		leaves []string
		want   []int
	}{
		{"short data take no turn", []string{"a", "b", half}, []int{0, 0, 0}},
		{"long data take one from the first check on", []string{half, half, "a", half, half, "b"}, []int{0, 0, 1, 1, 1, 1}},
		{"a panic and the second attempt keep it", []string{half, half, "panics"}, []int{0, 0, 1, 1, 1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			taken = nil
			var objects []any
			for _, leaf := range test.leaves {
				objects = append(objects, obj("T", "leaf", leaf))
			}
			schema := nullable().with(map[string]resolver{"Query.list": returns(objects)}).
				withMarshaller(func(_ context.Context, value any) graphql.Marshaler { return note(value.(string)) })
			e := newExecutor(schema)
			e.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
				return next(WithTurns(ctx, turns))
			})
			execute(e, "{list{leaf}}", "", nil)
			if !slices.Equal(taken, test.want) || len(turns) != 0 {
				t.Errorf("turns taken by leaves: %v, want %v; after the response: %d", taken, test.want, len(turns))
			}
		})
	}
}

func TestReservationsHoldNoTurn(t *testing.T) {
	turns := make(Turns, 1)
	reservations := 0
	executeReserving(t, 0, turns, func(int) error {
		reservations++
		if len(turns) > 0 {
			t.Error("a writer that may wait for memory has a turn")
		}
		return nil
	})
	if reservations == 0 {
		t.Error("nothing was reserved")
	}
}

type writerFunc func(data []byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }

func TestWriterTakesTurns(t *testing.T) {
	full := errors.New("full")
	for _, test := range []struct {
		name   string
		turns  Turns
		length int
		want   []int // the turns that are taken when each part is written
		err    error
	}{
		{"short data", make(Turns, 1), turnLength, []int{0}, nil},
		{"long data", make(Turns, 1), 2*turnLength + 1, []int{1, 1, 1}, nil},
		{"an error ends it", make(Turns, 1), 5 * turnLength, []int{1, 1, 1}, full},
		{"no turns", nil, 3 * turnLength, []int{0}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got bytes.Buffer
			var taken []int
			data := bytes.Repeat([]byte("0123456789abcdef"), 5*turnLength/16)[:test.length]
			n, err := test.turns.Writer(writerFunc(func(part []byte) (int, error) {
				if taken = append(taken, len(test.turns)); test.err != nil && len(taken) == len(test.want) {
					return 0, test.err
				}
				return got.Write(part)
			})).Write(data)
			if !errors.Is(err, test.err) || n != got.Len() || !slices.Equal(taken, test.want) || len(test.turns) != 0 {
				t.Errorf("got %d bytes, error %v, turns %v, then %d", n, err, taken, len(test.turns))
			}
			if err == nil && !bytes.Equal(got.Bytes(), data) {
				t.Error("other data were written")
			}
		})
	}
}
