package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"

	"twibase/graph/endpoint"
	"twibase/graph/exec"
	costs "twibase/graph/report"
	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/resolvers"
	"twibase/sample"
	"twibase/transfer"
)

var rewriteReports = flag.Bool("rewrite-reports", false,
	"rewrite testdata/reports and testdata/plans instead of comparing")

func newReportHandler(store hbase.Store, schema graphql.ExecutableSchema) http.Handler {
	return endpoint.New(schema, endpoint.Config{Timeout: time.Minute, RecordCalls: resolvers.RecordCalls,
		Around: loadersOver(store)})
}

func plannedSchema() graphql.ExecutableSchema {
	return exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, tasksOf)
}

func sendQuery(tb testing.TB, handler http.Handler, query, header string) []byte {
	body, err := json.Marshal(map[string]any{"query": query})
	if err != nil {
		tb.Fatal(err)
	}
	r := httptest.NewRequestWithContext(tb.Context(), http.MethodPost, "/graphql", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if header != "" {
		r.Header.Set(costs.Header, header)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Body.Bytes()
}

// reported checks that times are plausible, and sets them to 0.
func reported(t *testing.T, body []byte) (r costs.Report, text string) {
	t.Helper()
	var answer struct {
		Errors     json.RawMessage
		Extensions struct{ Report *costs.Report }
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Errors != nil || answer.Extensions.Report == nil {
		t.Fatal(err, string(excerpt(body)))
	}
	r = *answer.Extensions.Report
	if r.DurationMs <= 0 {
		t.Error("durationMs is 0")
	}
	for i := range r.Levels {
		l := &r.Levels[i]
		if l.StartMs < 0 || l.StartMs+l.Ms > r.DurationMs {
			t.Errorf("level %d takes from %g to %g ms of %g", i+1, l.StartMs, l.StartMs+l.Ms, r.DurationMs)
		}
		for j := range l.Servers {
			s := &l.Servers[j]
			if s.StartMs < 0 || s.StartMs+s.Ms > l.Ms+0.001 {
				t.Errorf("server %s takes from %g to %g ms of %g", s.Name, s.StartMs, s.StartMs+s.Ms, l.Ms)
			}
			s.StartMs, s.Ms = 0, 0
		}
		l.StartMs, l.Ms = 0, 0
		for j := range r.Levels[i].Loaders {
			r.Levels[i].Loaders[j].Ms = 0
		}
	}
	r.DurationMs = 0
	indented, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return r, string(indented) + "\n"
}

func example(tb testing.TB, name string) string {
	query, err := os.ReadFile("../graph/playground/examples/" + name + ".graphql")
	if err != nil {
		tb.Fatal(err)
	}
	return string(query)
}

func sampleStore(tb testing.TB) hbase.Store {
	store := inMemory(tb)
	if _, err := transfer.EnsureTables(tb.Context(), store, 1); err != nil {
		tb.Fatal(err)
	}
	if err := sample.Load(tb.Context(), store); err != nil {
		tb.Fatal(err)
	}
	return store
}

// -rewrite-reports rewrites testdata/reports.
func TestReportsMatchTheRecordedReads(t *testing.T) {
	recorder := hbasetest.NewRecorder(sampleStore(t), hbasetest.Names{})
	planned := newReportHandler(recorder, plannedSchema())
	stock := newReportHandler(recorder, stockSchema())
	for _, name := range []string{"1-followers", "3-comments", "4-departments", "6-games", "7-nodes", "8-likes"} {
		query := example(t, name)
		t.Run(name, func(t *testing.T) {
			recorder.Reset()
			r, text := reported(t, sendQuery(t, planned, query, "1"))
			golden(t, filepath.Join("testdata/reports", name+".json"), text)
			compareWithRecorder(t, r, recorder)
		})
		t.Run(name+" by the stock executor", func(t *testing.T) {
			recorder.Reset()
			r, _ := reported(t, sendQuery(t, stock, query, "1"))
			if r.Executor != "stock" || r.Reason != "unplanned" {
				t.Errorf("got the executor %q and the reason %q, want stock and unplanned", r.Executor, r.Reason)
			}
			compareWithRecorder(t, r, recorder)
		})
	}
	t.Run("a scan is a level", func(t *testing.T) {
		recorder.Reset()
		r, text := reported(t, sendQuery(t, planned, `{users(first:2){nodes{username}}}`, "1"))
		want := `"levels":[{"path":["users"],"loaders":[{"name":"users","keys":0,"hits":0,"gets":0,"ms":0}],"rpcs":1,"regionServers":1,` +
			`"servers":[{"name":"embedded","rpcs":1,"gets":0,"startMs":0,"ms":0}],"tables":["users"],` +
			`"gets":0,"scans":1,"rows":3,"bytes":61,"startMs":0,"ms":0}]`
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(text)); err != nil || !strings.Contains(compact.String(), want) {
			t.Error(err, compact.String())
		}
		compareWithRecorder(t, r, recorder)
	})
	t.Run("no reads, no levels", func(t *testing.T) {
		if got := sendQuery(t, planned, `{__typename}`, "1"); !bytes.Contains(got, []byte(`"rounds":0,"rpcs":0,`)) ||
			!bytes.Contains(got, []byte(`"levels":[]`)) {
			t.Error(string(got))
		}
	})
	t.Run("without the header there are no extensions", func(t *testing.T) {
		query := example(t, "1-followers")
		want, _, _ := bytes.Cut(sendQuery(t, planned, query, "1"), []byte(`,"extensions":`))
		for _, header := range []string{"", "0"} {
			if diff := cmp.Diff(string(want)+"}", string(sendQuery(t, planned, query, header))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
	t.Run("with --production there is no report", func(t *testing.T) {
		public := endpoint.New(plannedSchema(),
			endpoint.Config{Timeout: time.Minute, RecordCalls: resolvers.RecordCalls, Production: true,
				Around: loadersOver(recorder)})
		query := example(t, "1-followers")
		if diff := cmp.Diff(string(sendQuery(t, planned, query, "")), string(sendQuery(t, public, query, "1"))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("a rejected request has no report", func(t *testing.T) {
		if got := sendQuery(t, planned, `{nothing}`, "1"); bytes.Contains(got, []byte("report")) ||
			!bytes.Contains(got, []byte(`"errors"`)) {
			t.Error(string(got))
		}
	})
}

func compareWithRecorder(t *testing.T, r costs.Report, recorder *hbasetest.Recorder) {
	t.Helper()
	gets, scans := 0, 0
	for _, line := range recorder.Reads() {
		if strings.HasPrefix(line, "Get ") {
			gets++
		} else {
			scans++
		}
	}
	calls := len(recorder.Calls())
	want := fmt.Sprintf("%d rounds and RPCs, %d Gets, %d by loaders, %d scans, 0 fallbacks", calls, gets, gets, scans)
	byLoaders, rpcs := 0, int64(0)
	for _, level := range r.Levels {
		rpcs += level.RPCs
		sent, received := int64(0), int64(0)
		for _, s := range level.Servers {
			sent, received = sent+s.RPCs, received+s.Gets
		}
		if sent != level.RPCs || received != level.Gets || len(level.Servers) != level.RegionServers {
			t.Errorf("%d RPCs and %d Gets by %d region servers; the level has %d, %d and %d",
				sent, received, len(level.Servers), level.RPCs, level.Gets, level.RegionServers)
		}
		for _, l := range level.Loaders {
			byLoaders += l.Gets
		}
	}
	if r.RPCs != int64(r.Rounds) || rpcs != r.RPCs {
		t.Errorf("%d RPCs in %d rounds, by levels %d", r.RPCs, r.Rounds, rpcs)
	}
	if got := fmt.Sprintf("%d rounds and RPCs, %d Gets, %d by loaders, %d scans, %d fallbacks",
		r.Rounds, r.Gets, byLoaders, r.Scans, r.Stalls); got != want {
		t.Errorf("reported %s; recorded %s", got, want)
	}
}

func golden(t *testing.T, path, text string) {
	t.Helper()
	if *rewriteReports {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func sendWithReports(t testing.TB) map[string]func() {
	store := sampleStore(t)
	query := example(t, "1-followers")
	without := endpoint.New(plannedSchema(), endpoint.Config{Timeout: time.Minute,
		Around: loadersOver(store)})
	with := newReportHandler(store, plannedSchema())
	return map[string]func(){
		"none": func() { sendQuery(t, without, query, "") },
		"off":  func() { sendQuery(t, with, query, "") },
		"on":   func() { sendQuery(t, with, query, "1") },
	}
}

func TestReportIsFreeUnlessRequested(t *testing.T) {
	send := sendWithReports(t)
	none, off, on := testing.AllocsPerRun(200, send["none"]), testing.AllocsPerRun(200, send["off"]),
		testing.AllocsPerRun(200, send["on"])
	if off > none+2 || on < off+20 {
		t.Errorf("%.0f allocations without reports, %.0f without the header, %.0f with a report", none, off, on)
	}
}

func BenchmarkReport(b *testing.B) {
	send := sendWithReports(b)
	for _, name := range []string{"none", "off", "on"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				send[name]()
			}
		})
	}
}
