package endpoint

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestPreferredMediaTypeIsServed(t *testing.T) {
	for _, test := range []struct{ name, header, want string }{
		{"no Accept", "", mediaJSON},
		{"*/*", "*/*", mediaJSON},
		{"application/*", "application/*", mediaJSON},
		{"unsupported type", "text/html", mediaJSON},
		{"newer, older", mediaGraphQL + ", " + mediaJSON, mediaGraphQL},
		{"older, newer", mediaJSON + ", " + mediaGraphQL, mediaJSON},
		{"older has the higher q", mediaGraphQL + ";q=0.1, " + mediaJSON + ";q=0.9", mediaJSON},
		{"no q is q=1", mediaGraphQL + ";q=0.9, " + mediaJSON, mediaJSON},
		{"malformed q is q=1", mediaGraphQL + ";q=much, " + mediaJSON + ";q=0.9", mediaGraphQL},
		{"name before a wildcard", "*/*, " + mediaGraphQL, mediaGraphQL},
		{"wildcard with the higher q", "*/*, " + mediaGraphQL + ";q=0.5", mediaJSON},
		{"wildcard excludes named types", "*/*, " + mediaJSON + ";q=0.5", mediaGraphQL},
		{"the wildcard excludes types with q=0", mediaJSON + ";q=0, */*;q=0.1", mediaGraphQL},
		{"one type is not accepted", mediaJSON + ";q=0", mediaGraphQL},
		{"neither type is accepted", mediaJSON + ";q=0.0, " + mediaGraphQL + ";q=0", "none"},
		{"events only", mediaJSON + ";q=0, " + mediaGraphQL + ";q=0, text/event-stream", "events first"},
		{"events first", "text/event-stream, " + mediaJSON, mediaJSON + ", events first"},
		{"events before a wildcard", "*/*, text/event-stream", mediaJSON + ", events first"},
		{"events last", mediaJSON + ", text/event-stream", mediaJSON + ", events"},
		{"events with the lower q", "text/event-stream;q=0.5, " + mediaGraphQL, mediaGraphQL + ", events"},
		{"events with a q below the wildcard's", "text/event-stream;q=0.5, */*", mediaJSON + ", events"},
		{"events are not accepted", "text/event-stream;q=0, " + mediaJSON, mediaJSON},
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

func TestMalformedRequestsAreRejected(t *testing.T) {
	const query = `{__typename}`
	at := func(parameters string) *http.Request {
		return httptest.NewRequest(http.MethodGet, "/graphql?"+parameters, nil)
	}
	for _, test := range []struct {
		name    string
		request *http.Request
		status  int
		part    string
	}{
		{"charset utf-8", with(ask(query), "Content-Type", `application/json; charset="UTF-8"`), 200, `"Query"`},
		{"last of equal keys, null", post(`{"query":"{__typename}","query":null}`), 400, "lacks its query"},
		{"empty parameter", at("query="), 400, "lacks its query"},
		{"empty query", with(post(`{"query":""}`), "Accept", graphQLResponse), 400, "The document is empty."},
		{"invalid UTF-8", post(`{"query":"{user(username:\"` + "\xff" + `\"){name}}"}`), 400, "it is not UTF-8"},
		{"URL not in UTF-8", at("query={__typename}&operationName=%ff"), 400, "the parameter operationName is not UTF-8"},
		{"charset UTF-16", with(ask(query), "Content-Type", "application/json; charset=utf-16"), 415, "UTF-8"},
		{"charset Latin-1", with(ask(query), "Content-Type", "application/json;charset=iso-8859-1"), 415, "UTF-8"},
		{"malformed parameter of the content type", with(ask(query), "Content-Type", "application/json;charset="), 415,
			"application/json"},
		{"Content-Encoding identity", with(ask(query), "Content-Encoding", "identity"), 200, `"Query"`},
		{"Content-Encoding gzip", with(post("\x1f\x8b"), "Content-Encoding", "gzip"), 415, "Content-Encoding"},
		{"Content-Encoding in a second header", twice(ask(query), "Content-Encoding", "identity", "gzip"), 415,
			"Content-Encoding"},
		{"two content types", twice(ask(query), "Content-Type", "application/json", "text/plain"), 415, "application/json"},
		{"one Content-Length", twice(post(`{"query":"{__typename}"}`), "Content-Length", "24"), 200, `"Query"`},
		{"two Content-Lengths", twice(post(`{"query":"{__typename}"}`), "Content-Length", "24", "23"), 400, "Content-Length"},
		{"two Content-Lengths, other order", twice(post(`{"query":"{__typename}"}`), "Content-Length", "23", "24"), 400,
			"Content-Length"},
		{"Content-Length with a sign", twice(post(`{"query":"{__typename}"}`), "Content-Length", "+24"), 400,
			"Content-Length"},
		{"Content-Length that is not a number", twice(post(`{"query":"{__typename}"}`), "Content-Length", "x"), 400,
			"Content-Length"},
		{"two queries in the URL", at("query={__typename}&query={a}"), 400, "the parameter query comes more than once"},
		{"two variables in the URL", at("query={__typename}&variables={}&variables="), 400,
			"the parameter variables comes more than once"},
		{"unknown parameter twice", at("query={__typename}&a=1&a=2"), 200, `"Query"`},
		{"neither type accepted", with(ask(query), "Accept", mediaJSON+";q=0,"+mediaGraphQL+";q=0"), 406, "accept one"},
		{"key in another case", post(`{"query":"{__typename}","QUERY":"{a}","Query":{}}`), 200, `"Query"`},
		{"unknown key", post(`{"QUERY":"{__typename}"}`), 400, "lacks its query"},
		{"incomplete escape in the URL", at("query=%zz"), 400, "the URL is malformed: in its parameters write % as %25"},
		{"semicolon in the URL", at("query={__typename};a=b"), 400, "the URL is malformed"},
		{"DELETE without a stream", httptest.NewRequest(http.MethodDelete, "/graphql", nil), 404, "NOT_FOUND"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			serve(time.Minute).ServeHTTP(w, test.request)
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.part) {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
			if encoding := w.Header().Get("Accept-Encoding"); (encoding != "") != strings.Contains(test.part,
				"Content-Encoding") {
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

func TestTooLongBodyIsNotRead(t *testing.T) {
	r, w := httptest.NewRequest(http.MethodPost, "/graphql", unread{t}), httptest.NewRecorder()
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = maxBody + 1
	serve(time.Minute).ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), `"code":"LIMIT_EXCEEDED"`) {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}
