package websocket

import (
	"net/http"
	"strings"

	"twibase/graph/apierr"
)

// maxName is the maximum length of a subprotocol in bytes. The response repeats the agreed one.
const maxName = 128

// Asked reports whether a request is a WebSocket handshake.
func Asked(r *http.Request) bool { return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") }

// agreeable returns the subprotocols that a handshake may agree on: ours, or else the first that
// the client offers. A client of another protocol sees the close code that refuses it only after
// agreeing on one of its own. The library compares all offered names with each of these.
func agreeable(r *http.Request) []string {
	first, _, _ := strings.Cut(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",")
	if first = strings.TrimSpace(first); len(first) > maxName {
		return []string{Protocol}
	}
	return []string{Protocol, first}
}

// refusing replaces the library's responses to refused handshakes, which repeat headers of the
// client, by errors like those of other requests.
type refusing struct{ http.ResponseWriter }

// Unwrap lets the library take over the connection.
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

// accept sends the header of a successful handshake with the names of RFC 6455
// (Sec-WebSocket-Protocol). net/http's canonical form differs (Sec-Websocket-Protocol), and some
// clients compare names by case, such as Python's gql. The library reads the canonical names
// afterwards, so they are restored.
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

// Write drops the library's text of a refusal.
func (refusing) Write(text []byte) (int, error) { return len(text), nil }
