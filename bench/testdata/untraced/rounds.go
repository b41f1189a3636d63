package loaders

import (
	"context"

	otel "go.opentelemetry.io/otel/trace"
)

func recordedSpan(context.Context) otel.Span                              { return nil }
func (*Round) startSpan(ctx context.Context, _ otel.Span) context.Context { return ctx }
func (*Round) rename(string)                                              {}
func (*Round) describe([]*readSet)                                        {}
func (*Round) endSpan(error)                                              {}
