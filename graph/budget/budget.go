// Package budget checks before deployment that documents are valid, within limits, and not too
// costly.
package budget

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/auth"
	"twibase/graph/documents"
	"twibase/graph/endpoint"
	"twibase/graph/explain"
	"twibase/graph/syntax"
)

// Operation is the cost of an operation. docs/DOCUMENTS.md describes its JSON.
type Operation struct {
	Name string `json:"name"`
	Kind string `json:"kind,omitempty"` // empty if it can't be parsed
	Hash string `json:"hash"`           // of its document
	File string `json:"file"`
	explain.Totals
	Fields   []explain.Item `json:"fields,omitempty"`
	Rejected []string       `json:"refused,omitempty"`
}

func (o *Operation) label() string {
	if o.Name == "" {
		return "document " + o.Hash[:min(len(o.Hash), 12)]
	}
	return o.Name
}

// Checker predicts the cost of documents. It is safe for concurrent use.
type Checker struct {
	Endpoint *endpoint.Checker
	Schema   *ast.Schema
	// Variables are decoded JSON with [json.Number]. Costs assume the most expensive values of all
	// others.
	Variables map[string]any
	// List is the maximum length of a list in a request; 0 is no limit.
	List int
}

// Operations returns the operations of documents, sorted by name. A document with several hashes
// counts once.
func (c *Checker) Operations(ctx context.Context, trusted *documents.Trusted) []Operation {
	// Viewers who are not administrators cost most, because their permissions are checked by reads.
	ctx = auth.WithViewer(ctx, auth.Viewer{Username: "viewer"})
	var all []Operation
	known := map[string]bool{}
	for d := range trusted.All() {
		if !known[d.Text] {
			known[d.Text] = true
			all = append(all, c.document(ctx, d)...)
		}
	}
	slices.SortStableFunc(all, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}

func (c *Checker) document(ctx context.Context, d documents.Document) (operations []Operation) {
	doc, errs := c.Endpoint.Document(d.Text)
	if errs != nil {
		return rejected(d, reasons(errs))
	}
	c.dropConditions(doc)
	for _, def := range doc.Operations {
		o := Operation{Name: def.Name, Kind: string(def.Operation), Hash: d.Hash, File: d.File}
		given, open := c.assume(def)
		o.Totals, o.Fields, errs = c.Endpoint.Itemize(explain.WithOpen(ctx, open), doc, def.Name, given)
		o.Rejected = reasons(errs)
		operations = append(operations, o)
	}
	return operations
}

// rejected returns the operations of an invalid document, or one without a name after a syntax
// error.
func rejected(d documents.Document, why []string) (operations []Operation) {
	invalid := Operation{Hash: d.Hash, File: d.File, Rejected: why}
	if doc, err := syntax.Parse(d.Text); err == nil {
		for _, def := range doc.Operations {
			o := invalid
			o.Name, o.Kind = def.Name, string(def.Operation)
			operations = append(operations, o)
		}
	}
	if operations == nil {
		operations = []Operation{invalid}
	}
	return operations
}

func reasons(errs gqlerror.List) (all []string) {
	for _, err := range errs {
		reason := err.Message
		if len(err.Locations) > 0 {
			reason = fmt.Sprintf("%d:%d: %s", err.Locations[0].Line, err.Locations[0].Column, reason)
		}
		all = append(all, reason)
	}
	return all
}
