package endpoint

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/coercion"
	"twibase/graph/documents"
	"twibase/graph/limits"
	"twibase/graph/plan"
	"twibase/graph/recent"
	"twibase/graph/relay"
	"twibase/graph/scalar"
	"twibase/graph/syntax"
	"twibase/graph/validation"
)

// Bounds of the cache of parsed and validated documents. A parsed document takes about fifty times the bytes of its text,
// and up to three times as much if the text is made for that. Programs rarely repeat long texts, so these are not cached.
const (
	cachedDocuments = 1000
	cachedLength    = 8 << 10
	cachedBytes     = 1 << 20 // of all texts
)

// preparer turns a request into an operation that can be executed, or into the errors of its refusal. It takes the
// steps of section 6.1 of the specification in the place of gqlgen's executor, whose parser, validation and coercion
// of variables differ from the specification. It is safe for concurrent use.
type preparer struct {
	documents *documents.Registry
	inputs    *coercion.Inputs
	validator *validation.Validator
	limits    limits.Limits
	costs     *limits.CostCheck // nil checks no costs
	cache     *recent.Cache[string, *ast.QueryDocument]
}

// newPreparer returns a preparer that checks no costs. A server in production hides its schema: it refuses introspection,
// and no error suggests names.
func newPreparer(schema *ast.Schema, config *Config) *preparer {
	inputs := &coercion.Inputs{Schema: schema, Scalars: scalars, Suggest: !config.Production}
	return &preparer{
		documents: documents.New(config.Trusted, config.Production),
		inputs:    inputs,
		validator: validation.New(inputs, config.Production),
		limits:    config.Limits,
		cache:     recent.New[string, *ast.QueryDocument](cachedDocuments, cachedBytes),
	}
}

// scalars check the values of scalars for what the specification leaves to them.
var scalars = map[string]func(value any) error{
	"DateTime": checked(scalar.UnmarshalDateTime),
	"Date":     checked(scalar.UnmarshalDate),
	"URL":      checked(scalar.UnmarshalURL),
	"ID":       checked(relay.UnmarshalID),
}

func checked[T any](unmarshal func(any) (T, error)) func(any) error {
	return func(value any) error {
		_, err := unmarshal(value)
		return err
	}
}

// prepare returns the operation of a request. It is never nil. After an error its later fields are unset.
func (p *preparer) prepare(
	ctx context.Context, params *graphql.RawParams,
) (*graphql.OperationContext, gqlerror.List) {
	op := &graphql.OperationContext{
		RecoverFunc:        apierr.Recover,
		ResolverMiddleware: plan.PassField, RootResolverMiddleware: plan.PassRootField,
		Stats: graphql.Stats{Read: params.ReadTime, OperationStart: graphql.GetStartTime(ctx)},
	}
	if refusal := p.documents.Resolve(params); refusal != nil {
		return op, gqlerror.List{gqlerror.Wrap(refusal)}
	}
	if refusal := p.limits.Request(params); refusal != nil {
		return op, gqlerror.List{gqlerror.Wrap(refusal)}
	}
	op.RawQuery, op.OperationName = params.Query, params.OperationName
	op.Extensions, op.Headers = params.Extensions, params.Headers

	var errs gqlerror.List
	if op.Doc, errs = p.document(params.Query); errs != nil {
		return op, p.limits.BoundErrors(errs)
	}
	if op.Operation = op.Doc.Operations.ForName(params.OperationName); op.Operation == nil {
		return op, gqlerror.List{gqlerror.Wrap(
			apierr.BadUserInput("operationName must name one of the document's operations"))}
	}
	if op.Variables, errs = p.inputs.Variables(op.Operation, params.Variables); errs != nil {
		return op, p.limits.BoundErrors(errs)
	}
	if err := checkConditions(op); err != nil {
		return op, gqlerror.List{err}
	}
	p.documents.Register(op)
	if p.costs != nil {
		if err := p.costs.Check(ctx, op); err != nil {
			return op, gqlerror.List{err}
		}
	}
	return op, nil
}

// document returns the parsed and valid document of a text, from the cache if possible.
func (p *preparer) document(text string) (*ast.QueryDocument, gqlerror.List) {
	if doc, ok := p.cache.Get(text); ok {
		return doc, nil
	}
	doc, errs := p.parse(text)
	if errs == nil && len(text) <= cachedLength {
		p.cache.Add(text, doc, len(text))
	}
	return doc, errs
}

// parse parses and validates a text. Limits come before both, which do not take linear time.
func (p *preparer) parse(text string) (*ast.QueryDocument, gqlerror.List) {
	if refusal := p.limits.Text(text); refusal != nil {
		return nil, gqlerror.List{gqlerror.Wrap(refusal)}
	}
	doc, err := syntax.Parse(text)
	if err != nil {
		return nil, gqlerror.List{err}
	}
	if refusal := p.limits.Document(doc); refusal != nil {
		return nil, gqlerror.List{gqlerror.Wrap(refusal)}
	}
	if errs := p.validator.Validate(doc); errs != nil {
		return nil, errs
	}
	return doc, nil
}
