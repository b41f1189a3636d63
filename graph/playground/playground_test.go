package playground

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"twibase/graph/auth"
)

const script = "console.log('GraphiQL')"

func zipped(t *testing.T, text string) *fstest.MapFile {
	t.Helper()
	var buffer bytes.Buffer
	w := gzip.NewWriter(&buffer)
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: buffer.Bytes()}
}

func TestHandlerServesTheIDE(t *testing.T) {
	nobody := func(*http.Request) bool { return false }
	files := fstest.MapFS{
		"index.html":               {Data: []byte("<body>the built IDE")},
		"assets/ide-1A2B.js.gz":    zipped(t, script),
		"assets/ide-1A2B.css.gz":   zipped(t, "body{}"),
		"assets/broken-1A2B.js.gz": {Data: []byte("not gzip")},
		"assets/.gitkeep":          {},
	}
	built, unbuilt := handler(files, nobody), handler(fstest.MapFS{".gitkeep": {}}, nobody)
	acting := handler(files, func(r *http.Request) bool { return r.Method == "GET" })

	tests := []struct {
		name         string
		handler      http.Handler
		method, path string
		status       int
		body         string
		headers      map[string]string
	}{
		{"page of a client that acts as any user", acting, "GET", "/", 200, "<body data-act-as>the built IDE", nil},
		{"page", built, "GET", "/", 200, "<body>the built IDE",
			map[string]string{"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache"}},
		{"without the IDE: reason", unbuilt, "GET", "/", 200, "built without GraphiQL", nil},
		{"without the IDE: command to run", unbuilt, "GET", "/", 200, "make build", nil},
		{"script", built, "GET", "/assets/ide-1A2B.js", 200, script,
			map[string]string{"Content-Type": "text/javascript; charset=utf-8", "Vary": "Accept-Encoding",
				"Cache-Control": "public, max-age=31536000, immutable"}},
		{"style sheet", built, "GET", "/assets/ide-1A2B.css", 200, "body{}",
			map[string]string{"Content-Type": "text/css; charset=utf-8"}},
		{"missing script", built, "GET", "/assets/ide-0000.js", 404, "", nil},
		{"path out of the folder", built, "GET", "/assets/..%2Findex.html", 404, "", nil},
		{"folder", built, "GET", "/assets/", 404, "", nil},
		{"other path", built, "GET", "/index.html", 404, "", nil},
		{"broken build", built, "GET", "/assets/broken-1A2B.js", 500, "make build", nil},
		{"POST", built, "POST", "/", 405, "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			test.handler.ServeHTTP(w, httptest.NewRequest(test.method, test.path, nil))
			if w.Code != test.status {
				t.Errorf("the status is %d, want %d", w.Code, test.status)
			}
			if !strings.Contains(w.Body.String(), test.body) {
				t.Errorf("the body lacks %q:\n%s", test.body, w.Body)
			}
			for name, want := range test.headers {
				if diff := cmp.Diff(want, w.Header().Get(name)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestAssetsAreCompressedIfAccepted(t *testing.T) {
	server := httptest.NewServer(handler(fstest.MapFS{
		"assets/ide-1A2B.js.gz": zipped(t, script),
	}, func(*http.Request) bool { return false }))
	defer server.Close()

	for _, test := range []struct {
		name, accept, want string
	}{
		{"with gzip", "gzip, deflate, br", "gzip"},
		{"without gzip", "identity", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			request, err := http.NewRequest("GET", server.URL+"/assets/ide-1A2B.js", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Accept-Encoding", test.accept)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if got := response.Header.Get("Content-Encoding"); got != test.want {
				t.Fatalf("Content-Encoding is %q, want %q", got, test.want)
			}
			body := io.Reader(response.Body)
			if test.want == "gzip" {
				if body, err = gzip.NewReader(body); err != nil {
					t.Fatal(err)
				}
			}
			got, err := io.ReadAll(body)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != script {
				t.Errorf("got %q, want %q", got, script)
			}
		})
	}
}

func TestPolicyAllowsNoOtherOrigins(t *testing.T) {
	for _, path := range []string{"/", "/assets/none.js"} {
		t.Run(path, func(t *testing.T) {
			w := httptest.NewRecorder()
			Handler((*auth.Tokens)(nil).ActsAs).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			for directive := range strings.SplitSeq(w.Header().Get("Content-Security-Policy"), ";") {
				name, sources, _ := strings.Cut(strings.TrimSpace(directive), " ")
				for source := range strings.FieldsSeq(sources) {
					switch {
					case source == "'none'", source == "'self'", source == "data:" && name != "script-src":
					case source == "'unsafe-inline'" && name == "style-src":
					default:
						t.Errorf("%s allows %s", name, source)
					}
				}
			}
			if !strings.HasPrefix(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
				t.Error("default-src is not 'none'")
			}
			if got := w.Header().Get("X-Content-Type-Options"); got != "nosniff" {
				t.Errorf("X-Content-Type-Options is %q", got)
			}
		})
	}
}
