package cluster

import (
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"strconv"

	"github.com/tsuna/gohbase/hrpc"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"
)

// rpcSpan is the span of an RPC or a batch. The zero rpcSpan, of an unrecorded parent, records
// nothing.
type rpcSpan struct{ trace.Span }

func startSpan(ctx context.Context, operation string) (context.Context, rpcSpan) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, rpcSpan{}
	}
	ctx, span := parent.TracerProvider().Tracer("twibase/hbase/cluster").Start(ctx, operation,
		trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(semconv.DBSystemNameHBase, semconv.DBOperationName(operation)))
	return ctx, rpcSpan{span}
}

func (s rpcSpan) describe(server string, err error, attributes ...attribute.KeyValue) {
	s.SetAttributes(attributes...)
	if host, port, wrong := net.SplitHostPort(server); wrong == nil {
		number, _ := strconv.Atoi(port)
		s.SetAttributes(semconv.ServerAddress(host), semconv.ServerPort(number))
	}
	if err != nil {
		s.SetStatus(codes.Error, errorType(err))
		s.SetAttributes(semconv.ErrorTypeKey.String(errorType(err)))
	}
}

func errorType(err error) string {
	switch exception := exceptionOf(err); {
	case exception != "":
		return exception
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return "connection"
}

func (s rpcSpan) endCall(call hrpc.Call, err error) {
	if s.Span != nil {
		s.describe(serverAddress(call), err, semconv.DBCollectionName(string(call.Table())))
		s.End()
	}
}

func (s rpcSpan) endMulti(m *multi, err error) {
	if s.Span == nil {
		return
	}
	tables := map[string]bool{}
	for _, r := range m.gets {
		tables[string(r.region.Table())] = true
	}
	s.describe(m.server, err, semconv.DBOperationBatchSize(len(m.gets)), tablesAttribute(tables))
	s.End(trace.WithTimestamp(m.ended))
}

func (s rpcSpan) endBatch(calls []hrpc.Call, results []hrpc.RPCResult) {
	if s.Span == nil {
		return
	}
	servers := map[string]bool{}
	var failed error
	for k, call := range calls {
		servers[serverAddress(call)] = true
		if results[k].Msg == nil {
			failed = results[k].Error
		}
	}
	server := serverAddress(calls[0])
	if len(servers) > 1 {
		server = ""
	}
	s.describe(server, failed, semconv.DBOperationBatchSize(len(calls)),
		semconv.DBCollectionName(string(calls[0].Table())), attribute.StringSlice("twibase.servers", sorted(servers)))
	s.End()
}

func tablesAttribute(tables map[string]bool) attribute.KeyValue {
	if names := sorted(tables); len(names) == 1 {
		return semconv.DBCollectionName(names[0])
	}
	return attribute.StringSlice("twibase.tables", sorted(tables))
}

func sorted(set map[string]bool) []string {
	return slices.Sorted(maps.Keys(set))
}
