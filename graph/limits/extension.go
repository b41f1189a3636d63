package limits

import (
	"context"
	"errors"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"

	"twibase/graph/apierr"
	"twibase/graph/explain"
	"twibase/graph/plan"
)

// Extension refuses requests that exceed the limits. It is one of gqlgen's.
type Extension struct {
	Limits Limits
	Schema graphql.ExecutableSchema
	// Costs say what a request costs: without them neither rows nor RPCs are limited.
	Costs explain.Costs
	// Passed tells whether a document has passed these limits before, and is valid.
	Passed func(ctx context.Context, query string) bool
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationParameterMutator
	graphql.OperationContextMutator
	graphql.ResponseInterceptor
} = Extension{}

// ExtensionName implements [graphql.HandlerExtension].
func (Extension) ExtensionName() string { return "limits" }

// Validate implements [graphql.HandlerExtension].
func (Extension) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters implements [graphql.OperationParameterMutator]. It changes nothing. A document that can't be parsed is left to
// whoever parses it next.
func (e Extension) MutateOperationParameters(ctx context.Context, params *graphql.RawParams) *gqlerror.Error {
	refusal := e.Limits.Values(params.Variables)
	if refusal == nil {
		refusal = e.Limits.Values(params.Extensions)
	}
	if refusal == nil && !e.Passed(ctx, params.Query) {
		refusal = e.Limits.Text(params.Query)
	}
	if refusal != nil {
		return gqlerror.Wrap(refusal)
	}
	return nil
}

// Text is Document of a text, unless that can't be parsed.
func (l *Limits) Text(query string) *apierr.Error {
	if refusal := l.check(Bytes, len(query)); refusal != nil {
		return refusal
	}
	tokens, depth := measure(query)
	if refusal := l.check(Tokens, tokens); refusal != nil {
		return refusal
	}
	if refusal := l.check(Depth, depth); refusal != nil {
		return refusal
	}
	doc, err := parser.ParseQuery(&ast.Source{Input: query})
	if err != nil {
		return nil
	}
	return l.Document(doc)
}

// measure returns how many tokens a query has, comments too, and how deep its brackets nest, of whatever kind: a parser goes down as deep.
func measure(query string) (tokens, deepest int) {
	l, depth := lexer.New(&ast.Source{Input: query}), 0
	for {
		token, err := l.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return tokens, deepest
		}
		tokens++
		switch token.Kind {
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
func (e Extension) MutateOperationContext(ctx context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	if e.Costs == nil || e.Limits == (Limits{}) || operation.Headers.Get(explain.Header) == "1" {
		return nil
	}
	totals, err := explain.Bound(graphql.WithOperationContext(ctx, operation), e.Schema, e.Costs)
	if uncovered := (*explain.Uncovered)(nil); errors.As(err, &uncovered) {
		return gqlerror.Wrap(apierr.BadUserInput("%s", err))
	} else if err != nil {
		return gqlerror.Wrap(err)
	}
	for _, of := range []struct {
		limit  Limit
		actual int64
	}{{Rows, totals.Rows}, {RPCs, totals.RPCs}, {Objects, totals.Objects}, {Resolved, totals.Resolved}} {
		if refusal := e.Limits.check(of.limit, int(of.actual)); refusal != nil {
			return gqlerror.Wrap(refusal)
		}
	}
	return nil
}

// InterceptResponse implements [graphql.ResponseInterceptor]: an answer that is too long is not given, and of the errors those are left out that are too
// many. The last says how many there were.
func (e Extension) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if most := e.Limits[Answer]; most > 0 {
		ctx = plan.WithMost(ctx, most)
	}
	response := next(ctx)
	if response == nil {
		return nil
	}
	limit := Errors
	if response.Data == nil {
		limit = Refusals
	}
	if refusal := e.Limits.check(limit, len(response.Errors)); refusal != nil {
		response.Errors = append(slices.Clone(response.Errors[:e.Limits[limit]-1]), refusal.GraphQL())
	}
	return response
}
