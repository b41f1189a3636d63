package cluster

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsuna/gohbase/pb"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

func TestRequestsHaveTheOperationAndTheTrace(t *testing.T) {
	for name, test := range map[string]struct {
		operation, parent string
		flags             trace.TraceFlags
	}{
		"both":        {"Profile", "00-01000000000000000000000000000000-0200000000000000-01", trace.FlagsSampled},
		"no name":     {"", "00-01000000000000000000000000000000-0200000000000000-01", trace.FlagsSampled},
		"not sampled": {"Profile", "", 0},
		"neither":     {"", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := trace.ContextWithSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{
				TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: test.flags}))
			ctx = hbase.WithStats(ctx, &hbase.Stats{Operation: func() string { return test.operation }})
			header, err := proto.Marshal(&pb.RequestHeader{
				CallId: proto.Uint32(7), MethodName: proto.String(methodOf(ctx, "Multi")), RequestParam: proto.Bool(true)})
			if err != nil {
				t.Fatal(err)
			}
			body := append(protowire.AppendBytes(nil, header), "request"...)
			message := withOperation(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
			if size := binary.BigEndian.Uint32(message); int(size) != len(message)-lengthBytes {
				t.Fatalf("the length is %d, want %d", size, len(message)-lengthBytes)
			}
			header, n := protowire.ConsumeBytes(message[lengthBytes:])
			if rest := string(message[lengthBytes+max(n, 0):]); rest != "request" {
				t.Errorf("after the header: %q", rest)
			}
			h := new(pb.RequestHeader)
			if err := proto.Unmarshal(header, h); err != nil {
				t.Fatal(err)
			}
			if h.GetMethodName() != "Multi" || h.GetCallId() != 7 || !h.GetRequestParam() {
				t.Errorf("the header is %v", h)
			}
			if parent := h.GetTraceInfo().GetHeaders()["traceparent"]; parent != test.parent {
				t.Errorf("the traceparent is %q, want %q", parent, test.parent)
			}
			want := ""
			if test.operation != "" {
				want = operationAttribute + "=" + test.operation
			}
			if diff := cmp.Diff(want, attributeIn(t, h.ProtoReflect().GetUnknown())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// attributeIn returns NAME=VALUE.
func attributeIn(t *testing.T, unknown []byte) string {
	t.Helper()
	if len(unknown) == 0 {
		return ""
	}
	number, kind, n := protowire.ConsumeTag(unknown)
	pair, m := protowire.ConsumeBytes(unknown[max(n, 0):])
	a := new(pb.NameBytesPair)
	err := proto.Unmarshal(pair, a)
	if err != nil || number != attributeField || kind != protowire.BytesType || n+m != len(unknown) {
		t.Fatalf("field %d: %v", number, err)
	}
	return a.GetName() + "=" + string(a.GetValue())
}
