package loaders

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	otel "go.opentelemetry.io/otel/trace"
)

func recordedSpan(ctx context.Context) otel.Span {
	if span := otel.SpanFromContext(ctx); span.IsRecording() {
		return span
	}
	return nil
}

func (r *Round) startSpan(ctx context.Context, parent otel.Span) context.Context {
	if parent != nil {
		ctx, r.span = parent.TracerProvider().Tracer("twibase/loaders").Start(ctx, "round")
	}
	return ctx
}

func (r *Round) rename(name string) {
	if r.span != nil {
		r.span.SetName(name)
	}
}

func (r *Round) describe(sets []*readSet) {
	if r.span == nil {
		return
	}
	keys := map[string]int{}
	for _, set := range sets {
		keys[set.loader] += len(set.reads)
	}
	for loader, n := range keys {
		r.span.SetAttributes(attribute.Int("twibase.keys."+loader, n))
	}
}

func (r *Round) endSpan(err error) {
	if r.span == nil {
		return
	}
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
