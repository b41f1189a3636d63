package loaders

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	otel "go.opentelemetry.io/otel/trace"
)

// recordedSpan returns the span of ctx, nil unless it is recorded.
func recordedSpan(ctx context.Context) otel.Span {
	if span := otel.SpanFromContext(ctx); span.IsRecording() {
		return span
	}
	return nil
}

// startSpan starts the round's span, unless parent is nil. The provider is the parent's.
func (r *Round) startSpan(ctx context.Context, parent otel.Span) context.Context {
	if parent != nil {
		ctx, r.span = parent.TracerProvider().Tracer("twibase/loaders").Start(ctx, "round")
	}
	return ctx
}

// rename names the round's span: the default is that of a batch.
func (r *Round) rename(name string) {
	if r.span != nil {
		r.span.SetName(name)
	}
}

// describe adds the number of keys by loader to the round's span.
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

// endSpan ends the round's span, if there is one. err is that of the whole round.
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
