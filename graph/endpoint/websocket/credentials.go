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

// ownHeaders is the prefix of the headers that a client may put into connection_init: a browser cannot send them with
// the handshake.
const ownHeaders = "X-Twibase-"

// initial decodes the payload of connection_init: it returns the value for Authorization, none if there is no token,
// and adds our own headers to headers. A payload that seems to have a token in another place is refused: its client
// would be taken for anonymous.
func (m message) initial(headers http.Header, bounds *limits.Limits) (authorization []string, wrong *closure) {
	payload := bounds.Object()
	if len(m.Payload) > 0 {
		if err := json.Unmarshal(m.Payload, &payload); err != nil {
			return nil, badRequest("The payload of a connection_init message is an object")
		}
	}
	if payload.Refusal() != nil {
		return nil, badRequest("The payload of a connection_init message is too large")
	}
	switch bare := payload.Fields["authToken"].(type) {
	case nil:
	case string:
		authorization = append(authorization, withScheme(bare))
	default:
		return nil, badRequest("The authToken of a connection_init message is a string")
	}
	delete(payload.Fields, "authToken")
	inner, _ := payload.Fields["headers"].(map[string]any)
	for _, fields := range []map[string]any{payload.Fields, inner} {
		found, wrong := credentials(fields, headers)
		if wrong != nil {
			return nil, wrong
		}
		authorization = append(authorization, found...)
	}
	if authorization = slices.Compact(authorization); len(authorization) > 1 {
		return nil, badRequest("Two different tokens: send one")
	}
	return authorization, nil
}

// credentials returns the values for Authorization in a payload or its headers, and adds our own headers to headers.
func credentials(fields map[string]any, headers http.Header) (authorization []string, wrong *closure) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		canonical := http.CanonicalHeaderKey(name)
		text, isText := fields[name].(string)
		switch {
		case fields[name] == nil:
		case canonical == "Authorization" && isText:
			authorization = append(authorization, text)
		case canonical == "Authorization":
			return nil, badRequest("The authorization of a connection_init message is a string")
		case isText && strings.HasPrefix(canonical, ownHeaders):
			headers.Set(canonical, text)
		case secret(name):
			return nil, badRequest("Unknown credentials %s: send authorization, Authorization, headers.authorization or authToken", quoted(name))
		}
	}
	return authorization, nil
}

// secret reports whether the name of a value suggests that it is a token.
func secret(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "auth") || strings.Contains(name, "token")
}

// withScheme returns the value for Authorization of a token with or without its scheme.
func withScheme(token string) string {
	if scheme, _, ok := strings.Cut(token, " "); ok && strings.EqualFold(scheme, "Bearer") {
		return token
	}
	return "Bearer " + token
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
func acknowledgement(ctx context.Context) []byte {
	name := "null"
	if viewer, ok := auth.ViewerOf(ctx); ok {
		name = string(transport.Encode(viewer.Username))
	}
	return []byte(`{"type":"connection_ack","payload":{"viewer":` + name + `}}`)
}
