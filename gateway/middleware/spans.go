package middleware

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"

	"twibase/graph/endpoint"
	"twibase/graph/endpoint/sse"
	"twibase/graph/endpoint/websocket"
	"twibase/hbase"
)

const maxSpanName = 64 // bytes

// Spans starts a span for each request, or operation of a WebSocket or a shared stream: see
// docs/OBSERVABILITY.md#traces. The zero value starts none.
type Spans struct {
	tracer trace.Tracer
	parent propagation.TraceContext
}

// NewSpans returns Spans of a provider, which may be nil.
func NewSpans(provider trace.TracerProvider) Spans {
	if provider == nil {
		return Spans{}
	}
	return Spans{tracer: provider.Tracer("twibase/gateway")}
}

// request starts no span for the handshake of a WebSocket or the GET of a shared stream: their
// operations have spans.
func (s Spans) request(r *http.Request) context.Context {
	ctx := r.Context()
	if s.tracer == nil {
		return ctx
	}
	ctx = s.parent.Extract(ctx, propagation.HeaderCarrier(r.Header))
	if websocket.IsHandshake(r) || r.Method == http.MethodGet && r.Header.Get(sse.TokenHeader) != "" {
		return ctx
	}
	method := methodOf(r)
	name := method.Value.AsString() + " " + r.URL.Path
	ctx, span := s.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer))
	if span.IsRecording() {
		span.SetAttributes(method, semconv.HTTPRoute(r.URL.Path), semconv.URLPath(r.URL.Path))
	}
	return ctx
}

// operation starts the span of an operation. If its extensions name no parent, the parent is the
// one that the WebSocket's handshake names, or the span of the POST to the shared stream.
func (s Spans) operation(ctx context.Context, extensions map[string]any) context.Context {
	if s.tracer == nil {
		return ctx
	}
	parent := propagation.MapCarrier{}
	for _, key := range s.parent.Fields() {
		parent[key], _ = extensions[key].(string)
	}
	ctx = s.parent.Extract(ctx, parent)
	ctx, _ = s.tracer.Start(ctx, "operation", trace.WithSpanKind(trace.SpanKindServer))
	return ctx
}

// end gets status 0 for an operation of a WebSocket or a shared stream.
func (s Spans) end(ctx context.Context, t *endpoint.Trace, cost *hbase.Stats, status int) {
	if s.tracer == nil {
		return
	}
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	if status != 0 {
		span.SetAttributes(semconv.HTTPResponseStatusCode(status))
	}
	if t.Kind != "" {
		span.SetName(spanName(t))
		span.SetAttributes(
			semconv.GraphQLOperationTypeKey.String(t.Kind),
			attribute.String("graphql.document.hash", t.DocumentHash()),
			attribute.Int64("twibase.rounds", cost.Rounds.Load()),
			attribute.Int64("twibase.gets", cost.Gets.Load()),
			attribute.Int64("twibase.scans", cost.Scans.Load()),
			attribute.Int64("twibase.rpcs", cost.RPCs.Load()),
			attribute.Int64("twibase.rows", cost.Rows.Load()),
			attribute.Int64("twibase.bytes", cost.Bytes.Load()),
		)
		if t.Operation != "" {
			span.SetAttributes(semconv.GraphQLOperationName(short(t.Operation)))
		}
	}
	if code := t.Code(); code != endpoint.NoError {
		span.SetStatus(codes.Error, code)
		span.SetAttributes(semconv.ErrorTypeKey.String(code))
	}
	span.End()
}

func spanName(t *endpoint.Trace) string {
	if t.Operation == "" {
		return t.Kind
	}
	return t.Kind + " " + t.Operation[:min(len(t.Operation), maxSpanName)]
}

func (s Spans) traceID(ctx context.Context) string {
	if s.tracer == nil {
		return ""
	}
	if span := trace.SpanContextFromContext(ctx); span.IsSampled() {
		return span.TraceID().String()
	}
	return ""
}

func methodOf(r *http.Request) attribute.KeyValue {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions:
		return semconv.HTTPRequestMethodKey.String(r.Method)
	}
	return semconv.HTTPRequestMethodOther
}
