package endpoint

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// eventSpan makes a span for each event if the operation's span is recorded.
func eventSpan(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	outer := trace.SpanFromContext(ctx)
	if !outer.IsRecording() {
		return next(ctx)
	}
	operation := graphql.GetOperationContext(ctx).Operation // nil if rejected
	if operation == nil || operation.Operation != ast.Subscription {
		return next(ctx)
	}
	ctx, span := outer.TracerProvider().Tracer("twibase/graph/endpoint").Start(ctx, "event")
	defer span.End()
	response := next(ctx)
	if response != nil && len(response.Errors) > 0 {
		code, _ := response.Errors[0].Extensions["code"].(string)
		span.SetStatus(codes.Error, code)
	}
	return response
}
