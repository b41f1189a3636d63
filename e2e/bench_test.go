package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"twibase/e2e/oracle"
	"twibase/hbase"
	"twibase/transfer"
)

// BenchmarkQueries asks the reference query, and the same of one who has many followers, of the data that TWIBASE_DATA names or of
// generated ones. Beside the time it tells what one answer costs: Gets, RPCs, rows and bytes.
func BenchmarkQueries(b *testing.B) {
	folder := given(b)
	model, err := oracle.Read(folder)
	if err != nil {
		b.Fatal(err)
	}
	hub := greatest(model.Users, func(u *oracle.User) int { return len(u.Followers()) })
	queries := []struct{ name, query string }{
		{"reference", `{users(first:20){nodes{id name followers(first:20){nodes{id name twits(first:3){nodes{id content}}}}}}}`},
		{"hub", `{user(username:"` + hub.Username + `"){username name followers(first:20){nodes{username name followers(first:20){nodes{username name twits(first:3){nodes{id content}}}}}}}}`},
	}
	for _, engine := range []struct {
		name string
		open func(testing.TB) hbase.Store
	}{{"embedded", inMemory}, {"hbase", onHBase}} {
		b.Run("store="+engine.name, func(b *testing.B) {
			store := engine.open(b)
			importInto(b, store, folder, transfer.Options{})
			g := newGateway(engine.name, store)
			for _, q := range queries {
				b.Run("query="+q.name+"/by=call", func(b *testing.B) { byCall(b, g, q.query) })
				b.Run("query="+q.name+"/by=http", func(b *testing.B) { byHTTP(b, g, q.query) })
			}
		})
	}
}

// byCall asks the handler itself.
func byCall(b *testing.B, g *gateway, query string) {
	var stats hbase.Stats
	body := bodyOf(b, query)
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		g.handler.ServeHTTP(w, r.WithContext(hbase.WithStats(r.Context(), &stats)))
		sane(b, w.Code, w.Body.String())
	}
	report(b, &stats)
}

// byHTTP asks over one connection on the loopback interface.
func byHTTP(b *testing.B, g *gateway, query string) {
	var stats hbase.Stats
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.handler.ServeHTTP(w, r.WithContext(hbase.WithStats(r.Context(), &stats)))
	}))
	defer server.Close()
	body := bodyOf(b, query)
	for b.Loop() {
		response, err := http.Post(server.URL+"/graphql", "application/json", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			b.Fatal(err)
		}
		sane(b, response.StatusCode, string(text))
	}
	report(b, &stats)
}

func bodyOf(b *testing.B, query string) string {
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		b.Fatal(err)
	}
	return string(body)
}

func sane(b *testing.B, status int, body string) {
	if status != http.StatusOK || strings.HasPrefix(body, `{"errors"`) {
		b.Fatalf("status %d: %.300s", status, body)
	}
}

func report(b *testing.B, stats *hbase.Stats) {
	n := float64(b.N)
	b.ReportMetric(b.Elapsed().Seconds()*1000/n, "ms/op")
	b.ReportMetric(float64(stats.Gets.Load())/n, "gets/op")
	b.ReportMetric(float64(stats.RPCs.Load())/n, "rpcs/op")
	b.ReportMetric(float64(stats.Rows.Load())/n, "rows/op")
	b.ReportMetric(float64(stats.Bytes.Load())/n, "readbytes/op")
}
