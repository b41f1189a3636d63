package endpoint

import (
	"context"
	"sync/atomic"

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

// Bounds of the cache of valid documents. A parsed document takes about 50 times the bytes of its
// text, at worst 150 times.
const (
	cachedDocuments = 1000
	cachedLength    = 8 << 10
	cachedBytes     = 1 << 20
)

// preparer replaces gqlgen's parser, validation and coercion of variables, which differ from the
// specification.
type preparer struct {
	documents *documents.Registry
	inputs    *coercion.Inputs
	validator *validation.Validator
	limits    limits.Limits
	costs     *limits.CostCheck // nil checks none
	fields    *fields
	cache     *recent.Cache[string, *validDocument]
	hits      atomic.Int64
	misses    atomic.Int64
}

// newPreparer returns a preparer that checks no costs.
func newPreparer(schema *ast.Schema, config *Config) *preparer {
	inputs := &coercion.Inputs{Schema: schema, Scalars: scalars, Suggest: !config.Production}
	return &preparer{
		documents: documents.New(config.Trusted, config.Production),
		inputs:    inputs,
		validator: validation.New(inputs, config.Production),
		limits:    config.Limits,
		fields:    newFields(schema),
		cache:     recent.New[string, *validDocument](cachedDocuments, cachedBytes),
	}
}

var scalars = map[string]func(value any) error{
	"DateTime": checked(scalar.UnmarshalDateTime),
	"Date":     isString("a day such as 2014-12-25"),
	"URL":      isString("a URL"),
	"ID":       checked(relay.UnmarshalID),
}

func checked[T any](unmarshal func(any) (T, error)) func(any) error {
	return func(value any) error {
		_, err := unmarshal(value)
		return err
	}
}

// isString accepts any string. Fields check it, so that mutations return user errors.
func isString(what string) func(any) error {
	return func(value any) error {
		if _, ok := value.(string); !ok {
			return apierr.BadUserInput("it must be a string with %s", what)
		}
		return nil
	}
}

// prepare returns the operation of a request, which is never nil, but incomplete after an error.
// predicted has the bound 0 if costs are not checked.
func (p *preparer) prepare(
	ctx context.Context, params *graphql.RawParams,
) (op *graphql.OperationContext, predicted prediction, errs gqlerror.List) {
	op = newOperation(ctx)
	op.Stats.Read = params.ReadTime
	if rejection := p.documents.Resolve(params); rejection != nil {
		return op, predicted, gqlerror.List{gqlerror.Wrap(rejection)}
	}
	if rejection := p.limits.Request(params); rejection != nil {
		return op, predicted, gqlerror.List{gqlerror.Wrap(rejection)}
	}
	op.RawQuery, op.OperationName = params.Query, params.OperationName
	op.Extensions, op.Headers = params.Extensions, params.Headers

	doc, errs := p.document(params.Query)
	if errs != nil {
		return op, predicted, p.limits.BoundErrors(errs)
	}
	op.Doc = doc.QueryDocument
	if errs = p.operation(op, params.Variables); errs != nil {
		return op, predicted, errs
	}
	valid := doc.operations[op.Operation]
	traceOf(ctx).Fields, predicted.fraction = valid.fields, &valid.fraction
	p.documents.Register(op)
	if p.costs != nil {
		var rejection *gqlerror.Error
		if predicted.bound, rejection = p.costs.Check(ctx, op); rejection != nil {
			return op, predicted, gqlerror.List{rejection}
		}
	}
	return op, predicted, nil
}

func newOperation(ctx context.Context) *graphql.OperationContext {
	return &graphql.OperationContext{
		RecoverFunc:        apierr.Recover,
		ResolverMiddleware: plan.PassField, RootResolverMiddleware: plan.PassRootField,
		Stats: graphql.Stats{OperationStart: graphql.GetStartTime(ctx)},
	}
}

func (p *preparer) operation(op *graphql.OperationContext, given map[string]any) (errs gqlerror.List) {
	if op.Operation = op.Doc.Operations.ForName(op.OperationName); op.Operation == nil {
		return gqlerror.List{gqlerror.Wrap(
			apierr.BadUserInput("operationName must name one of the document's operations"))}
	}
	if op.Variables, errs = p.inputs.Variables(op.Operation, given); errs != nil {
		return p.limits.BoundErrors(errs)
	}
	if err := checkConditions(op); err != nil {
		return gqlerror.List{err}
	}
	return nil
}

func (p *preparer) document(text string) (*validDocument, gqlerror.List) {
	if doc, ok := p.cache.Get(text); ok {
		p.hits.Add(1)
		return doc, nil
	}
	p.misses.Add(1)
	parsed, errs := p.parse(text)
	if errs != nil {
		return nil, errs
	}
	doc := p.fields.of(parsed)
	if len(text) <= cachedLength {
		p.cache.Add(text, doc, len(text))
	}
	return doc, nil
}

// parse checks limits first: parsing and validation can take more than linear time.
func (p *preparer) parse(text string) (*ast.QueryDocument, gqlerror.List) {
	if rejection := p.limits.Text(text); rejection != nil {
		return nil, gqlerror.List{gqlerror.Wrap(rejection)}
	}
	doc, err := syntax.Parse(text)
	if err != nil {
		return nil, gqlerror.List{err}
	}
	if rejection := p.limits.Document(doc); rejection != nil {
		return nil, gqlerror.List{gqlerror.Wrap(rejection)}
	}
	if errs := p.validator.Validate(doc); errs != nil {
		return nil, errs
	}
	return doc, nil
}

// DocumentCache counts hits and misses since the last [Endpoint.Reload].
func (e *Endpoint) DocumentCache() (hits, misses int64) {
	p := e.rules.Load().preparer
	return p.hits.Load(), p.misses.Load()
}
