package loaders

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	otel "go.opentelemetry.io/otel/trace"
)

func (r *Round) startSpan(ctx context.Context, parent otel.Span) context.Context {
	ctx, r.span = parent.TracerProvider().Tracer("twibase/loaders").Start(ctx, "round")
	return ctx
}

func (r *Round) describe(sets []*readSet) {
	keys := map[string]int{}
	for _, set := range sets {
		keys[set.loader] += len(set.reads)
	}
	for loader, n := range keys {
		r.span.SetAttributes(attribute.Int("twibase.keys."+loader, n))
	}
}

func (r *Round) endSpan(err error) {
	cost := r.Stats
	r.span.SetAttributes(
		attribute.Int64("twibase.gets", cost.Gets.Load()),
		attribute.Int64("twibase.scans", cost.Scans.Load()),
		attribute.Int64("twibase.rpcs", cost.RPCs.Load()),
		attribute.Int64("twibase.rows", cost.Rows.Load()),
		attribute.Int64("twibase.bytes", cost.Bytes.Load()),
		attribute.StringSlice("twibase.tables", cost.Tables.Names()),
	)
	if err != nil {
		r.span.SetStatus(codes.Error, err.Error())
	}
	r.span.End()
}
