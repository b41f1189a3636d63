package command

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

const manifest = `{
	"3b1f6e0c4b0d7b3d8a5a6f0f8f0c1c55": "query Named($u: String!) { user(username: $u) { username } }",
	"5d41402abc4b2a76b9719d911017c592": "subscription News($u: String!) { twitPosted(username: $u) { content } }",
	"7d793037a0760186574b0282f2f435e7": "{ secret }"
}`

func send(t *testing.T, method, url, body string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err == nil && method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	status, text, _ = fetch(t, r, err)
	return status, text
}

func TestProductionAcceptsTrustedDocumentsOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "documents.json")
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	url, _ := started(t, "--production", "--documents", file)

	const untrusted, found = `"code":"FORBIDDEN"`, `{"data":{"user":{"username":"LiLei"}}}`
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"IDE", "GET", "/", "", 404, ""},
		{"schema", "GET", "/schema.graphql", "", 404, ""},
		{"metrics", "GET", "/metrics", "", 404, ""},
		{"readiness", "GET", "/readyz", "", 200, "ok"},
		{"hash of a trusted document", "POST", "/graphql",
			`{"documentId":"3b1f6e0c4b0d7b3d8a5a6f0f8f0c1c55","variables":{"u":"LiLei"}}`, 200, found},
		{"doc_id", "POST", "/graphql", `{"doc_id":"3b1f6e0c4b0d7b3d8a5a6f0f8f0c1c55","query":null,"variables":{"u":"LiLei"}}`,
			200, found},
		{"also by GET", "GET", `/graphql?doc_id=3b1f6e0c4b0d7b3d8a5a6f0f8f0c1c55&variables={"u":"LiLei"}`, "", 200, found},
		{"persistedQuery by GET", "GET",
			`/graphql?variables={"u":"LiLei"}&extensions={"persistedQuery":{"version":1,"sha256Hash":"3b1f6e0c4b0d7b3d8a5a6f0f8f0c1c55"}}`, "", 200, found},
		{"text of a trusted document", "POST", "/graphql",
			`{"query":"query Named($u: String!) { user(username: $u) { username } }","variables":{"u":"LiLei"}}`, 200, found},
		{"other document", "POST", "/graphql", `{"query":"{viewer{username}}"}`, 200, untrusted},
		{"hash of another document", "POST", "/graphql", `{"documentId":"sha256:abc"}`, 200, untrusted},
		{"invalid trusted document", "POST", "/graphql", `{"documentId":"7d793037a0760186574b0282f2f435e7"}`, 200,
			"Cannot query field"},
		{"introspection", "POST", "/graphql", `{"query":"{__schema{queryType{name}}}"}`, 200, untrusted},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, body := send(t, test.method,
				url+strings.NewReplacer(`"`, "%22", "{", "%7B", "}", "%7D").Replace(test.path), test.body)
			if status != test.status || !strings.Contains(body, test.want) {
				t.Errorf("status %d: %s", status, body)
			}
		})
	}
	t.Run("over a WebSocket too", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		c, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(url, "http")+"/graphql",
			&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		for _, message := range []string{`{"type":"connection_init"}`,
			`{"id":"1","type":"subscribe","payload":{"documentId":"3b1f6e0c4b0d7b3d8a5a6f0f8f0c1c55","variables":{"u":"LiLei"}}}`,
			`{"id":"2","type":"subscribe","payload":{"query":"{viewer{username}}"}}`,
			`{"id":"3","type":"subscribe","payload":{"doc_id":"3b1f6e0c4b0d7b3d8a5a6f0f8f0c1c55","variables":{"u":"LiLei"}}}`} {
			if err := c.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
				t.Fatal(err)
			}
		}
		var received strings.Builder
		for range 6 { // connection_ack, two responses and completions, and the error
			_, text, err := c.Read(ctx)
			if err != nil {
				t.Fatal(err)
			}
			received.Write(text)
		}
		for _, want := range []string{`{"id":"1","type":"next","payload":` + found + `}`,
			`{"id":"3","type":"next","payload":` + found + `}`,
			`{"id":"2","type":"error","payload":[{"message":"this server takes trusted documents alone`} {
			if !strings.Contains(received.String(), want) {
				t.Errorf("no message %s: %s", want, &received)
			}
		}
	})
}

func TestProductionHidesTheSchemaFromAnyDocument(t *testing.T) {
	url, _ := started(t, "--production")
	for _, test := range []struct{ name, body, want string }{
		{"query", `{"query":"{viewer{username}}"}`, `{"data":{"viewer":null}}`},
		{"unknown hash", `{"documentId":"sha256:abc"}`, `"code":"PERSISTED_QUERY_NOT_FOUND"`},
		{"schema", `{"query":"{__schema{queryType{name}}}"}`, "this server does not publish its schema"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if status, body := send(t, "POST", url+"/graphql", test.body); status != http.StatusOK ||
				!strings.Contains(body, test.want) {
				t.Errorf("status %d: %s", status, body)
			}
		})
	}
}

func TestMetricsAreServedOnTheirListenerOnly(t *testing.T) {
	for _, flags := range [][]string{nil, {"--production"}} {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		free.Close()
		monitor := "http://" + free.Addr().String()
		server, _ := started(t, append(flags, "--metrics-listen", free.Addr().String())...)
		for _, test := range []struct {
			url    string
			status int
			want   string
		}{
			{monitor + "/metrics", 200, "twibase_admission_running"},
			{monitor + "/healthz", 200, "ok"},
			{monitor + "/readyz", 200, "ok"},
			{monitor + "/graphql?query={__typename}", 404, ""},
			{server + "/readyz", 200, "ok"},
			{monitor + "/goroutines", 200, "goroutine profile: total "},
			{server + "/metrics", 404, ""},
			{server + "/goroutines", 404, ""},
			{monitor + "/usage", 200, `"field": "User.bio"`},
			{monitor + "/usage?hours=25", 400, "hours must be a number from 1 to 24"},
			{server + "/usage", 404, ""},
			{monitor + "/debug/pprof/", 200, "goroutine"},
			{monitor + "/debug/pprof/heap?debug=1", 200, "heap profile"},
			{monitor + "/debug/pprof/trace?seconds=0.01", 200, "go 1."},
			{server + "/debug/pprof/heap", 404, ""},
		} {
			if status, body := send(t, http.MethodGet, test.url, ""); status != test.status ||
				!strings.Contains(body, test.want) {
				t.Errorf("%v: %s: status %d: %s", flags, test.url, status, body)
			}
		}
	}
}
