package cluster

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"twibase/hbase"
)

// keyValue is a cell in HBase's encoding: its length, and org.apache.hadoop.hbase.KeyValue.
//
//	│ length 4 │ key 4 │ value 4 │ row 2 │ row… │ family 1 │ family… │ qualifier… │ timestamp 8 │ type 1 │ value… │
//	                             └────────────────────────────── key bytes ──────────────────────────────┘
//	           └────────────────────────────────────────── length bytes ──────────────────────────────────────────┘
type keyValue struct {
	row, family, qualifier, value []byte
	timestamp                     int64
	kind                          byte
}

const (
	keyOverhead      = 2 + 1 + 8 + 1
	keyValueOverhead = 4 + 4 + 4 + keyOverhead
)

func (kv *keyValue) append(b []byte) []byte {
	key := keyOverhead + len(kv.row) + len(kv.family) + len(kv.qualifier)
	b = binary.BigEndian.AppendUint32(b, uint32(4+4+key+len(kv.value)))
	b = binary.BigEndian.AppendUint32(b, uint32(key))
	b = binary.BigEndian.AppendUint32(b, uint32(len(kv.value)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(kv.row)))
	b = append(b, kv.row...)
	b = append(b, byte(len(kv.family)))
	b = append(b, kv.family...)
	b = append(b, kv.qualifier...)
	b = binary.BigEndian.AppendUint64(b, uint64(kv.timestamp))
	b = append(b, kv.kind)
	return append(b, kv.value...)
}

// parse decodes the first cell of b. The fields of kv alias b.
func (kv *keyValue) parse(b []byte) (rest []byte, err error) {
	if len(b) < keyValueOverhead {
		return nil, malformed("%d bytes are too short for a cell", len(b))
	}
	length, key := uint64(binary.BigEndian.Uint32(b)), uint64(binary.BigEndian.Uint32(b[4:]))
	value := uint64(binary.BigEndian.Uint32(b[8:]))
	row := uint64(binary.BigEndian.Uint16(b[12:]))
	if length != 8+key+value || length > uint64(len(b)-4) || key < keyOverhead+row {
		return nil, malformed("a cell of %d bytes has a key of %d, a value of %d and a row of %d", length, key, value, row)
	}
	b, rest = b[14:4+length], b[4+length:]
	kv.row, b = b[:row], b[row:]
	family := uint64(b[0])
	if key < keyOverhead+row+family {
		return nil, malformed("a key of %d bytes has a row of %d and a family of %d", key, row, family)
	}
	kv.family, b = b[1:1+family], b[1+family:]
	qualifier := key - keyOverhead - row - family
	kv.qualifier, b = b[:qualifier], b[qualifier:]
	kv.timestamp, kv.kind, kv.value = int64(binary.BigEndian.Uint64(b)), b[8], b[9:]
	return rest, nil
}

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: HBase's response: "+format, append([]any{hbase.ErrCorrupt}, args...)...)
}

// block decodes a response's cells, which alias its memory.
type block struct {
	data []byte
	text string // copy of data
	at   int    // next cell
}

func newBlock(data []byte) *block { return &block{data: data, text: string(data)} }

// read decodes len(cells) cells of one row, and returns its key.
func (b *block) read(cells []hbase.Cell) (key string, err error) {
	var kv keyValue
	for i := range cells {
		rest, err := kv.parse(b.data[b.at:])
		if err != nil {
			return "", err
		}
		row := b.at + 4 + 4 + 4 + 2
		family := row + len(kv.row) + 1
		qualifier := family + len(kv.family)
		key = b.text[row : row+len(kv.row)]
		cells[i] = hbase.Cell{
			Family:    b.text[family:qualifier],
			Qualifier: b.text[qualifier : qualifier+len(kv.qualifier)],
			Timestamp: kv.timestamp,
			Value:     kv.value[:len(kv.value):len(kv.value)],
		}
		b.at = len(b.data) - len(rest)
	}
	return key, nil
}

// readRow copies the first count cells, and returns their encoded length.
func readRow(answer []byte, count int) (row hbase.Row, read uint32, err error) {
	var kv keyValue
	rest := answer
	for range count {
		if rest, err = kv.parse(rest); err != nil {
			return row, 0, err
		}
	}
	if count > 0 {
		row.Cells = make([]hbase.Cell, count)
		row.Key, err = newBlock(bytes.Clone(answer[:len(answer)-len(rest)])).read(row.Cells)
	}
	return row, uint32(len(answer) - len(rest)), err
}
