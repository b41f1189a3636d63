package tables

import (
	"fmt"

	"github.com/segmentio/asm/utf8"
	"google.golang.org/protobuf/encoding/protowire"
)

// A record is what a list carries whole in a cell: strings under field numbers, in the wire format of protocol buffers. The texts stay
// legible in the HBase shell, and `protoc --decode_raw` reads it.
//
// It has one form: fields ascend, lengths are written as short as can be, and a field that is not known is refused. To pass
// over it, as protocol buffers do, would show a twit to everybody whose visibility a damaged byte hides.
type record []byte

func (r record) add(field protowire.Number, s string) record {
	return protowire.AppendString(protowire.AppendTag(r, field, protowire.BytesType), s)
}

// each calls f with every string of the record, in its order; they share its memory. f reports whether such a string can
// stand there. Its errors are [ErrName].
func (r record) each(f func(field protowire.Number, s string) bool) error {
	whole := textOf(r)
	valid := utf8.Valid(r) // all of it: what stands around a short text is ASCII
	var before protowire.Number
	for len(r) > 0 {
		field, kind, n := protowire.ConsumeTag(r)
		if n < 0 || kind != protowire.BytesType || field < before {
			return fmt.Errorf("%w: a record is damaged at its last %d bytes", ErrName, len(r))
		}
		text, size := protowire.ConsumeBytes(r[n:])
		end := len(whole) - len(r) + n + size
		if size < 0 || n+size != protowire.SizeTag(field)+protowire.SizeBytes(len(text)) || !(valid || utf8.Valid(text)) || !f(field, whole[end-len(text):end]) {
			return fmt.Errorf("%w: a record is damaged in field %d", ErrName, field)
		}
		r, before = r[n+size:], field
	}
	return nil
}
