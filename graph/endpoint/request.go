package endpoint

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
	"twibase/graph/documents"
	"twibase/graph/endpoint/backlog"
	"twibase/graph/endpoint/strict"
	"twibase/graph/limits"
)

// allow are all methods: some are about a shared stream alone, see [Endpoint.share].
const allow = "GET, HEAD, POST, PUT, DELETE, OPTIONS"

// request is what a client sends, in JSON or as the parameters of a URL.
type request struct {
	Query, OperationName  string
	Variables, Extensions limits.Object
	DocumentID, DocID     string // the latter as Relay's clients call it
}

func (q *request) fields() map[string]any {
	return map[string]any{"query": &q.Query, "operationName": &q.OperationName, "variables": &q.Variables, "extensions": &q.Extensions,
		"documentId": &q.DocumentID, "doc_id": &q.DocID}
}

// read returns the request, or the status and the error with which it is refused.
func (e *Endpoint) read(w http.ResponseWriter, r *http.Request) (*graphql.RawParams, int, *apierr.Error) {
	start := graphql.Now()
	q := request{Variables: e.config.Limits.Object(), Extensions: e.config.Limits.Object()}
	status, err := http.StatusBadRequest, (*apierr.Error)(nil)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		err = q.readURL(r)
	case http.MethodPost:
		status, err = q.readBody(w, r, e.config.Unfinished)
	default:
		w.Header().Set("Allow", allow)
		return nil, http.StatusMethodNotAllowed, apierr.BadUserInput("send a request by POST, or a query by GET")
	}
	extensions := documents.Named(q.Extensions.Fields, cmp.Or(q.DocumentID, q.DocID))
	if err == nil && q.Query == "" && !documents.Names(extensions) {
		status, err = http.StatusBadRequest, apierr.BadUserInput("the request lacks its query")
	}
	if err != nil {
		return nil, status, err
	}
	return &graphql.RawParams{Query: q.Query, OperationName: q.OperationName, Variables: q.Variables.Fields, Extensions: extensions,
		Headers: r.Header, ReadTime: graphql.TraceTiming{Start: start, End: graphql.Now()}}, 0, nil
}

func (q *request) readURL(r *http.Request) *apierr.Error {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return apierr.BadUserInput("the URL is malformed: in its parameters write %% as %%25, and ; as %%3B")
	}
	q.Query, q.OperationName = values.Get("query"), values.Get("operationName")
	q.DocumentID, q.DocID = values.Get("documentId"), values.Get("doc_id")
	for name, into := range map[string]*limits.Object{"variables": &q.Variables, "extensions": &q.Extensions} {
		if text := values.Get(name); text != "" {
			if err := strict.Value(strings.NewReader(text), into); err != nil {
				return apierr.BadUserInput("the parameter %s is no JSON object: %s", name, err)
			}
		}
	}
	return nil
}

// encoded refuses a body that is not JSON in UTF-8, as it is.
func encoded(w http.ResponseWriter, header http.Header) *apierr.Error {
	media, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || media != mediaJSON {
		return apierr.BadUserInput("send the request as Content-Type: application/json")
	}
	if charset, given := parameters["charset"]; given && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "utf8") {
		return apierr.BadUserInput("send the request in UTF-8: JSON has no other charset")
	}
	if coding := header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		w.Header().Set("Accept-Encoding", "identity")
		return apierr.BadUserInput("send the request without a Content-Encoding")
	}
	return nil
}

func (q *request) readBody(w http.ResponseWriter, r *http.Request, unfinished *backlog.Backlog) (int, *apierr.Error) {
	if refusal := encoded(w, r.Header); refusal != nil {
		return http.StatusUnsupportedMediaType, refusal
	}
	body := unfinished.Reader(http.MaxBytesReader(w, r.Body, maxBody), func() { _ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) })
	defer body.End()
	var text bytes.Buffer
	_, err := text.ReadFrom(body)
	if err == nil { // not before all has come: decoded it takes many times as much
		err = strict.Object(&text, q.fields())
	}
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return http.StatusRequestEntityTooLarge, &apierr.Error{Code: apierr.CodeLimitExceeded,
			Message: fmt.Sprintf("a request's body is limited to %d bytes", maxBody), Extensions: map[string]any{"limit": maxBody}}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return http.StatusRequestTimeout, &apierr.Error{Code: apierr.CodeTimeout, Message: "the body did not come in time"}
	}
	if err != nil {
		return http.StatusBadRequest, apierr.BadUserInput("the body is not the JSON object of a GraphQL request: %s", err)
	}
	return 0, nil
}
