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

// ownHeaders is the prefix of headers that connection_init may have: browsers can't send headers
// with the handshake.
const ownHeaders = "X-Twibase-"

// readInit returns at most one Authorization of connection_init. It copies headers with the prefix
// ownHeaders, and those with the client's name, to headers. It rejects tokens in unknown places, so
// that no client becomes anonymous by mistake.
func (m message) readInit(headers http.Header, bounds *limits.Limits) (authorization []string, wrong *closeReason) {
	payload := bounds.Object()
	if len(m.Payload) > 0 {
		if err := json.Unmarshal(m.Payload, &payload); err != nil {
			return nil, badRequest("The payload of a connection_init message must be an object")
		}
	}
	if payload.Rejection() != nil {
		return nil, badRequest("The payload of a connection_init message is too large")
	}
	switch bare := payload.Fields["authToken"].(type) {
	case nil:
	case string:
		authorization = append(authorization, withScheme(bare))
	default:
		return nil, badRequest("The authToken of a connection_init message must be a string")
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

func credentials(fields map[string]any, headers http.Header) (authorization []string, wrong *closeReason) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		canonical := http.CanonicalHeaderKey(name)
		text, isText := fields[name].(string)
		switch {
		case fields[name] == nil:
		case canonical == "Authorization" && isText:
			authorization = append(authorization, text)
		case canonical == "Authorization":
			return nil, badRequest("The authorization of a connection_init message must be a string")
		case isText && (strings.HasPrefix(canonical, ownHeaders) || slices.Contains(transport.ClientHeaders(), canonical)):
			headers.Set(canonical, text)
		case looksLikeToken(name):
			return nil, badRequest("Unknown credentials %s: "+
				"send authorization, Authorization, headers.authorization or authToken", quoted(name))
		}
	}
	return authorization, nil
}

func looksLikeToken(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "auth") || strings.Contains(name, "token")
}

func withScheme(token string) string {
	if scheme, _, ok := strings.Cut(token, " "); ok && strings.EqualFold(scheme, "Bearer") {
		return token
	}
	return "Bearer " + token
}

func closeFor(err *apierr.Error) *closeReason {
	switch {
	case err.Code == apierr.CodeUnavailable:
		return &closeReason{websocket.StatusTryAgainLater, "Try again later"}
	case errors.Is(err, auth.ErrExpired):
		return expired
	case errors.Is(err, auth.ErrNotValidYet):
		return &closeReason{codeForbidden, "Token not valid yet"}
	case errors.Is(err, auth.ErrScheme):
		return &closeReason{codeForbidden, `Invalid token: authorization is not of the form "Bearer TOKEN"`}
	}
	return &closeReason{codeForbidden, "Invalid token"}
}

func acknowledgement(ctx context.Context) []byte {
	name := "null"
	if viewer, ok := auth.ViewerOf(ctx); ok {
		name = string(transport.Encode(viewer.Username))
	}
	return []byte(`{"type":"connection_ack","payload":{"viewer":` + name + `}}`)
}
