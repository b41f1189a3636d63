package websocket

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"

	"twibase/graph/endpoint/strict"
	"twibase/graph/endpoint/transport"
	"twibase/graph/limits"
)

const (
	codeBadRequest   websocket.StatusCode = 4400
	codeUnauthorized websocket.StatusCode = 4401
	codeForbidden    websocket.StatusCode = 4403
	codeSubprotocol  websocket.StatusCode = 4406
	codeTimeout      websocket.StatusCode = 4408
	codeDuplicate    websocket.StatusCode = 4409
	codeInitTwice    websocket.StatusCode = 4429
	// not part of the protocol
	codeSlow websocket.StatusCode = 4413
)

type closeReason struct {
	code   websocket.StatusCode
	reason string
}

var (
	goingAway = &closeReason{websocket.StatusGoingAway, "Going away"}
	expired   = &closeReason{codeForbidden, "Token expired"}
)

func badRequest(format string, args ...any) *closeReason {
	return &closeReason{codeBadRequest, fmt.Sprintf(format, args...)}
}

const maxReason = 123 // bytes of a close frame's text

func (c *closeReason) text() string {
	return strings.ToValidUTF8(c.reason[:min(len(c.reason), maxReason)], "")
}

type message struct {
	Type    string
	ID      string
	Payload json.RawMessage
}

func read(kind websocket.MessageType, text []byte) (m message, wrong *closeReason) {
	if kind != websocket.MessageText {
		return m, badRequest("Messages must be text")
	}
	if !utf8.Valid(text) {
		return m, &closeReason{websocket.StatusInvalidFramePayloadData, "Messages must be UTF-8"}
	}
	if err := strict.Object(text, map[string]any{"type": &m.Type, "id": &m.ID, "payload": &m.Payload}); err != nil {
		return m, badRequest("A message must be a JSON object with a type")
	}
	switch m.Type {
	case "connection_init", "ping", "pong":
		if !isObject(m.Payload) {
			return m, badRequest("The payload of a message of type %s must be an object", m.Type)
		}
	case "subscribe", "complete":
		if m.ID == "" || len(m.ID) > transport.MaxID {
			return m, badRequest("A message of type %s has an id of 1 to %d bytes", m.Type, transport.MaxID)
		}
	case "":
		return m, badRequest("A message needs a type")
	case "connection_ack", "next", "error":
		return m, badRequest("Only servers send messages of type %q", m.Type)
	default:
		return m, badRequest("Unknown message type %s: this server speaks %s", quoted(m.Type), Protocol)
	}
	return m, nil
}

const maxQuoted = 24

func quoted(text string) string {
	if len(text) > maxQuoted {
		text = strings.ToValidUTF8(text[:maxQuoted], "") + "…"
	}
	return strconv.Quote(text)
}

func isObject(payload json.RawMessage) bool {
	return len(payload) == 0 || payload[0] == '{' || bytes.Equal(payload, []byte("null"))
}

func (m message) params(headers http.Header, bounds *limits.Limits) (*graphql.RawParams, *closeReason) {
	p := transport.NewParams(bounds)
	err := strict.Object(m.Payload, p.Fields())
	raw, complete := p.Raw(headers)
	if wrong := (*strict.TypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		return nil, badRequest("The %s of a subscribe message has the wrong type", wrong.Field)
	}
	if err != nil || !complete {
		return nil, badRequest("The payload of a subscribe message must be an object with a query")
	}
	return raw, nil
}
