package transport

import (
	"net/http"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/documents"
	"twibase/graph/limits"
)

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
