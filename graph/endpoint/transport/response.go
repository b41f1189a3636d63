// Package transport has what HTTP, server-sent events and WebSockets share: the parameters of requests, and the encoding of
// responses as JSON.
package transport

import (
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/plan"
)

// Reconnect is the last response of a subscription when the gateway shuts down. It is not sent, and neither is the
// completion of the subscription, so that the client reconnects and subscribes again, at another gateway.
var Reconnect = new(graphql.Response)

// Expired is the last response of a subscription whose token expired. It is not sent either: the client reconnects
// with a new token and subscribes again.
var Expired = new(graphql.Response)

// Message is a text, or a response between two texts. The data of a response are JSON already and
// may be long, so they are not copied: a message is written in three parts.
type Message struct{ head, data, tail []byte }

// Text returns a message without a response.
func Text(text string) Message { return Message{head: []byte(text)} }

// Of returns the message of a response, with a text before and after it. It has no line break. A
// request that was not executed has no data, not even null.
func Of(before string, response *graphql.Response, after string) Message {
	head := []byte(before)
	if len(response.Errors) > 0 {
		head = append(append(append(head, `{"errors":`...), Encode(response.Errors)...), ',')
	} else {
		head = append(head, '{')
	}
	if response.Data != nil {
		head = append(head, `"data":`...)
	} else {
		head = head[:len(head)-1] // a refused request has errors only
	}
	var tail []byte
	if len(response.Extensions) > 0 {
		tail = append(extensions(append(tail, `,"extensions":`...), response.Extensions), '}')
	}
	return Message{head, response.Data, append(append(tail, '}'), after...)}
}

// extensions appends an object without its last brace. Extensions that are JSON already are not
// encoded again.
func extensions(dst []byte, all map[string]any) []byte {
	separator := byte('{')
	for _, name := range slices.Sorted(maps.Keys(all)) {
		dst = append(append(append(dst, separator), Encode(name)...), ':')
		separator = ','
		if text, ok := all[name].(json.RawMessage); ok {
			dst = append(dst, text...)
		} else {
			dst = append(dst, Encode(all[name])...)
		}
	}
	return dst
}

// Len returns the length in bytes.
func (m Message) Len() int { return len(m.head) + len(m.data) + len(m.tail) }

// Write writes the message, and releases its data for other responses: the caller must not use them
// again. If writing fails they are not released, because the connection may still read them.
func (m Message) Write(w io.Writer) error {
	for _, part := range [][]byte{m.head, m.data, m.tail} {
		if len(part) == 0 {
			continue
		}
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	if m.data != nil {
		plan.Release(m.data)
	}
	return nil
}

// Encode returns a value as JSON. The value consists of strings and numbers, so encoding cannot
// fail.
func Encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
