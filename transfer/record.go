package transfer

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxRecord exceeds a twit whose content and photo URLs have maxText bytes each, even if all of
// them are quotes, which are doubled.
const maxRecord = 8 << 20 // bytes

// records reads CSV. A missing quote would make the following rows part of a field. So after a
// record with wrong quotes, it continues in the line after the record's first line.
type records struct {
	in      *bufio.Reader
	csv     *csv.Reader // reads from Read
	before  int         // lines that earlier csv readers have read
	buffer  []byte      // lines of the record, and then lines to read again
	read    int         // bytes of buffer that csv has read
	tooLong bool        // the record exceeds maxRecord
}

func newRecords(in io.Reader) *records {
	r := &records{in: withoutMark(in)}
	r.csv = csv.NewReader(r)
	return r
}

// next returns the reason if the record is malformed. The line is the record's first.
func (r *records) next() (fields []string, line int, reason string, err error) {
	if r.read < len(r.buffer) {
		r.buffer = r.buffer[r.read:]
	} else {
		r.buffer = r.buffer[:0]
	}
	r.read, r.tooLong = 0, false
	fields, err = r.csv.Read()
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse):
		line, reason = r.before+parse.StartLine, r.reason(parse)
	case err != nil:
		return nil, 0, "", err
	default:
		first, _ := r.csv.FieldPos(0)
		line = r.before + first
	}
	if r.tooLong {
		reason = fmt.Sprintf("the row has more than %d bytes: a closing quote may be missing", maxRecord)
	}
	if r.tooLong || errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote) {
		r.resume(line)
	}
	return fields, line, reason, nil
}

func (r *records) reason(e *csv.ParseError) string {
	switch {
	case errors.Is(e, csv.ErrFieldCount):
		return fmt.Sprintf("the row has more or fewer fields than the header's %d", r.csv.FieldsPerRecord)
	case e.Line != e.StartLine:
		return fmt.Sprintf("%v, in line %d, byte %d", e.Err, r.before+e.Line, e.Column)
	}
	return fmt.Sprintf("%v, at byte %d", e.Err, e.Column)
}

// resume makes the line after the record's first line the next.
func (r *records) resume(first int) {
	if i := bytes.IndexByte(r.buffer, '\n'); i >= 0 {
		r.buffer = r.buffer[i+1:]
	} else {
		r.buffer = nil
		for err := bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull); { // skip the long line
			_, err = r.in.ReadSlice('\n')
		}
	}
	r.before, r.read = first, 0
	fields := r.csv.FieldsPerRecord
	r.csv = csv.NewReader(r)
	r.csv.FieldsPerRecord = fields
}

// Read returns at most one line, so that csv buffers nothing of the next record.
func (r *records) Read(p []byte) (int, error) {
	if r.read > maxRecord {
		r.tooLong = true
		return 0, io.EOF
	}
	if r.read == len(r.buffer) {
		line, err := r.in.ReadSlice('\n')
		if len(line) == 0 {
			return 0, err
		}
		r.buffer = append(r.buffer, line...)
	}
	line := r.buffer[r.read:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i+1]
	}
	n := copy(p, line)
	if r.read == 0 && strings.Trim(string(line), "\r\n") == "" { // csv skips blank lines before a record
		r.buffer = r.buffer[n:]
	} else {
		r.read += n
	}
	return n, nil
}

func withoutMark(r io.Reader) *bufio.Reader {
	b := bufio.NewReaderSize(r, 64<<10)
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" {
		_, _ = b.Discard(3)
	}
	return b
}
