package websocket

import (
	"bufio"
	"net"
	"net/http"
	"strings"

	"twibase/graph/apierr"
)

// maxName bounds a subprotocol that the response repeats.
const maxName = 128

// IsHandshake reports whether a request is a WebSocket handshake.
func IsHandshake(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// subprotocols returns the choice of the library: ours, or else the client's first, because without
// one the client would not see the close code.
func subprotocols(r *http.Request) []string {
	first, _, _ := strings.Cut(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",")
	if first = strings.TrimSpace(first); len(first) > maxName {
		return []string{Protocol}
	}
	return []string{Protocol, first}
}

// handshakeWriter replaces the library's rejections, which repeat headers of the client.
type handshakeWriter struct {
	http.ResponseWriter
	network net.Conn // after Hijack
}

func (w *handshakeWriter) Hijack() (network net.Conn, buffers *bufio.ReadWriter, err error) {
	w.network, buffers, err = http.NewResponseController(w.ResponseWriter).Hijack()
	return w.network, buffers, err
}

func (w *handshakeWriter) WriteHeader(status int) {
	rejection := apierr.BadUserInput("this is not the handshake of a WebSocket, version 13")
	switch {
	case status < http.StatusBadRequest:
		w.accept(status)
		return
	case status == http.StatusForbidden:
		rejection = apierr.Forbidden("pages of this origin may not open a WebSocket here")
	case status == http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodGet)
	case status >= http.StatusInternalServerError:
		rejection = &apierr.Error{Code: apierr.CodeInternal, Message: "the connection can't become a WebSocket"}
	}
	w.Header().Del("Content-Type")
	rejection.Write(w.ResponseWriter, status)
}

// accept sends headers named as in RFC 6455 (Sec-WebSocket-Protocol): some clients, such as
// Python's gql, compare case. It restores net/http's names, which the library reads.
func (w *handshakeWriter) accept(status int) {
	header := w.Header()
	for _, name := range []string{"Sec-WebSocket-Accept", "Sec-WebSocket-Protocol"} {
		canonical := http.CanonicalHeaderKey(name)
		values, sent := header[canonical]
		if !sent {
			continue
		}
		header[name] = values
		delete(header, canonical)
		defer func() {
			header[canonical] = values
			delete(header, name)
		}()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (*handshakeWriter) Write(text []byte) (int, error) { return len(text), nil }
