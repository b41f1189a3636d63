// Package transport is common to HTTP, server-sent events and WebSockets.
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

// Responses that end a subscription. They are not sent, nor is a completion, so that the client
// subscribes again.
var (
	// Reconnect: the gateway shuts down.
	Reconnect = new(graphql.Response)
	// Expired: the token expired, and the client needs a new one.
	Expired = new(graphql.Response)
)

// Write writes JSON without line breaks, and releases the data, which the caller must not use
// again. The response to a request that was not executed has no data, not even null.
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
			return err
		}
	}
	if response.Data != nil {
		plan.Release(response.Data)
	}
	return nil
}

// Message returns a response between two texts.
func Message(before string, response *graphql.Response, after string) []byte {
	var message bytes.Buffer
	message.Grow(len(before) + len(response.Data) + len(after) + len(`{"data":}`))
	message.WriteString(before)
	_ = Write(&message, response)
	message.WriteString(after)
	return message.Bytes()
}

// Encode returns a value of strings and numbers as JSON.
func Encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// Params are those of a request.
type Params struct {
	Query                            *string
	OperationName, DocumentID, DocID string // doc_id is Relay's
	Variables, Extensions            limits.Object
}

// NewParams returns parameters to decode into, with limits as in [limits.Object].
func NewParams(bounds *limits.Limits) *Params {
	return &Params{Variables: bounds.Object(), Extensions: bounds.Object()}
}

// Fields returns pointers to the values by JSON key.
func (p *Params) Fields() map[string]any {
	return map[string]any{
		"query":         &p.Query,
		"operationName": &p.OperationName,
		"variables":     &p.Variables,
		"extensions":    &p.Extensions,
		"documentId":    &p.DocumentID,
		"doc_id":        &p.DocID,
	}
}

// Raw returns the parameters for gqlgen. They are complete if they have a query or name a document.
func (p *Params) Raw(headers http.Header) (raw *graphql.RawParams, complete bool) {
	raw = &graphql.RawParams{OperationName: p.OperationName, Variables: p.Variables.Fields, Headers: headers,
		Extensions: documents.Named(p.Extensions.Fields, p.DocumentID, p.DocID)}
	if p.Query != nil {
		raw.Query = *p.Query
	}
	return raw, p.Query != nil || documents.Names(raw.Extensions)
}
