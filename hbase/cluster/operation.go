package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

// operationAttribute is the request attribute with the GraphQL operation. HBase's slow log shows it
// since version 2.6.
const operationAttribute = "operation"

// attributeField of RequestHeader has the attributes. gohbase's type lacks it.
const attributeField = 8

const maxOperation = 100 // bytes

// methodOf appends the operation and a sampled span's traceparent to the method's name in the
// header. withOperation moves them to their own fields.
func methodOf(ctx context.Context, method string) string {
	operation, parent := "", ""
	if named := hbase.StatsOf(ctx).Operation; named != nil {
		operation = named()
	}
	if trace.SpanContextFromContext(ctx).IsSampled() {
		carrier := propagation.MapCarrier{}
		propagation.TraceContext{}.Inject(ctx, carrier)
		parent = carrier[traceparent]
	}
	if operation == "" && parent == "" {
		return method
	}
	return method + methodEnd + operation[:min(len(operation), maxOperation)] + methodEnd + parent
}

// HBase with OpenTelemetry's agent reads a traceparent since version 2.5.
const traceparent = "traceparent"

const methodEnd = "\x00"

func methodName(call hrpc.Call) string {
	method, _, _ := strings.Cut(call.Name(), methodEnd)
	return method
}

// withOperation moves what methodOf appended.
//
//	│ length 4 │ header length, header │ request │
func withOperation(b []byte) []byte {
	if !startsMessage(b) {
		return b
	}
	header, n := protowire.ConsumeBytes(b[lengthBytes:])
	if n < 0 || !bytes.Contains(header, []byte(methodEnd)) {
		return b
	}
	h := new(pb.RequestHeader)
	if proto.Unmarshal(header, h) != nil {
		return b
	}
	method, appended, found := strings.Cut(h.GetMethodName(), methodEnd)
	if !found {
		return b
	}
	h.MethodName = &method
	operation, parent, _ := strings.Cut(appended, methodEnd)
	if parent != "" {
		h.TraceInfo = &pb.RPCTInfo{Headers: map[string]string{traceparent: parent}}
	}
	header, err := proto.Marshal(h)
	if err != nil {
		return b
	}
	if operation != "" {
		pair, err := proto.Marshal(&pb.NameBytesPair{Name: proto.String(operationAttribute), Value: []byte(operation)})
		if err != nil {
			return b
		}
		header = protowire.AppendTag(header, attributeField, protowire.BytesType)
		header = protowire.AppendBytes(header, pair)
	}
	request := b[lengthBytes+n:]
	message := make([]byte, lengthBytes, lengthBytes+protowire.SizeBytes(len(header))+len(request))
	message = append(protowire.AppendBytes(message, header), request...)
	binary.BigEndian.PutUint32(message, uint32(len(message)-lengthBytes))
	return message
}
