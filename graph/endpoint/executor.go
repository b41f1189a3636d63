package endpoint

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"

	"twibase/graph/apierr"
	"twibase/graph/explain"
	"twibase/graph/limits"
	"twibase/graph/plan"
	"twibase/graph/report"
)

// newExecutor adds the outermost middleware first.
func newExecutor(schema graphql.ExecutableSchema, config *Config, admission *admission) *executor.Executor {
	x := executor.New(schema)
	x.SetErrorPresenter(apierr.Present)
	x.SetRecoverFunc(apierr.Recover)
	x.AroundResponses(eventSpan)
	x.AroundResponses(config.Limits.BoundResponse)
	if config.Costs != nil {
		x.AroundOperations(explain.Middleware(schema, config.Costs, config.Limits[limits.Plan]))
	}
	x.AroundResponses(admission.eventSlot) // outside the timeout
	x.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		ctx, cancel := context.WithTimeout(ctx, config.Timeout)
		defer endResponse(ctx, cancel)
		return next(config.Around(apierr.Once(ctx)))
	})
	// The report comes after Around, because it traces the loaders that Around adds.
	if config.RecordCalls != nil && !config.Production {
		x.AroundResponses(report.Middleware(config.RecordCalls, config.Limits[limits.Plan]))
	}
	x.Use(plan.Events{})
	return x
}

type untilWrittenKey struct{}

// untilWritten returns a ctx for a response whose memory is held until written is called.
func untilWritten(ctx context.Context) (response context.Context, written context.CancelFunc) {
	return context.WithCancel(context.WithValue(ctx, untilWrittenKey{}, true))
}

// endResponse ends the ctx of a response, which releases its memory, unless it is from
// untilWritten.
func endResponse(ctx context.Context, cancel context.CancelFunc) {
	if ctx.Value(untilWrittenKey{}) == nil {
		cancel()
	}
}

// Invalid returns the error of a document, without checking costs.
func (e *Endpoint) Invalid(document string) error {
	if _, errs := e.rules.Load().preparer.parse(document); errs != nil {
		return errs
	}
	return nil
}
