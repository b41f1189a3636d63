package endpoint

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/strict"
	"twibase/graph/endpoint/transport"
)

// allow has all methods. Some are for shared streams only: see [Endpoint.share].
const allow = "GET, HEAD, POST, PUT, DELETE, OPTIONS"

// read returns the request, or the response that refuses it.
func (e *Endpoint) read(w http.ResponseWriter, r *http.Request) (*graphql.RawParams, *refusal) {
	start := graphql.Now()
	p := transport.NewParams(&e.config.Limits)
	var refused *refusal
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if err := readURL(r, p); err != nil {
			refused = &refusal{Error: err, status: http.StatusBadRequest}
		}
	case http.MethodPost:
		refused = readBody(w, r, p, e.config.Receiving)
	default:
		w.Header().Set("Allow", allow)
		return nil, &refusal{status: http.StatusMethodNotAllowed, Error: apierr.BadUserInput("send a request by POST, or a query by GET")}
	}
	raw, complete := p.Raw(r.Header)
	if refused == nil && !complete {
		refused = &refusal{status: http.StatusBadRequest, Error: apierr.BadUserInput("the request lacks its query")}
	}
	if refused != nil {
		return nil, refused
	}
	raw.ReadTime = graphql.TraceTiming{Start: start, End: graphql.Now()}
	return raw, nil
}

func readURL(r *http.Request, p *transport.Params) *apierr.Error {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return apierr.BadUserInput("the URL is malformed: in its parameters write %% as %%25, and ; as %%3B")
	}
	for name, into := range p.Fields() {
		if len(values[name]) > 1 {
			return apierr.BadUserInput("the parameter %s comes more than once", name)
		}
		text := values.Get(name)
		if !utf8.ValidString(text) {
			return apierr.BadUserInput("the parameter %s is not UTF-8", name)
		}
		switch into := into.(type) {
		case *string:
			*into = text
		case **string:
			if text != "" {
				*into = &text
			}
		default:
			if text == "" {
				continue
			}
			if err := strict.Value(strings.NewReader(text), into); err != nil {
				return apierr.BadUserInput("the parameter %s is no JSON object: %s", name, err)
			}
		}
	}
	return nil
}

// encoded refuses a body that is not JSON in UTF-8. It refuses repeated headers, of which a proxy
// may read the other one.
func encoded(w http.ResponseWriter, header http.Header) *apierr.Error {
	media, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || media != mediaJSON || len(header.Values("Content-Type")) > 1 {
		return apierr.BadUserInput("send the request as Content-Type: application/json")
	}
	if charset, given := parameters["charset"]; given && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "utf8") {
		return apierr.BadUserInput("send the request in UTF-8: JSON has no other charset")
	}
	if coding := strings.Join(header.Values("Content-Encoding"), ","); coding != "" && !strings.EqualFold(coding, "identity") {
		w.Header().Set("Accept-Encoding", "identity")
		return apierr.BadUserInput("send the request without a Content-Encoding")
	}
	return nil
}

func readBody(w http.ResponseWriter, r *http.Request, p *transport.Params, receiving *inflight.Bytes) *refusal {
	if err := encoded(w, r.Header); err != nil {
		return &refusal{Error: err, status: http.StatusUnsupportedMediaType}
	}
	for _, length := range r.Header.Values("Content-Length") { // net/http checks them for HTTP/1 only
		if n, err := strconv.ParseInt(length, 10, 64); err != nil || n != r.ContentLength || length[0] == '+' {
			return &refusal{status: http.StatusBadRequest, Error: apierr.BadUserInput("the Content-Length is not one number, that of the body's bytes")}
		}
	}
	if r.ContentLength > maxBody {
		return tooLong()
	}
	body := receiving.Reader(http.MaxBytesReader(w, r.Body, maxBody), func() { _ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) })
	defer body.End()
	var text bytes.Buffer
	_, err := text.ReadFrom(body)
	if err == nil && !utf8.Valid(text.Bytes()) {
		err = errors.New("it is not UTF-8")
	}
	if err == nil && isArray(text.Bytes()) {
		return refuseBatch(&text, accepted(r))
	}
	if err == nil { // only when all has arrived: decoded it takes many times as much memory
		err = strict.Object(&text, p.Fields())
	}
	if limit := (*http.MaxBytesError)(nil); errors.As(err, &limit) {
		return tooLong()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &refusal{status: http.StatusRequestTimeout, Error: &apierr.Error{Code: apierr.CodeTimeout, Message: "the body did not come in time"}}
	}
	if err != nil {
		return notARequest(err)
	}
	return nil
}

// isArray reports whether a JSON text is an array, if it is JSON.
func isArray(text []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("[")) }

func tooLong() *refusal {
	return &refusal{status: http.StatusRequestEntityTooLarge, Error: &apierr.Error{Code: apierr.CodeLimitExceeded,
		Message: fmt.Sprintf("a request's body is limited to %d bytes", maxBody), Extensions: map[string]any{"limit": maxBody}}}
}
