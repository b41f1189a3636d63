package scalar

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"

	"twibase/graph/apierr"
)

func written(m graphql.Marshaler) string {
	var b strings.Builder
	m.MarshalGQL(&b)
	return b.String()
}

func TestDateTime(t *testing.T) {
	for _, test := range []struct{ name, read, written string }{
		{"whole seconds have no decimals", "2014-12-25T08:30:00Z", `"2014-12-25T08:30:00Z"`},
		{"milliseconds are kept", "2014-12-25T08:30:00.125Z", `"2014-12-25T08:30:00.125Z"`},
		{"every zone becomes UTC", "2014-12-25T16:30:00+08:00", `"2014-12-25T08:30:00Z"`},
		{"the first instant counts", "1970-01-01T00:00:00Z", `"1970-01-01T00:00:00Z"`},
		{"so does the last", "9999-12-31T23:59:59.999999999Z", `"9999-12-31T23:59:59.999999999Z"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			at, err := UnmarshalDateTime(test.read)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.written, written(MarshalDateTime(at))); diff != "" || at.Location() != time.UTC {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsRefused(t *testing.T) {
	dateTime := func(v any) error { _, err := UnmarshalDateTime(v); return err }
	date := func(v any) error { _, err := UnmarshalDate(v); return err }
	address := func(v any) error { _, err := UnmarshalURL(v); return err }
	integer := func(v any) error { _, err := UnmarshalInt(v); return err }
	for _, test := range []struct {
		name   string
		scalar func(any) error
		value  any
		want   string // the message
	}{
		{"a day is no instant", dateTime, "2014-12-25", `it must be a time such as 2014-12-25T08:30:00Z, from 1970 on`},
		{"a time before 1970 is refused", dateTime, "1969-12-31T23:59:59Z",
			`it must be a time such as 2014-12-25T08:30:00Z, from 1970 on`},
		{"a number is no instant", dateTime, 5, "it must be a time such as 2014-12-25T08:30:00Z, from 1970 on"},
		{"a day that does not exist is refused", date, "2014-02-30", `it must be a day such as 2014-12-25, from 1970 on`},
		{"a long text is not echoed whole", date, strings.Repeat("9", 100),
			`it must be a day such as 2014-12-25, from 1970 on`},
		{"a relative URL is refused", address, "/a.png", `it must be an absolute URL with http or https`},
		{"a URL without a host is refused", address, "https://:80", `it must be an absolute URL with http or https`},
		{"a URL that runs a script is refused", address, "javascript:alert(1)", `it must be an absolute URL with http or https`},
		{"a text is no Int", integer, "1", "it must be a whole number from -2147483648 to 2147483647"},
		{"33 bits are no Int", integer, json.Number("2147483648"), "it must be a whole number from -2147483648 to 2147483647"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.scalar(test.value)
			if err == nil {
				t.Fatal("it is accepted")
			}
			public, _ := apierr.Of(err)
			if diff := cmp.Diff(test.want, public.Message); diff != "" || public.Code != apierr.CodeBadUserInput {
				t.Errorf("code %s (-want +got):\n%s", public.Code, diff)
			}
		})
	}
}

func TestWhatIsRead(t *testing.T) {
	if got, err := UnmarshalDate("2014-12-25"); err != nil || written(MarshalDate(got)) != `"2014-12-25"` {
		t.Errorf("a Date is %q, %v", got, err)
	}
	if got, err := UnmarshalURL("https://example.org/小红.png"); err != nil || written(MarshalURL(got)) != `"https://example.org/小红.png"` {
		t.Errorf("a URL is %q, %v", got, err)
	}
	if got, err := UnmarshalInt(json.Number("-2147483648")); err != nil || written(MarshalInt(got)) != "-2147483648" {
		t.Errorf("an Int is %d, %v", got, err)
	}
}

func TestAnIntThatDoesNotFitIsAnErrorOfItsField(t *testing.T) {
	for _, i := range []int{math.MinInt32, math.MaxInt32} {
		if got := string(AppendInt(nil, i)); got != written(MarshalInt(i)) || got != strconv.Itoa(i) {
			t.Errorf("%d is written as %s", i, got)
		}
	}
	for _, i := range []int{math.MinInt32 - 1, math.MaxInt32 + 1, math.MaxInt64} {
		for name, write := range map[string]func(){"append": func() { AppendInt(nil, i) }, "marshal": func() { MarshalInt(i) }} {
			func() {
				defer func() {
					refusal, _ := recover().(*apierr.Error)
					if refusal == nil || refusal.Code != apierr.CodeLimitExceeded || refusal.Extensions["actual"] != i {
						t.Errorf("%s %d: %v", name, i, refusal)
					}
				}()
				write()
			}()
		}
	}
}
