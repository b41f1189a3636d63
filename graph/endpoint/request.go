package endpoint

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
	"twibase/graph/documents"
	"twibase/graph/endpoint/backlog"
	"twibase/graph/endpoint/sse"
	"twibase/graph/limits"
)

// The media types of answers.
const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"
)

// allow are the methods of requests without a stream of their own: see [Endpoint.share].
const allow = "GET, HEAD, POST, OPTIONS"

// accept is what a client takes for an answer.
type accept struct {
	// media is the first of the media types that it names, else the older one, which every client takes.
	media string
	// events says that it takes server-sent events, and eventsFirst that it names them before anything else of ours.
	events, eventsFirst bool
}

func (a accept) contentType() string { return a.media + "; charset=utf-8" }

func accepted(r *http.Request) (a accept) {
	for header := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		switch media, _, _ := mime.ParseMediaType(header); media {
		case mediaJSON, mediaGraphQL:
			if a.media == "" {
				a.media = media
			}
		case sse.MediaType:
			a.events, a.eventsFirst = true, a.media == ""
		}
	}
	if a.media == "" {
		a.media = mediaJSON
	}
	return a
}

// request is what a client sends, in JSON or as the parameters of a URL.
type request struct {
	Query         string        `json:"query"`
	OperationName string        `json:"operationName"`
	Variables     limits.Object `json:"variables"`
	Extensions    limits.Object `json:"extensions"`
	DocumentID    string        `json:"documentId"`
	DocID         string        `json:"doc_id"` // as Relay's clients call it
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
	values := r.URL.Query()
	q.Query, q.OperationName = values.Get("query"), values.Get("operationName")
	q.DocumentID, q.DocID = values.Get("documentId"), values.Get("doc_id")
	for name, into := range map[string]*limits.Object{"variables": &q.Variables, "extensions": &q.Extensions} {
		if text := values.Get(name); text != "" {
			if err := decode(strings.NewReader(text), into); err != nil {
				return apierr.BadUserInput("the parameter %s is no JSON object: %s", name, err)
			}
		}
	}
	return nil
}

func (q *request) readBody(w http.ResponseWriter, r *http.Request, unfinished *backlog.Backlog) (int, *apierr.Error) {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != mediaJSON {
		return http.StatusUnsupportedMediaType, apierr.BadUserInput("send the request as Content-Type: application/json")
	}
	body := unfinished.Reader(http.MaxBytesReader(w, r.Body, maxBody), func() { _ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) })
	defer body.End()
	err := decode(body, q)
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

// decode reads exactly one JSON value. Its errors say what is wrong without echoing what was sent.
func decode(r io.Reader, into any) error {
	decoder := json.NewDecoder(r)
	decoder.UseNumber()
	err := decoder.Decode(into)
	if err == nil {
		if _, err = decoder.Token(); err == io.EOF {
			return nil
		} else if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) || errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		return errors.New("something follows it")
	}
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		if wrong.Field == "" && wrong.Value == "array" {
			return errors.New("it can't be an array; send one request at a time")
		}
		return fmt.Errorf("%s can't be a JSON %s", orBody(wrong.Field), kind(wrong.Value))
	}
	return err
}

// kind leaves out the number itself, which encoding/json tells along.
func kind(value string) string {
	kind, _, _ := strings.Cut(value, " ")
	return kind
}

func orBody(field string) string {
	if field == "" {
		return "it"
	}
	return field
}
