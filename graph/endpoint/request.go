package endpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
	"twibase/graph/endpoint/strict"
	"twibase/graph/endpoint/transport"
)

// allow includes the methods of shared streams: see [Endpoint.serveShared].
const allow = "GET, HEAD, POST, PUT, DELETE, OPTIONS"

const maxBody = 1 << 20

// Headers of at most usualHeader bytes are not counted: they take less memory than the buffers of a
// connection.
const usualHeader = 4 << 10

// errorWriter responds to a rejected request.
type errorWriter func(w http.ResponseWriter)

func reject(status int, err *apierr.Error) errorWriter {
	return func(w http.ResponseWriter) { err.Write(w, status) }
}

func malformed(format string, args ...any) errorWriter {
	return reject(http.StatusBadRequest, apierr.BadUserInput(format, args...))
}

func (e *Endpoint) read(w http.ResponseWriter, r *http.Request) (*graphql.RawParams, errorWriter) {
	start := graphql.Now()
	p := transport.NewParams(&e.rules.Load().limits)
	var writeError errorWriter
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		writeError = readURL(r, p)
	case http.MethodPost:
		writeError = e.readBody(w, r, p)
	default:
		w.Header().Set("Allow", allow)
		writeError = reject(http.StatusMethodNotAllowed, apierr.BadUserInput("send a request by POST, or a query by GET"))
	}
	if writeError != nil {
		return nil, writeError
	}
	raw, complete := p.Raw(r.Header)
	if !complete {
		return nil, malformed("the request lacks its query")
	}
	raw.ReadTime = graphql.TraceTiming{Start: start, End: graphql.Now()}
	return raw, nil
}

func readURL(r *http.Request, p *transport.Params) errorWriter {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return malformed("the URL is malformed: in its parameters write %% as %%25, and ; as %%3B")
	}
	for name, into := range p.Fields() {
		text := values.Get(name)
		switch into := into.(type) {
		case *string:
			*into = text
		case **string:
			if text != "" {
				*into = &text
			}
		default:
			if text != "" {
				err = strict.Value([]byte(text), into)
			}
		}
		switch {
		case len(values[name]) > 1:
			return malformed("the parameter %s comes more than once", name)
		case !utf8.ValidString(text):
			return malformed("the parameter %s is not UTF-8", name)
		case err != nil:
			return malformed("the parameter %s is no JSON object: %s", name, err)
		}
	}
	return nil
}

// checkEncoding accepts only application/json in UTF-8, with no Content-Encoding but identity. It
// rejects a repeated Content-Type, because a proxy may use another of the values.
func checkEncoding(w http.ResponseWriter, header http.Header) *apierr.Error {
	media, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || media != mediaJSON || len(header.Values("Content-Type")) > 1 {
		return apierr.BadUserInput("send the request as Content-Type: application/json")
	}
	charset, given := parameters["charset"]
	if given && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "utf8") {
		return apierr.BadUserInput("send the request in UTF-8: JSON has no other charset")
	}
	coding := strings.Join(header.Values("Content-Encoding"), ",")
	if coding != "" && !strings.EqualFold(coding, "identity") {
		w.Header().Set("Accept-Encoding", "identity")
		return apierr.BadUserInput("send the request without a Content-Encoding")
	}
	return nil
}

func (e *Endpoint) readBody(w http.ResponseWriter, r *http.Request, p *transport.Params) errorWriter {
	if err := checkEncoding(w, r.Header); err != nil {
		return reject(http.StatusUnsupportedMediaType, err)
	}
	for _, length := range r.Header.Values("Content-Length") { // net/http checks this header for HTTP/1 only
		if n, err := strconv.ParseInt(length, 10, 64); err != nil || n != r.ContentLength || length[0] == '+' {
			return malformed("the Content-Length must be one number: the length of the body in bytes")
		}
	}
	if r.ContentLength > maxBody {
		return tooLong()
	}
	body := e.config.Receiving.Reader(http.MaxBytesReader(w, r.Body, maxBody), longHeader(r.Header), func() {
		_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
	})
	defer body.End()
	text, err := readAll(body, r.ContentLength)
	if limit := (*http.MaxBytesError)(nil); errors.As(err, &limit) {
		return tooLong()
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return reject(http.StatusRequestTimeout,
			&apierr.Error{Code: apierr.CodeTimeout, Message: "the body did not come in time"})
	case err != nil:
		return notARequest(err)
	}
	release, rejection := e.acquireParsing(r.Context(), len(text))
	if rejection != nil {
		traceOf(r.Context()).Rejected = true
		return rejection.Reject
	}
	defer release()
	switch {
	case !utf8.Valid(text):
		return notARequest(errors.New("it is not UTF-8"))
	case bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("[")):
		return malformed("requests can't be batched: send one request at a time")
	}
	if err := strict.Object(text, p.Fields()); err != nil {
		return notARequest(err)
	}
	return nil
}

// readAll allocates the buffer of a long body only after its first shortBody bytes. An unknown
// length is negative.
func readAll(body io.Reader, length int64) ([]byte, error) {
	var buffer bytes.Buffer
	if length > shortBody {
		if _, err := io.CopyN(&buffer, body, shortBody); err != nil {
			return buffer.Bytes(), err
		}
		buffer.Grow(int(length) - shortBody + bytes.MinRead)
	}
	_, err := buffer.ReadFrom(body)
	return buffer.Bytes(), err
}

func longHeader(header http.Header) (bytes int) {
	for name, values := range header {
		bytes += len(name)
		for _, value := range values {
			bytes += len(value)
		}
	}
	if bytes <= usualHeader {
		return 0
	}
	return bytes
}

func notARequest(err error) errorWriter {
	return malformed("the body is not the JSON object of a GraphQL request: %s", err)
}

func tooLong() errorWriter {
	return reject(http.StatusRequestEntityTooLarge, &apierr.Error{
		Code:       apierr.CodeLimitExceeded,
		Message:    fmt.Sprintf("a request's body is limited to %d bytes", maxBody),
		Extensions: map[string]any{"limit": maxBody},
	})
}
