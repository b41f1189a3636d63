package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	service "twibase/gateway"
	costs "twibase/graph/report"
	"twibase/hbase"
	"twibase/sample"
	"twibase/transfer"
)

const (
	remoteTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	remoteSpan  = "00f067aa0ba902b7"
)

// traced is a gateway whose spans are kept.
type traced struct {
	http.Handler
	spans *tracetest.InMemoryExporter
	log   *bytes.Buffer
}

func newTraced(t *testing.T, store hbase.Store, options ...sdk.TracerProviderOption) *traced {
	t.Helper()
	spans, log := tracetest.NewInMemoryExporter(), new(bytes.Buffer)
	provider := sdk.NewTracerProvider(append(options, sdk.WithSyncer(spans))...)
	g := service.New(store, service.Config{Traces: provider, Shared: true})
	return &traced{g.Public, spans, log}
}

// ask sends a query as part of a remote trace, and returns the body of the response.
func (g *traced) ask(t *testing.T, query, flags string) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(zerolog.New(g.log).WithContext(t.Context()), http.MethodPost, "/graphql",
		bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(costs.Header, "1")
	r.Header.Set("traceparent", "00-"+remoteTrace+"-"+remoteSpan+"-"+flags)
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w.Body.Bytes()
}

// The spans of the example query are a request with its rounds, and their RPCs, as in the report.
func TestSpans(t *testing.T) {
	t.Run("embedded", func(t *testing.T) { checkSpans(t, sampleStore(t)) })
	t.Run("HBase", func(t *testing.T) {
		store := onHBase(t)
		if _, err := transfer.EnsureTables(t.Context(), store, 3); err != nil {
			t.Fatal(err)
		}
		if err := sample.Load(t.Context(), store); err != nil {
			t.Fatal(err)
		}
		checkSpans(t, store)
	})
}

func checkSpans(t *testing.T, store hbase.Store) {
	g := newTraced(t, store)
	r, _ := reported(t, g.ask(t, example(t, "1-followers"), "01"))
	var want strings.Builder
	fmt.Fprintf(&want, "query Followers gets=%d rounds=%d rpcs=%d\n", r.Gets, r.Rounds, r.RPCs)
	for _, level := range r.Levels {
		fmt.Fprintf(&want, "  round gets=%d rpcs=%d\n", level.Gets, level.RPCs)
		for _, server := range level.Servers {
			if server.Name == "embedded" {
				continue // it has no RPCs
			}
			fmt.Fprintf(&want, "    RPCs to %s gets=%d\n", server.Name, server.Gets)
		}
	}
	if diff := cmp.Diff(want.String(), spanTree(g.spans.GetSpans(), remoteSpan, "")); diff != "" {
		t.Errorf("(-report +spans):\n%s", diff)
	}
	if !strings.Contains(g.log.String(), `"trace_id":"`+remoteTrace+`"`) {
		t.Error("the log has no trace: ", g.log)
	}
}

// spanTree renders spans below a parent, by their start; calls of a server are one line.
func spanTree(spans tracetest.SpanStubs, parent, indent string) string {
	var tree strings.Builder
	var servers []string
	gets := map[string]int64{}
	slices.SortStableFunc(spans, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	for _, s := range spans {
		if s.Parent.SpanID().String() != parent {
			continue
		}
		if address := attributeOf(s, "server.address").AsString(); address != "" {
			server := fmt.Sprintf("%s:%d", address, attributeOf(s, "server.port").AsInt64())
			if gets[server] == 0 {
				servers = append(servers, server)
			}
			gets[server] += attributeOf(s, "db.operation.batch.size").AsInt64()
			continue
		}
		tree.WriteString(indent + s.Name)
		for _, name := range []string{"gets", "rounds", "rpcs"} {
			if value := attributeOf(s, attribute.Key("twibase."+name)); value.Type() != attribute.EMPTY {
				fmt.Fprintf(&tree, " %s=%d", name, value.AsInt64())
			}
		}
		tree.WriteString("\n" + spanTree(spans, s.SpanContext.SpanID().String(), indent+"  "))
	}
	slices.Sort(servers)
	for _, server := range servers {
		fmt.Fprintf(&tree, "%sRPCs to %s gets=%d\n", indent, server, gets[server])
	}
	return tree.String()
}

func attributeOf(s tracetest.SpanStub, key attribute.Key) attribute.Value {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value
		}
	}
	return attribute.Value{}
}

// An error has the trace of its response only if the trace is sampled.
func TestErrorsHaveTheTrace(t *testing.T) {
	for flags, want := range map[string]string{"00": "", "01": remoteTrace} {
		g := newTraced(t, sampleStore(t))
		for _, query := range []string{"{unknown}", `{user(username:"LiLei"){followers(first:-1){totalCount}}}`} {
			var answer struct {
				Errors []struct {
					Extensions struct{ TraceID string }
				}
			}
			if body := g.ask(t, query, flags); json.Unmarshal(body, &answer) != nil || len(answer.Errors) != 1 ||
				answer.Errors[0].Extensions.TraceID != want {
				t.Errorf("flags %s: %s", flags, body)
			}
		}
		if sampled := len(g.spans.GetSpans()) > 0; sampled != (want != "") {
			t.Errorf("flags %s: sampled is %t", flags, sampled)
		}
	}
}
