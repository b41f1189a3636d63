package endpoint

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestWhatIsAccepted(t *testing.T) {
	for _, test := range []struct{ name, header, want string }{
		{"nothing is the older type", "", mediaJSON},
		{"so is anything", "*/*", mediaJSON},
		{"and anything that programs speak", "application/*", mediaJSON},
		{"and what we have not", "text/html", mediaJSON},
		{"of two the first", mediaGraphQL + ", " + mediaJSON, mediaGraphQL},
		{"of two the first, the other way round", mediaJSON + ", " + mediaGraphQL, mediaJSON},
		{"but that which is liked better", mediaGraphQL + ";q=0.1, " + mediaJSON + ";q=0.9", mediaJSON},
		{"a name without a number is liked best", mediaGraphQL + ";q=0.9, " + mediaJSON, mediaJSON},
		{"a number that is none does not count", mediaGraphQL + ";q=much, " + mediaJSON + ";q=0.9", mediaGraphQL},
		{"a name goes before anything", "*/*, " + mediaGraphQL, mediaGraphQL},
		{"but for its number", "*/*, " + mediaGraphQL + ";q=0.5", mediaJSON},
		{"anything is not what is named to be liked less", "*/*, " + mediaJSON + ";q=0.5", mediaGraphQL},
		{"nor what is refused", mediaJSON + ";q=0, */*;q=0.1", mediaGraphQL},
		{"who refuses one alone takes the other", mediaJSON + ";q=0", mediaGraphQL},
		{"who refuses both takes none", mediaJSON + ";q=0.0, " + mediaGraphQL + ";q=0", "none"},
		{"events may be all that is taken", mediaJSON + ";q=0, " + mediaGraphQL + ";q=0, text/event-stream", "events first"},
		{"events go first if they come first", "text/event-stream, " + mediaJSON, mediaJSON + ", events first"},
		{"or before anything", "*/*, text/event-stream", mediaJSON + ", events first"},
		{"and last if they come last", mediaJSON + ", text/event-stream", mediaJSON + ", events"},
		{"or are liked less", "text/event-stream;q=0.5, " + mediaGraphQL, mediaGraphQL + ", events"},
		{"or less than anything", "text/event-stream;q=0.5, */*", mediaJSON + ", events"},
		{"events may be refused", "text/event-stream;q=0, " + mediaJSON, mediaJSON},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := accepted(with(httptest.NewRequest(http.MethodGet, "/", nil), "Accept", test.header))
			got := []string{a.media}
			if a.media == "" {
				got = nil
			}
			switch {
			case a.none():
				got = append(got, "none")
			case a.eventsFirst:
				got = append(got, "events first")
			case a.events:
				got = append(got, "events")
			}
			if strings.Join(got, ", ") != test.want {
				t.Errorf("%s is %s, want %s", test.header, strings.Join(got, ", "), test.want)
			}
		})
	}
}

func TestHowARequestIsSent(t *testing.T) {
	const query = `{__typename}`
	at := func(parameters string) *http.Request {
		return httptest.NewRequest(http.MethodGet, "/graphql?"+parameters, nil)
	}
	for _, test := range []struct {
		name    string
		request *http.Request
		status  int
		part    string // of the body
	}{
		{"UTF-8 may be named", with(ask(query), "Content-Type", `application/json; charset="UTF-8"`), 200, `"Query"`},
		{"the last query counts, and null is none", post(`{"query":"{__typename}","query":null}`), 400, "lacks its query"},
		{"a parameter that is empty is none", at("query="), 400, "lacks its query"},
		{"a query that is empty is no valid document", with(post(`{"query":""}`), "Accept", graphQLResponse), 400, "The document is empty."},
		{"bytes that are no UTF-8 are replaced by nothing", post(`{"query":"{user(username:\"` + "\xff" + `\"){name}}"}`), 400, "it is not UTF-8"},
		{"nor in a URL", at("query={__typename}&operationName=%ff"), 400, "the parameter operationName is not UTF-8"},
		{"UTF-16 is no charset of JSON", with(ask(query), "Content-Type", "application/json; charset=utf-16"), 415, "UTF-8"},
		{"nor is Latin-1", with(ask(query), "Content-Type", "application/json;charset=iso-8859-1"), 415, "UTF-8"},
		{"a parameter that is none is refused", with(ask(query), "Content-Type", "application/json;charset="), 415, "application/json"},
		{"a body as it is may be called so", with(ask(query), "Content-Encoding", "identity"), 200, `"Query"`},
		{"a compressed one is refused", with(post("\x1f\x8b"), "Content-Encoding", "gzip"), 415, "Content-Encoding"},
		{"also if it is called so in a second header", twice(ask(query), "Content-Encoding", "identity", "gzip"), 415, "Content-Encoding"},
		{"of two types none counts", twice(ask(query), "Content-Type", "application/json", "text/plain"), 415, "application/json"},
		{"one length is told", twice(post(`{"query":"{__typename}"}`), "Content-Length", "24"), 200, `"Query"`},
		{"of two lengths none counts", twice(post(`{"query":"{__typename}"}`), "Content-Length", "24", "23"), 400, "Content-Length"},
		{"nor of two in another order", twice(post(`{"query":"{__typename}"}`), "Content-Length", "23", "24"), 400, "Content-Length"},
		{"nor does one with a sign", twice(post(`{"query":"{__typename}"}`), "Content-Length", "+24"), 400, "Content-Length"},
		{"nor one that is no number", twice(post(`{"query":"{__typename}"}`), "Content-Length", "x"), 400, "Content-Length"},
		{"of two queries in a URL none counts", at("query={__typename}&query={a}"), 400, "the parameter query comes more than once"},
		{"nor of two lots of variables", at("query={__typename}&variables={}&variables="), 400, "the parameter variables comes more than once"},
		{"what is no parameter of ours may come often", at("query={__typename}&a=1&a=2"), 200, `"Query"`},
		{"who takes neither type gets no answer", with(ask(query), "Accept", mediaJSON+";q=0,"+mediaGraphQL+";q=0"), 406, "accept one"},
		{"keys differ by their case", post(`{"query":"{__typename}","QUERY":"{a}","Query":{}}`), 200, `"Query"`},
		{"and no other key is the query", post(`{"QUERY":"{__typename}"}`), 400, "lacks its query"},
		{"a URL with half an escape is malformed", at("query=%zz"), 400, "the URL is malformed: in its parameters write % as %25"},
		{"so is one with a semicolon", at("query={__typename};a=b"), 400, "the URL is malformed"},
		{"a stream that nobody names can't be stopped", httptest.NewRequest(http.MethodDelete, "/graphql", nil), 404, "NOT_FOUND"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			serve(time.Minute).ServeHTTP(w, test.request)
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.part) {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
			if encoding := w.Header().Get("Accept-Encoding"); (encoding != "") != strings.Contains(test.part, "Content-Encoding") {
				t.Errorf("Accept-Encoding: %s", encoding)
			}
		})
	}
	w := httptest.NewRecorder()
	serve(time.Minute).ServeHTTP(w, httptest.NewRequest(http.MethodPatch, "/graphql", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != allow {
		t.Errorf("status %d, Allow: %s", w.Code, w.Header().Get("Allow"))
	}
}

func twice(r *http.Request, header string, values ...string) *http.Request {
	r.Header[header] = values
	return r
}

// unasked is a body of which nothing is read.
type unasked struct{ *testing.T }

func (b unasked) Read([]byte) (int, error) {
	b.Error("the body is read")
	return 0, io.EOF
}

// Whoever expects to be told to continue is not, then.
func TestABodyThatSaysThatItIsTooLongIsNotRead(t *testing.T) {
	r, w := httptest.NewRequest(http.MethodPost, "/graphql", unasked{t}), httptest.NewRecorder()
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = maxBody + 1
	serve(time.Minute).ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), `"code":"LIMIT_EXCEEDED"`) {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}
