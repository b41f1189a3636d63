package scalar

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"

	"twibase/graph/apierr"
)

func marshal(m graphql.Marshaler) string {
	var b strings.Builder
	m.MarshalGQL(&b)
	return b.String()
}

func TestDateTimeIsWrittenInUTC(t *testing.T) {
	for _, test := range []struct{ name, read, written string }{
		{"seconds", "2014-12-25T08:30:00Z", `"2014-12-25T08:30:00Z"`},
		{"milliseconds", "2014-12-25T08:30:00.125Z", `"2014-12-25T08:30:00.125Z"`},
		{"another time zone", "2014-12-25T16:30:00+08:00", `"2014-12-25T08:30:00Z"`},
		{"the first instant", "1970-01-01T00:00:00Z", `"1970-01-01T00:00:00Z"`},
		{"the last instant", "9999-12-31T23:59:59.999999999Z", `"9999-12-31T23:59:59.999999999Z"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			at, err := UnmarshalDateTime(test.read)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.written, marshal(MarshalDateTime(at))); diff != "" || at.Location() != time.UTC {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnmarshalRejectsInvalidValues(t *testing.T) {
	dateTime := func(v any) error { _, err := UnmarshalDateTime(v); return err }
	for _, test := range []struct {
		name   string
		scalar func(any) error
		value  any
		want   string
	}{
		{"DateTime: a day", dateTime, "2014-12-25", `it must be a time such as 2014-12-25T08:30:00Z, from 1970 on`},
		{"DateTime: before 1970", dateTime, "1969-12-31T23:59:59Z",
			`it must be a time such as 2014-12-25T08:30:00Z, from 1970 on`},
		{"DateTime: a number", dateTime, 5, "it must be a time such as 2014-12-25T08:30:00Z, from 1970 on"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.scalar(test.value)
			if err == nil {
				t.Fatal("got no error")
			}
			public, _ := apierr.Of(err)
			if diff := cmp.Diff(test.want, public.Message); diff != "" || public.Code != apierr.CodeBadUserInput {
				t.Errorf("code %s (-want +got):\n%s", public.Code, diff)
			}
		})
	}
}

func TestMarshalIntPanicsAbove32Bits(t *testing.T) {
	for _, i := range []int{math.MinInt32, math.MaxInt32} {
		if got := string(AppendInt(nil, i)); got != marshal(MarshalInt(i)) || got != strconv.Itoa(i) {
			t.Errorf("%d: got %s", i, got)
		}
	}
	for _, i := range []int{math.MinInt32 - 1, math.MaxInt32 + 1, math.MaxInt64} {
		for name, write := range map[string]func(){
			"append": func() { AppendInt(nil, i) }, "marshal": func() { MarshalInt(i) },
		} {
			func() {
				defer func() {
					rejection, _ := recover().(*apierr.Error)
					if rejection == nil || rejection.Code != apierr.CodeLimitExceeded || rejection.Extensions["actual"] != i {
						t.Errorf("%s %d: got %v, want %s", name, i, rejection, apierr.CodeLimitExceeded)
					}
				}()
				write()
			}()
		}
	}
}
