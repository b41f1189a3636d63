package labels

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type fixture struct {
	*Values
	now     time.Time
	dropped []string
}

func newFixture() *fixture {
	f := &fixture{now: time.Unix(1_000_000, 0)}
	f.Values = New(2, func(value string) { f.dropped = append(f.dropped, value) })
	return f
}

func (f *fixture) of(value string, times int) (label string) {
	for range times {
		label = f.Of(value, false, f.now)
	}
	return label
}

func (f *fixture) check(t *testing.T, dropped ...string) {
	t.Helper()
	if diff := cmp.Diff(dropped, f.dropped); diff != "" {
		t.Errorf("dropped (-want +got):\n%s", diff)
	}
}

func TestFirstValuesHaveSeries(t *testing.T) {
	f := newFixture()
	for _, test := range []struct{ value, want string }{
		{"a", "a"}, {"b", "b"}, {"c", Other}, {"a", "a"}, {"c", Other},
	} {
		if got := f.of(test.value, 1); got != test.want {
			t.Errorf("the label of %s is %s, want %s", test.value, got, test.want)
		}
	}
	if got := f.Of("c", true, f.now); got != "c" {
		t.Error("the label of a reserved value is ", got)
	}
	f.check(t)
}

func TestValueKeepsItsSeries(t *testing.T) {
	f := newFixture()
	f.of("rare", 1)
	f.of("usual", 10)
	for range 48 {
		f.now = f.now.Add(rankInterval)
		f.of("usual", 10)
		f.of("rare", 1)
		f.of("new", 2) // twice as frequent as rare
		if got := f.of("rare", 1); got != "rare" {
			t.Fatal("the label of a value that is used every hour is ", got)
		}
	}
	f.check(t)
}

func TestAFrequentValueReplacesTheLeastUsed(t *testing.T) {
	f := newFixture()
	f.of("junk", 1)
	f.of("usual", 100)
	if got := f.of("frequent", 50); got != Other {
		t.Error("within an hour the label is ", got)
	}
	f.now = f.now.Add(rankInterval)
	if got := f.of("frequent", 1); got != "frequent" {
		t.Error("after an hour the label is ", got)
	}
	if got := f.of("junk", 1); got != Other {
		t.Error("the label of the replaced value is ", got)
	}
	f.check(t, "junk")
}

func TestAnUnusedValueIsDroppedAfterADay(t *testing.T) {
	f := newFixture()
	f.of("a", 1)
	f.Of("trusted", true, f.now)
	f.now = f.now.Add(unusedTimeout - time.Second)
	f.of("b", 1)
	f.check(t)
	f.now = f.now.Add(rankInterval)
	f.of("b", 1)
	slices.Sort(f.dropped)
	f.check(t, "a", "trusted")
	if got := f.of("c", 1); got != "c" {
		t.Error("the label of a new value is ", got)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	f := newFixture()
	for i := range 10_000 {
		f.of(fmt.Sprint(i), 1)
	}
	if n := len(f.own) + len(f.others); n != 4 {
		t.Errorf("%d values are kept: %v", n, slices.Collect(maps.Keys(f.own)))
	}
}

func TestInvalidLabelBecomesOther(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "unknown",
		"@acme/web 1.2":         "@acme/web 1.2",
		"a\nb":                  Other,
		"ü":                     Other,
		"\xff":                  Other,
		strings.Repeat("a", 64): strings.Repeat("a", 64),
		strings.Repeat("a", 65): Other,
	} {
		if got := Text(text, "unknown"); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
