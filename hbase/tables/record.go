package tables

import (
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"twibase/hbase"
)

// A record is what a list carries whole in a cell: strings under field numbers, in the wire format of protocol buffers. The texts stay
// legible in the HBase shell, `protoc --decode_raw` reads it, and a newer version may add fields that an older one passes over.
type record []byte

func (r record) add(field protowire.Number, s string) record {
	return protowire.AppendString(protowire.AppendTag(r, field, protowire.BytesType), s)
}

// each calls f with every string of the record, in its order.
func (r record) each(f func(field protowire.Number, s string)) error {
	for len(r) > 0 {
		field, kind, n := protowire.ConsumeTag(r)
		if n < 0 || kind != protowire.BytesType {
			return fmt.Errorf("%w: record is damaged at its last %d bytes", hbase.ErrCorrupt, len(r))
		}
		s, size := protowire.ConsumeString(r[n:])
		if size < 0 || !utf8.ValidString(s) {
			return fmt.Errorf("%w: record is damaged in field %d", hbase.ErrCorrupt, field)
		}
		f(field, s)
		r = r[n+size:]
	}
	return nil
}
