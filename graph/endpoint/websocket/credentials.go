package websocket

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/coder/websocket"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/endpoint/transport"
	"twibase/graph/limits"
)

// ownHeaders is the prefix of the headers that a client may put into connection_init: a browser
// cannot send them with the handshake.
const ownHeaders = "X-Twibase-"

// initial decodes the payload of connection_init: it returns the value for Authorization, nil if
// there is no token, and adds our own headers to headers. A payload that seems to have a token in
// another place is refused: its client would be taken for anonymous.
func (m message) initial(headers http.Header, bounds *limits.Limits) (authorization *string, wrong *closure) {
	payload := bounds.Object()
	if len(m.Payload) > 0 {
		if err := json.Unmarshal(m.Payload, &payload); err != nil {
			return nil, badRequest("The payload of a connection_init message is an object")
		}
	}
	if payload.Refusal() != nil {
		return nil, badRequest("The payload of a connection_init message is too large")
	}
	c := credentials{headers: headers}
	bare := payload.Fields["authToken"]
	delete(payload.Fields, "authToken")
	c.bearer(bare)
	c.read(payload.Fields)
	if inner, ok := payload.Fields["headers"].(map[string]any); ok {
		c.read(inner)
	}
	return c.authorization, c.wrong
}

// credentials collects what a payload says of its client.
type credentials struct {
	headers       http.Header
	authorization *string
	wrong         *closure
}

// read reads keys that may be in the payload or in its headers.
func (c *credentials) read(fields map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		canonical, value := http.CanonicalHeaderKey(name), fields[name]
		text, isText := value.(string)
		switch {
		case value == nil:
		case canonical == "Authorization" && isText:
			c.found(text)
		case canonical == "Authorization":
			c.wrong = badRequest("The authorization of a connection_init message is a string")
		case isText && strings.HasPrefix(canonical, ownHeaders):
			c.headers.Set(canonical, text)
		case secret(name):
			c.wrong = badRequest("Unknown credentials %s: send authorization, Authorization, headers.authorization or authToken", quoted(name))
		}
	}
}

// secret reports whether the name of a value suggests that it is a token.
func secret(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "auth") || strings.Contains(name, "token")
}

// bearer accepts a token with or without its scheme.
func (c *credentials) bearer(value any) {
	text, isText := value.(string)
	switch {
	case value == nil:
	case !isText:
		c.wrong = badRequest("The authToken of a connection_init message is a string")
	case len(text) >= len("Bearer ") && strings.EqualFold(text[:len("Bearer ")], "Bearer "):
		c.found(text)
	default:
		c.found("Bearer " + text)
	}
}

func (c *credentials) found(authorization string) {
	if c.authorization != nil && *c.authorization != authorization {
		c.wrong = badRequest("Two different tokens: send one")
		return
	}
	c.authorization = &authorization
}

// refusal returns the close code for a token that is not accepted.
func refusal(err *apierr.Error) *closure {
	switch {
	case err.Code == apierr.CodeUnavailable:
		return &closure{websocket.StatusTryAgainLater, "Try again later"}
	case errors.Is(err, auth.ErrExpired):
		return expired
	case errors.Is(err, auth.ErrNotValidYet):
		return &closure{codeForbidden, "Token not valid yet"}
	case errors.Is(err, auth.ErrScheme):
		return &closure{codeForbidden, `Invalid token: authorization is not of the form "Bearer TOKEN"`}
	}
	return &closure{codeForbidden, "Invalid token"}
}

// acknowledgement returns connection_ack with the viewer; null is anonymous.
func acknowledgement(ctx context.Context) transport.Message {
	name := "null"
	if viewer, ok := auth.ViewerOf(ctx); ok {
		name = string(transport.Encode(viewer.Username))
	}
	return transport.Text(`{"type":"connection_ack","payload":{"viewer":` + name + `}}`)
}
