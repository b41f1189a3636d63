// Package params holds what clients send to ask for something, however it comes: as the body or the URL of an HTTP request, or in a message of a WebSocket.
package params

import (
	"net/http"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/documents"
	"twibase/graph/limits"
)

// Params are the fields of a request. They are not safe for concurrent use.
type Params struct {
	Query                            *string // nil if it is left out
	OperationName, DocumentID, DocID string  // the last as Relay's clients call it
	Variables, Extensions            limits.Object
}

// New returns the fields of a request of which nothing has come yet. What exceeds the limits will not be kept of it.
func New(bounds *limits.Limits) *Params {
	return &Params{Variables: bounds.Object(), Extensions: bounds.Object()}
}

// Fields point to where the values of the keys of a JSON object go.
func (p *Params) Fields() map[string]any {
	return map[string]any{"query": &p.Query, "operationName": &p.OperationName, "variables": &p.Variables, "extensions": &p.Extensions,
		"documentId": &p.DocumentID, "doc_id": &p.DocID}
}

// Raw returns them as gqlgen has them, and reports whether they have a query, or name a document.
func (p *Params) Raw(headers http.Header) (raw *graphql.RawParams, complete bool) {
	raw = &graphql.RawParams{OperationName: p.OperationName, Variables: p.Variables.Fields, Headers: headers,
		Extensions: documents.Named(p.Extensions.Fields, p.DocumentID, p.DocID)}
	if p.Query != nil {
		raw.Query = *p.Query
	}
	return raw, p.Query != nil || documents.Names(raw.Extensions)
}
