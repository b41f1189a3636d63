package limits

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/explain"
	"twibase/graph/plan"
	"twibase/graph/recent"
)

// Extension refuses operations that cost more than the limits allow, and bounds responses. It is one of gqlgen's.
type Extension struct {
	limits Limits
	schema graphql.ExecutableSchema
	costs  explain.Costs
	within *recent.Cache[asked, struct{}] // what costs no more than it may, whoever else asks
}

// asked is an operation of a document that is kept, and all that its cost depends on if it has no variables.
type asked struct {
	operation    *ast.OperationDefinition
	known, admin bool
}

// The bounds of what is kept, as those of documents: an operation keeps its document from being collected.
const (
	keptOperations = 1000
	keptBytes      = 1 << 20
	keptLength     = 8 << 10
)

// New returns the extension. Without costs neither rows nor RPCs are limited.
func New(limits Limits, schema graphql.ExecutableSchema, costs explain.Costs) *Extension {
	return &Extension{limits, schema, costs, recent.New[asked, struct{}](keptOperations, keptBytes)}
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
	graphql.ResponseInterceptor
} = (*Extension)(nil)

// ExtensionName implements [graphql.HandlerExtension].
func (*Extension) ExtensionName() string { return "limits" }

// Validate implements [graphql.HandlerExtension].
func (*Extension) Validate(graphql.ExecutableSchema) error { return nil }

// Request refuses a request whose variables or extensions exceed the limits.
func (l *Limits) Request(params *graphql.RawParams) *apierr.Error {
	if refusal := l.Values(params.Variables); refusal != nil {
		return refusal
	}
	return l.Values(params.Extensions)
}

// Text refuses the text of a document that exceeds the limits, before it is parsed.
func (l *Limits) Text(query string) *apierr.Error {
	if refusal := l.check(Bytes, len(query)); refusal != nil {
		return refusal
	}
	tokens, name, depth := measure(query)
	if refusal := l.check(Tokens, tokens); refusal != nil {
		return refusal
	}
	if refusal := l.check(Name, name); refusal != nil {
		return refusal
	}
	return l.check(Depth, depth)
}

// measure returns how many tokens a query has, comments too, how long its longest name is, and how deep its brackets nest, of whatever kind: a parser goes down as deep.
func measure(query string) (tokens, longest, deepest int) {
	l, depth := lexer.New(&ast.Source{Input: query}), 0
	for {
		token, err := l.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return tokens, longest, deepest
		}
		tokens++
		switch token.Kind {
		case lexer.Name:
			longest = max(longest, len(token.Value))
		case lexer.BraceL, lexer.BracketL, lexer.ParenL:
			depth++
			deepest = max(deepest, depth)
		case lexer.BraceR, lexer.BracketR, lexer.ParenR:
			depth--
		}
	}
}

// MutateOperationContext implements [graphql.OperationContextMutator]: it refuses what would cost too much, or has arguments with which a
// resolver would fail. Who asks for the plan is told that.
func (e *Extension) MutateOperationContext(ctx context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	if e.costs == nil || e.limits == (Limits{}) || operation.Headers.Get(explain.Header) == "1" {
		return nil
	}
	viewer, known := auth.ViewerOf(ctx)
	this := asked{operation.Operation, known, viewer.Admin}
	constant := len(operation.Operation.VariableDefinitions) == 0 && len(operation.RawQuery) <= keptLength
	if constant {
		if _, within := e.within.Get(this); within {
			return nil
		}
	}
	totals, err := explain.Bound(graphql.WithOperationContext(ctx, operation), e.schema, e.costs)
	if err != nil {
		return gqlerror.WrapIfUnwrapped(err)
	}
	for _, of := range []struct {
		limit  Limit
		actual int64
	}{{Rows, totals.Rows}, {RPCs, totals.RPCs}, {Objects, totals.Objects}, {Resolved, totals.Resolved}} {
		if refusal := e.limits.check(of.limit, int(of.actual)); refusal != nil {
			return gqlerror.Wrap(refusal)
		}
	}
	if constant {
		e.within.Add(this, struct{}{}, len(operation.RawQuery))
	}
	return nil
}

// InterceptResponse implements [graphql.ResponseInterceptor]: an answer that is too long is not given, and of the errors those are left out that are too
// many. The last says how many there were.
func (e *Extension) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if most := e.limits[Answer]; most > 0 {
		ctx = plan.WithMost(ctx, most)
	}
	most, more := e.limits[Errors], 0
	if most > 0 {
		ctx = plan.WithErrors(ctx, most, &more)
	}
	response := next(ctx)
	if response == nil {
		return nil
	}
	if refusal := e.limits.check(Errors, len(response.Errors)+more); refusal != nil {
		response.Errors = append(slices.Clone(response.Errors[:most-1]), refusal.GraphQL())
	}
	return response
}

// Told returns those errors of a refusal that are told. InterceptResponse would leave the rest out too, when each has been presented: validation may find
// thousands.
func (l *Limits) Told(errs gqlerror.List) gqlerror.List {
	if refusal := l.check(Errors, len(errs)); refusal != nil {
		return append(slices.Clone(errs[:l[Errors]-1]), gqlerror.Wrap(refusal))
	}
	return errs
}
