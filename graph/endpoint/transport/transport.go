// Package transport has what HTTP, server-sent events and WebSockets share: the parameters of requests, the encoding
// of responses as JSON, and the operations of a connection.
package transport

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/documents"
	"twibase/graph/limits"
	"twibase/graph/plan"
)

// Reconnect is the last response of a subscription when the gateway shuts down. It is not sent, and neither is the
// completion of the subscription, so that the client reconnects and subscribes again, at another gateway.
var Reconnect = new(graphql.Response)

// Expired is the last response of a subscription whose token expired. It is not sent either: the client reconnects
// with a new token and subscribes again.
var Expired = new(graphql.Response)

// Write writes a response as JSON without line breaks. It releases the data for other responses: the caller must not
// use them again. A request that was not executed has no data, not even null.
func Write(w io.Writer, response *graphql.Response) error {
	head, tail := []byte("{"), []byte("}")
	if len(response.Errors) > 0 {
		head = append(append(head, `"errors":`...), Encode(response.Errors)...)
	}
	if len(response.Errors) > 0 && response.Data != nil {
		head = append(head, ',')
	}
	if response.Data != nil {
		head = append(head, `"data":`...)
	}
	if len(response.Extensions) > 0 {
		tail = append(append([]byte(`,"extensions":`), Encode(response.Extensions)...), '}')
	}
	for _, part := range [][]byte{head, response.Data, tail} {
		if _, err := w.Write(part); err != nil {
			return err // the connection may still read the data
		}
	}
	if response.Data != nil {
		plan.Release(response.Data)
	}
	return nil
}

// Message returns a response as [Write] writes it, between two texts.
func Message(before string, response *graphql.Response, after string) []byte {
	var message bytes.Buffer
	message.Grow(len(before) + len(response.Data) + len(after) + len(`{"data":}`))
	message.WriteString(before)
	_ = Write(&message, response) // a buffer takes all
	message.WriteString(after)
	return message.Bytes()
}

// Encode returns a value as JSON. The value consists of strings and numbers, so encoding cannot fail.
func Encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// Params are the parameters of a request. They are not safe for concurrent use.
type Params struct {
	Query                            *string // nil if missing
	OperationName, DocumentID, DocID string  // doc_id is what Relay's clients send
	Variables, Extensions            limits.Object
}

// NewParams returns empty parameters. Values that exceed the limits are not kept.
func NewParams(bounds *limits.Limits) *Params {
	return &Params{Variables: bounds.Object(), Extensions: bounds.Object()}
}

// Fields returns pointers to the values by the keys of a JSON object.
func (p *Params) Fields() map[string]any {
	return map[string]any{"query": &p.Query, "operationName": &p.OperationName, "variables": &p.Variables, "extensions": &p.Extensions,
		"documentId": &p.DocumentID, "doc_id": &p.DocID}
}

// Raw returns the parameters for gqlgen. complete is whether they have a query or name a document.
func (p *Params) Raw(headers http.Header) (raw *graphql.RawParams, complete bool) {
	raw = &graphql.RawParams{OperationName: p.OperationName, Variables: p.Variables.Fields, Headers: headers,
		Extensions: documents.Named(p.Extensions.Fields, p.DocumentID, p.DocID)}
	if p.Query != nil {
		raw.Query = *p.Query
	}
	return raw, p.Query != nil || documents.Names(raw.Extensions)
}
