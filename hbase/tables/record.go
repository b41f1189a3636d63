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

// strings returns what reads the strings of the record, in their order.
func (r record) strings() reader { return reader{rest: r, valid: utf8.Valid(r)} }

// reader reads the strings of a record, which share its memory.
type reader struct {
	rest  []byte
	valid bool // all of it is UTF-8, as what stands around a short text is ASCII
	field protowire.Number
	err   error // [ErrName]
}

// next returns the next string and its field, unless that was the last one, or there is an err.
func (r *reader) next() (field protowire.Number, s string, more bool) {
	if len(r.rest) == 0 || r.err != nil {
		return 0, "", false
	}
	field, text, n := shortest(r.rest)
	if n < 0 || field < r.field {
		r.err = fmt.Errorf("%w: a record is damaged at its last %d bytes", ErrName, len(r.rest))
		return 0, "", false
	}
	if !r.valid && !utf8.Valid(text) {
		r.refuse(field)
		return 0, "", false
	}
	r.field, r.rest = field, r.rest[n:]
	return field, textOf(text), true
}

// refuse says that a string can't stand there.
func (r *reader) refuse(field protowire.Number) {
	r.err = fmt.Errorf("%w: a record is damaged in field %d", ErrName, field)
}

// shortest reads a string that is written as short as can be; n is negative if there is none.
func shortest(b []byte) (field protowire.Number, text []byte, n int) {
	// A field up to 15 and a length up to 127 take a byte each.
	if len(b) > 1 && b[0] < 0x80 && b[0]>>3 > 0 && b[0]&7 == byte(protowire.BytesType) && int(b[1]) <= min(len(b)-2, 0x7f) {
		return protowire.Number(b[0] >> 3), b[2 : 2+int(b[1])], 2 + int(b[1])
	}
	field, kind, tag := protowire.ConsumeTag(b)
	if tag < 0 || kind != protowire.BytesType {
		return 0, nil, -1
	}
	text, size := protowire.ConsumeBytes(b[tag:])
	if size < 0 || tag+size != protowire.SizeTag(field)+protowire.SizeBytes(len(text)) {
		return 0, nil, -1
	}
	return field, text, tag + size
}
