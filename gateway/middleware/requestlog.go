package middleware

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"twibase/graph/endpoint"
	"twibase/hbase"
)

const maxLoggedName = 100 // bytes

func short(name string) string { return name[:min(len(name), maxLoggedName)] }

// RequestLog logs the cost of each request, and of each operation of a WebSocket or a shared
// stream, but at most 10 rejections per second. It is safe for concurrent use.
type RequestLog struct {
	log      zerolog.Logger
	measure  func(trace *endpoint.Trace, cost *hbase.Stats, took time.Duration)
	slow     Slow
	spans    Spans
	rejected zerolog.Sampler
}

// NewRequestLog returns a RequestLog that calls measure after each request and operation.
func NewRequestLog(
	log zerolog.Logger, measure func(trace *endpoint.Trace, cost *hbase.Stats, took time.Duration), slow Slow, spans Spans,
) *RequestLog {
	return &RequestLog{log, measure, slow, spans, newRejectionSampler()}
}

// Handler logs requests, and sends their X-Request-Id.
func (l *RequestLog) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, trace, id, end := l.begin(l.spans.request(r))
		response := &statusWriter{w, trace, http.StatusOK}
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(response, r.WithContext(ctx))
		end(response.status).Int("status", response.status).Msg("request")
	})
}

// Operation begins the measurement of an operation of a WebSocket or a shared stream. end logs the
// operation.
func (l *RequestLog) Operation(ctx context.Context, extensions map[string]any) (operation context.Context, end func()) {
	ctx, _, _, line := l.begin(l.spans.operation(ctx, extensions))
	return ctx, func() { line(0).Msg("operation") }
}

func (l *RequestLog) begin(
	ctx context.Context,
) (request context.Context, trace *endpoint.Trace, id string, end func(status int) *zerolog.Event) {
	start := time.Now()
	id = rand.Text()
	trace = &endpoint.Trace{ID: l.spans.traceID(ctx)}
	fields := l.log.With().Str("request", id)
	if trace.ID != "" {
		fields = fields.Str("trace_id", trace.ID)
	}
	log := fields.Logger()
	stats := l.slow.stats()
	stats.Operation = func() string { return trace.Operation }
	ctx = hbase.WithStats(endpoint.WithTrace(log.WithContext(ctx), trace), stats)
	return ctx, trace, id, func(status int) *zerolog.Event {
		took := time.Since(start)
		l.spans.end(ctx, trace, stats, status)
		l.measure(trace, stats, took)
		l.slow.log(&log, trace, stats, took)
		log := log
		if trace.Rejected {
			log = log.Sample(l.rejected)
		}
		return withCosts(log.Info(), trace, stats, took)
	}
}

func withCosts(line *zerolog.Event, trace *endpoint.Trace, stats *hbase.Stats, took time.Duration) *zerolog.Event {
	return line.
		Str("operation", short(trace.Operation)).Str("kind", trace.Kind).
		Int("errors", trace.Errors).Dur("ms", took).
		Str("executor", trace.Execution.Executor).
		Int64("rounds", stats.Rounds.Load()).Int64("gets", stats.Gets.Load()).
		Int64("scans", stats.Scans.Load()).Int64("rpcs", stats.RPCs.Load()).
		Int64("rows", stats.Rows.Load()).Int64("bytes", stats.Bytes.Load())
}

type statusWriter struct {
	http.ResponseWriter
	trace  *endpoint.Trace
	status int
}

// CountCode is called by [apierr.Error.Write].
func (w *statusWriter) CountCode(code string) { w.trace.CountCode(code) }

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
