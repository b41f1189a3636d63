package tables

import (
	"fmt"
	"strconv"
	"time"
	"unsafe"

	"github.com/segmentio/asm/utf8"
	"google.golang.org/protobuf/encoding/protowire"

	"twibase/hbase"
)

func textCell(column, value string, timestamp int64) hbase.Cell {
	return hbase.Cell{Family: Attributes, Qualifier: column, Timestamp: timestamp, Value: []byte(value)}
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// textColumn is a field of a struct. Empty texts are not stored.
type textColumn struct {
	name string
	text *string
}

func encodeTexts(columns []textColumn, timestamp int64) (cells []hbase.Cell) {
	for _, c := range columns {
		if *c.text != "" {
			cells = append(cells, textCell(c.name, *c.text, timestamp))
		}
	}
	return cells
}

func decodeTexts(columns []textColumn, cells []hbase.Cell) {
	for _, column := range columns {
		if c := hbase.FindCell(cells, Attributes, column.name); c != nil {
			*column.text = string(c.Value)
		}
	}
}

func encodeMilli(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }

func decodeMilli(text string) (time.Time, error) {
	milli, err := parseCount(text)
	at := time.UnixMilli(int64(milli)).UTC()
	if err == nil && !ValidTime(at) {
		err = fmt.Errorf("%w: time %d is out of range", ErrName, milli)
	}
	return at, err
}

// DecodeCount decodes a read of one column. A missing cell is 0.
func DecodeCount(cells []hbase.Cell) (int, error) {
	if len(cells) == 0 {
		return 0, nil
	}
	n, err := parseCount(string(cells[0].Value))
	return n, corrupt(err, cells[0].Qualifier)
}

func parseCount(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || strconv.Itoa(n) != s {
		return 0, fmt.Errorf("%w: %q is no count", ErrName, s)
	}
	return n, nil
}

func corrupt(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %q: %w", hbase.ErrCorrupt, what, err)
}

// A record is the value of a twit or comment: strings in the canonical wire format of protocol
// buffers. docs/TABLES.md has the reason for strict decoding.
type record []byte

func (r record) add(field protowire.Number, s string) record {
	return protowire.AppendString(protowire.AppendTag(r, field, protowire.BytesType), s)
}

func (r record) strings() reader { return reader{rest: r, valid: utf8.Valid(r)} }

// reader reads strings that share memory with the record.
type reader struct {
	rest []byte
	// valid is true if the whole record is UTF-8. Then each text is UTF-8, because the bytes next
	// to it are ASCII: before it the last byte of its length, after it the next tag. Otherwise each
	// text is checked, because lengths above 127 are not ASCII.
	valid bool
	field protowire.Number
	err   error // [ErrName]
}

// next returns more = false at the end and after an error.
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
		r.reject(field)
		return 0, "", false
	}
	r.field, r.rest = field, r.rest[n:]
	return field, textOf(text), true
}

func (r *reader) reject(field protowire.Number) {
	r.err = fmt.Errorf("%w: a record is damaged in field %d", ErrName, field)
}

// shortest decodes a string field. n is its length, or negative if the wire format is not the
// shortest.
func shortest(b []byte) (field protowire.Number, text []byte, n int) {
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

// Memory allocates decoded values and row keys in large pieces. Texts share memory with their
// cells. A Memory is not safe for concurrent use. For what it saves, see slabs in 'go -C bench
// run . without'.
type Memory struct {
	twits    slab[Twit]
	comments slab[Comment]
	texts    slab[string]
	numbers  slab[int]
	instants slab[time.Time]
	text     []byte
}

const minText, maxText = 64, 16 << 10 // bytes

func textOf(value []byte) string { return unsafe.String(unsafe.SliceData(value), len(value)) }

func (m *Memory) rowKey(id string) string {
	hash, n := hashOf(id), hashSize+len(id)
	if n > cap(m.text)-len(m.text) {
		m.text = make([]byte, 0, max(min(2*cap(m.text), maxText), minText, n))
	}
	start := len(m.text)
	m.text = append(append(m.text, hash[:]...), id...)
	return textOf(m.text[start:])
}

type slab[T any] struct {
	free []T
	size int
}

const maxSlab = 256

func (s *slab[T]) one() *T { return &s.many(1)[0] }

func (s *slab[T]) many(n int) []T {
	if n > len(s.free) {
		s.size = max(n, min(2*s.size, maxSlab))
		s.free = make([]T, s.size)
	}
	list := s.free[:n:n]
	s.free = s.free[n:]
	return list
}
