package usage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"twibase/graph/endpoint"
)

var (
	web = Client{"web", "1"}
	ios = Client{"ios", "2"}
)

const (
	age = iota
	bio
)

type fixture struct {
	*Usage
	now time.Time
}

func newFixture() *fixture {
	fields := []endpoint.Field{{Name: "User.age"}, {Name: "User.bio", Deprecated: "use text"}}
	return &fixture{New(fields), time.Unix(3600*500_000, 0)}
}

func (f *fixture) add(client Client, operation string, rows int64, failed bool, fields ...int) {
	f.Add(Request{client, operation, "query", rows, failed, fields}, f.now)
}

func TestReportCountsOperationsAndFieldsByClient(t *testing.T) {
	f := newFixture()
	f.add(web, "A", 3, false, age, bio)
	f.now = f.now.Add(time.Hour)
	second := f.now.UTC()
	f.add(web, "A", 4, true, bio)
	f.add(web, "A", 0, false, bio)
	f.add(ios, "B", 1, false, bio)
	f.now = f.now.Add(time.Minute)

	since := second.Add(-time.Hour)
	first := since
	want := &Report{
		Since:      since,
		Operations: []Operation{{"A", "query", web, 3, 1, 7}, {"B", "query", ios, 1, 0, 1}},
		Fields: []Field{
			{"User.age", "", 1, &first, &web, []ClientRequests{{web, 1}}},
			{"User.bio", "use text", 4, &second, &ios, []ClientRequests{{web, 3}, {ios, 1}}},
		},
	}
	if diff := cmp.Diff(want, f.Report(2, f.now)); diff != "" {
		t.Errorf("two hours (-want +got):\n%s", diff)
	}
	want.Since = second
	want.Operations[0] = Operation{"A", "query", web, 2, 1, 4}
	want.Fields[0].Requests, want.Fields[0].Clients = 0, []ClientRequests{}
	want.Fields[1].Requests, want.Fields[1].Clients = 3, []ClientRequests{{web, 2}, {ios, 1}}
	if diff := cmp.Diff(want, f.Report(1, f.now)); diff != "" {
		t.Errorf("one hour (-want +got):\n%s", diff)
	}
}

func TestReportWithoutRequestsHasEmptyLists(t *testing.T) {
	f := newFixture()
	want := &Report{
		Since:      f.now.UTC(),
		Operations: []Operation{},
		Fields: []Field{
			{Field: "User.age", Clients: []ClientRequests{}},
			{Field: "User.bio", Deprecated: "use text", Clients: []ClientRequests{}},
		},
	}
	if diff := cmp.Diff(want, f.Report(1, f.now)); diff != "" {
		t.Error(diff)
	}
}

func TestUsageIsForgottenAfterADay(t *testing.T) {
	f := newFixture()
	f.add(web, "A", 1, false, bio)
	f.now = f.now.Add(Hours * time.Hour)
	for range 2 { // without and with a request of the new hour
		r := f.Report(Hours, f.now)
		if len(r.Operations) > 1 || r.Fields[bio].Requests != 0 {
			t.Errorf("after a day: %+v", r)
		}
		if last := r.Fields[bio].LastClient; last == nil || *last != web {
			t.Error("after a day the last client is ", last)
		}
		f.add(ios, "B", 1, false, age)
	}
}

func TestDeprecatedFieldsAreMetrics(t *testing.T) {
	f := newFixture()
	f.add(web, "A", 1, false, age, bio)
	f.add(web, "A", 1, false, age)
	registry := prometheus.NewRegistry()
	registry.MustRegister(f.Deprecated)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`label:{name:"client" value:"web"} label:{name:"client_version" value:"1"} ` +
		`label:{name:"field" value:"User.bio"} counter:{value:1}`}
	var got []string
	for _, metric := range families[0].Metric {
		metric.Counter.CreatedTimestamp = nil
		got = append(got, strings.Join(strings.Fields(metric.String()), " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOperationsAreBounded(t *testing.T) {
	f := newFixture()
	const more = 7
	for i := range maxOperations + more {
		f.add(web, fmt.Sprint(i), 1, false, bio)
	}
	r := f.Report(1, f.now)
	if n := len(r.Operations); n != maxOperations+1 {
		t.Errorf("%d operations, want %d and other", n, maxOperations)
	}
	if other := r.Operations[0]; other.Operation != "other" || other.Requests != more || other.Rows != more {
		t.Errorf("the most frequent operation is %+v", other)
	}
	if n := r.Fields[bio].Requests; n != maxOperations+more {
		t.Errorf("%d requests for the field", n)
	}
}

func BenchmarkAdd(b *testing.B) {
	names := make([]endpoint.Field, 200)
	u, fields, now := New(names), make([]int, 30), time.Now()
	for i := range fields {
		fields[i] = i
	}
	for b.Loop() {
		u.Add(Request{web, "A", "query", 1, false, fields}, now)
	}
}
