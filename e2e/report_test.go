package e2e

import (
	"bytes"
	"context"
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
	"twibase/graph/plan"
	costs "twibase/graph/report"
	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/loaders"
	"twibase/resolvers"
	"twibase/sample"
	"twibase/transfer"
)

var rewriteReports = flag.Bool("rewrite-reports", false, "write the reports of the examples into testdata, instead of comparing them")

// reporting is an endpoint with reports over a store. The schema says which executor it has.
func reporting(store hbase.Store, schema graphql.ExecutableSchema) http.Handler {
	return endpoint.New(schema, endpoint.Config{Timeout: time.Minute, Watch: resolvers.Watch,
		Around: func(ctx context.Context) context.Context { return watchdog.With(ctx, store) }})
}

func plannedSchema() graphql.ExecutableSchema {
	return exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) })
}

// sendFor sends a query, and asks for a report by the value of the header.
func sendFor(tb testing.TB, handler http.Handler, query, header string) []byte {
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

// reported returns an answer's report with its times, which must be there, as zeros.
func reported(t *testing.T, body []byte) (r costs.Report, text string) {
	t.Helper()
	var answer struct {
		Errors     json.RawMessage
		Extensions struct{ Report *costs.Report }
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Errors != nil || answer.Extensions.Report == nil {
		t.Fatal(err, string(cut(body)))
	}
	r = *answer.Extensions.Report
	if r.DurationMs <= 0 {
		t.Error("the whole took no time")
	}
	r.DurationMs = 0
	for i := range r.Levels {
		r.Levels[i].Ms = 0
		for j := range r.Levels[i].Loaders {
			r.Levels[i].Loaders[j].Ms = 0
		}
	}
	indented, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return r, string(indented) + "\n"
}

// example reads an example query of the IDE.
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

// TestReport holds the reports of examples to what testdata/reports says, and to what the store was really asked. Rewrite the files with
// -rewrite-reports, and read the difference.
func TestReport(t *testing.T) {
	recorder := hbasetest.NewRecorder(sampleStore(t), hbasetest.Names{})
	planned := reporting(recorder, plannedSchema())
	stock := reporting(recorder, oracleSchema())
	for _, name := range []string{"1-followers", "3-comments", "4-departments", "6-games", "7-nodes", "8-likes"} {
		query := example(t, name)
		t.Run(name, func(t *testing.T) {
			recorder.Reset()
			r, text := reported(t, sendFor(t, planned, query, "1"))
			golden(t, filepath.Join("testdata/reports", name+".json"), text)
			asRecorded(t, r, recorder)
		})
		t.Run(name+" by the stock executor", func(t *testing.T) {
			recorder.Reset()
			r, _ := reported(t, sendFor(t, stock, query, "1"))
			if r.Executor != "stock" || r.Reason != "unplanned" {
				t.Errorf("the executor is %q, the reason %q", r.Executor, r.Reason)
			}
			asRecorded(t, r, recorder)
		})
	}
	t.Run("a scan is a level", func(t *testing.T) {
		recorder.Reset()
		r, text := reported(t, sendFor(t, planned, `{users(first:2){nodes{username}}}`, "1"))
		want := `"levels":[{"path":["users"],"loaders":[{"name":"users","keys":0,"hits":0,"gets":0,"ms":0}],"rpcs":1,"regionServers":1,"ms":0}]`
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(text)); err != nil || !strings.Contains(compact.String(), want) {
			t.Error(err, compact.String())
		}
		asRecorded(t, r, recorder)
	})
	t.Run("what reads nothing has no levels", func(t *testing.T) {
		if got := sendFor(t, planned, `{__typename}`, "1"); !bytes.Contains(got, []byte(`"rounds":0,"rpcs":0,`)) || !bytes.Contains(got, []byte(`"levels":[]`)) {
			t.Error(string(got))
		}
	})
	t.Run("without the header there are no extensions, and the data are the same", func(t *testing.T) {
		query := example(t, "1-followers")
		want, _, _ := bytes.Cut(sendFor(t, planned, query, "1"), []byte(`,"extensions":`))
		for _, header := range []string{"", "0"} {
			if diff := cmp.Diff(string(want)+"}", string(sendFor(t, planned, query, header))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
	t.Run("in production there is none, as it tells of rows that the viewer may not see", func(t *testing.T) {
		public := endpoint.New(plannedSchema(), endpoint.Config{Timeout: time.Minute, Watch: resolvers.Watch, Production: true,
			Around: func(ctx context.Context) context.Context { return watchdog.With(ctx, recorder) }})
		query := example(t, "1-followers")
		if diff := cmp.Diff(string(sendFor(t, planned, query, "")), string(sendFor(t, public, query, "1"))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("what is refused has no report", func(t *testing.T) {
		if got := sendFor(t, planned, `{nothing}`, "1"); bytes.Contains(got, []byte("report")) || !bytes.Contains(got, []byte(`"errors"`)) {
			t.Error(string(got))
		}
	})
}

// asRecorded compares a report's counts with what the store was asked.
func asRecorded(t *testing.T, r costs.Report, recorder *hbasetest.Recorder) {
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
		for _, l := range level.Loaders {
			byLoaders += l.Gets
		}
	}
	if r.RPCs != int64(r.Rounds) || rpcs != r.RPCs {
		t.Errorf("%d RPCs in %d rounds, by levels %d", r.RPCs, r.Rounds, rpcs)
	}
	if got := fmt.Sprintf("%d rounds and RPCs, %d Gets, %d by loaders, %d scans, %d fallbacks", r.Rounds, r.Gets, byLoaders, r.Scans, r.Stalls); got != want {
		t.Errorf("reported are %s, and recorded were %s", got, want)
	}
}

// golden compares text with a file.
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

// reporters answer a request without reports at all, one that asks for none, and one that does.
func reporters(t testing.TB) map[string]func() {
	store := sampleStore(t)
	query := example(t, "1-followers")
	without := endpoint.New(plannedSchema(), endpoint.Config{Timeout: time.Minute,
		Around: func(ctx context.Context) context.Context { return watchdog.With(ctx, store) }})
	with := reporting(store, plannedSchema())
	return map[string]func(){
		"none": func() { sendFor(t, without, query, "") },
		"off":  func() { sendFor(t, with, query, "") },
		"on":   func() { sendFor(t, with, query, "1") },
	}
}

func TestAReportThatNobodyAsksForCostsNothing(t *testing.T) {
	answer := reporters(t)
	none, off, on := testing.AllocsPerRun(200, answer["none"]), testing.AllocsPerRun(200, answer["off"]), testing.AllocsPerRun(200, answer["on"])
	if off > none+2 || on < off+20 {
		t.Errorf("%.0f allocations without reports, %.0f where none is asked for, %.0f with one", none, off, on)
	}
}

func BenchmarkReport(b *testing.B) {
	answer := reporters(b)
	for _, name := range []string{"none", "off", "on"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				answer[name]()
			}
		})
	}
}
