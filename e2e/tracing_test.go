package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
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
	otherTrace  = "0af7651916cd43dd8448eb211c80319c"
)

type traced struct {
	*service.Gateway
	spans *tracetest.InMemoryExporter
	log   *bytes.Buffer
}

func newTraced(store hbase.Store) *traced {
	spans, log := tracetest.NewInMemoryExporter(), new(bytes.Buffer)
	provider := sdk.NewTracerProvider(sdk.WithSyncer(spans))
	return &traced{service.New(store, service.Config{Traces: provider, Shared: true, Log: zerolog.New(log)}), spans, log}
}

func (g *traced) ask(t *testing.T, query, flags string) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(costs.Header, "1")
	r.Header.Set("traceparent", "00-"+remoteTrace+"-"+remoteSpan+"-"+flags)
	w := httptest.NewRecorder()
	g.Public.ServeHTTP(w, r)
	return w.Body.Bytes()
}

func TestSpansOfARequestAreComplete(t *testing.T) {
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
	g := newTraced(store)
	r, _ := reported(t, g.ask(t, example(t, "1-followers"), "01"))
	var want strings.Builder
	fmt.Fprintf(&want, "query Followers gets=%d rounds=%d rpcs=%d\n", r.Gets, r.Rounds, r.RPCs)
	for _, level := range r.Levels {
		fmt.Fprintf(&want, "  round gets=%d rpcs=%d\n", level.Gets, level.RPCs)
		for _, server := range level.Servers {
			if server.Name == "embedded" {
				continue
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

func TestErrorsHaveTheTrace(t *testing.T) {
	for flags, want := range map[string]string{"00": "", "01": remoteTrace} {
		g := newTraced(sampleStore(t))
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

func TestOperationsOfAWebSocketAreSpans(t *testing.T) {
	g := newTraced(sampleStore(t))
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { g.Run(ctx) })
	defer running.Wait()
	defer stop()
	server := httptest.NewServer(g.Public)
	defer server.Close()
	socket, _, err := websocket.Dial(ctx, server.URL+"/graphql",
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.CloseNow()
	write := func(message string) {
		t.Helper()
		if err := socket.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	read := func(messages ...string) {
		t.Helper()
		for _, want := range messages {
			if _, got, err := socket.Read(ctx); err != nil || !strings.Contains(string(got), `"type":"`+want+`"`) {
				t.Fatalf("%s, %v; want %s", got, err, want)
			}
		}
	}
	subscribe := func(id, trace, query string) {
		t.Helper()
		write(fmt.Sprintf(`{"id":%q,"type":"subscribe","payload":{"query":%q,"extensions":{"traceparent":"00-%s-%s-01"}}}`,
			id, query, trace, remoteSpan))
	}
	write(`{"type":"connection_init"}`)
	read("connection_ack")
	subscribe("1", remoteTrace, `query Q{user(username:"LiLei"){name}}`)
	read("next", "complete")
	subscribe("2", otherTrace, `subscription Posts{twitPosted(username:"LiLei",after:"`+firstTwit(t, g)+`"){content author{name}}}`)
	read("next")
	if err := socket.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	g.Shutdown(ctx)

	spans := g.spans.GetSpans()
	for trace, want := range map[string]string{
		remoteTrace: "query Q gets=1 rounds=1 rpcs=1\n  round gets=1 rpcs=1\n",
		otherTrace: "subscription Posts gets=5 rounds=3 rpcs=3\n  round gets=3 rpcs=1\n" +
			"  round gets=1 rpcs=1\n  event\n    round gets=1 rpcs=1\n",
	} {
		of := slices.DeleteFunc(slices.Clone(spans), func(s tracetest.SpanStub) bool {
			return s.SpanContext.TraceID().String() != trace
		})
		if diff := cmp.Diff(want, spanTree(of, remoteSpan, "")); diff != "" {
			t.Errorf("trace %s (-want +got):\n%s", trace, diff)
		}
	}
}

func firstTwit(t *testing.T, g *traced) string {
	t.Helper()
	var answer struct {
		Data struct {
			User struct {
				Twits struct{ Nodes []struct{ ID string } }
			}
		}
	}
	body := g.ask(t, `{user(username:"LiLei"){twits(first:2){nodes{id}}}}`, "00")
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.Data.User.Twits.Nodes) != 2 {
		t.Fatalf("%v: %s", err, body)
	}
	return answer.Data.User.Twits.Nodes[1].ID
}
