package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

// operationAttribute has the GraphQL operation in a request's header. HBase's slow log shows it
// since version 2.6.
const operationAttribute = "operation"

// attributeField is a NameBytesPair of HBase's RequestHeader that gohbase's lacks.
const attributeField = 8

// maxOperation is in bytes.
const maxOperation = 100

// methodOf appends the operation, for withOperation. gohbase puts it in the header of the request.
func methodOf(ctx context.Context, method string) string {
	named := hbase.StatsOf(ctx).Operation
	if named == nil {
		return method
	}
	operation := named()
	if operation == "" {
		return method
	}
	return method + methodEnd + operation[:min(len(operation), maxOperation)]
}

const methodEnd = "\x00"

func methodName(call hrpc.Call) string {
	method, _, _ := strings.Cut(call.Name(), methodEnd)
	return method
}

// withOperation moves the operation of methodOf, if any, into an attribute of the header.
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
	method, operation, found := strings.Cut(h.GetMethodName(), methodEnd)
	if !found {
		return b
	}
	h.MethodName = &method
	pair, err := proto.Marshal(&pb.NameBytesPair{Name: proto.String(operationAttribute), Value: []byte(operation)})
	if err != nil {
		return b
	}
	header, err = proto.Marshal(h)
	if err != nil {
		return b
	}
	header = protowire.AppendTag(header, attributeField, protowire.BytesType)
	header = protowire.AppendBytes(header, pair)
	request := b[lengthBytes+n:]
	message := make([]byte, lengthBytes, lengthBytes+protowire.SizeBytes(len(header))+len(request))
	message = append(protowire.AppendBytes(message, header), request...)
	binary.BigEndian.PutUint32(message, uint32(len(message)-lengthBytes))
	return message
}
