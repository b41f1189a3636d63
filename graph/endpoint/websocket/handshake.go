package websocket

import (
	"net/http"
	"strings"

	"twibase/graph/apierr"
)

// maxName is how many bytes a subprotocol has at most: the one that is agreed on is told to the client.
const maxName = 128

// Asked reports whether a request asks for a WebSocket.
func Asked(r *http.Request) bool { return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") }

// agreeable are the subprotocols on which a handshake may agree: ours, or else the first that is offered. A client that speaks another is told so by a
// close code, which it sees only if they agreed on one of its own. All that is offered is compared with each of them.
func agreeable(r *http.Request) []string {
	first, _, _ := strings.Cut(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",")
	if first = strings.TrimSpace(first); len(first) > maxName {
		return []string{Protocol}
	}
	return []string{Protocol, first}
}

// refusing answers a handshake that is refused as all other requests are: the library repeats headers of the client, however long.
type refusing struct{ http.ResponseWriter }

// Unwrap is for who takes over the connection.
func (w refusing) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (w refusing) WriteHeader(status int) {
	refusal := apierr.BadUserInput("this is not the handshake of a WebSocket, version 13")
	switch {
	case status < http.StatusBadRequest:
		w.accept(status)
		return
	case status == http.StatusForbidden:
		refusal = apierr.Forbidden("pages of this origin may not open a WebSocket here")
	case status == http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodGet)
	case status >= http.StatusInternalServerError:
		refusal = &apierr.Error{Code: apierr.CodeInternal, Message: "the connection can't become a WebSocket"}
	}
	w.Header().Del("Content-Type")
	refusal.Write(w.ResponseWriter, status)
}

// accept sends the head of a handshake that succeeds, with the names of its headers as RFC 6455 spells them. net/http's canonical form is another one
// (Sec-Websocket-Protocol), and some clients tell names apart by their case, such as the one that Python's gql uses. The library reads the canonical names
// later on, so they stay in the map.
func (w refusing) accept(status int) {
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

// Write drops what the library says of a refusal.
func (refusing) Write(text []byte) (int, error) { return len(text), nil }
