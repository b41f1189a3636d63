package transfer

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
)

// place is where a row starts.
type place struct {
	file string
	line int
}

// bad says why the row there can't be imported.
func (p place) bad(column, format string, args ...any) *RowError {
	return &RowError{File: p.file, Line: p.line, Column: column, Reason: fmt.Sprintf(format, args...)}
}

// nowhere says what a row names that does not exist.
func (p place) nowhere(column, what, name string) *RowError {
	return &RowError{File: p.file, Line: p.line, Column: column, Reason: fmt.Sprintf("there is no %s %q", what, name), Nowhere: true}
}

// row is a row that is being read. Its methods in field.go read one column each; the first that fails says what is wrong with the row.
type row struct {
	place
	header, fields []string
	err            *RowError
}

// has reports whether the file has such a column and the row something in it.
func (r *row) has(column string) bool { return r.text(column) != "" }

// text is the column as it is, empty if the file lacks it.
func (r *row) text(column string) string {
	if i := slices.Index(r.header, column); i >= 0 {
		return r.fields[i]
	}
	return ""
}

func (r *row) fail(column, format string, args ...any) {
	if r.err == nil {
		r.err = r.bad(column, format, args...)
	}
}

// rows hands the rows of a file to f, in order. Those that are not even CSV, or too short or long, have an err.
func (s *source) rows(progress func(bytes int), f func(*row) error) error {
	contents, err := s.contents(progress)
	if err != nil {
		return err
	}
	defer contents.Close()
	r := csv.NewReader(withoutMark(contents))
	header, err := r.Read()
	switch {
	case errors.Is(err, io.EOF):
		return place{s.name, 1}.bad("", "the file is empty, it lacks even the header: %s", s.schema)
	case err != nil:
		return s.failure(r, err)
	}
	if column, reason := s.schema.check(header); reason != "" {
		return place{s.name, 1}.bad(column, "%s", reason)
	}
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		row := &row{header: header, fields: fields}
		if err != nil {
			if err := s.failure(r, err); !errors.As(err, &row.err) {
				return err
			}
			row.place = place{s.name, row.err.Line}
		} else {
			line, _ := r.FieldPos(0)
			row.place = place{s.name, line}
		}
		if err := f(row); err != nil {
			return err
		}
	}
}

// failure says which row is no CSV, or that the file can't be read.
func (s *source) failure(r *csv.Reader, err error) error {
	var parse *csv.ParseError
	switch {
	case !errors.As(err, &parse):
		return fmt.Errorf("%s: %w", s.name, err)
	case errors.Is(err, csv.ErrFieldCount):
		return place{s.name, parse.StartLine}.bad("", "the row has more or fewer fields than the header's %d", r.FieldsPerRecord)
	case parse.Line != parse.StartLine:
		return place{s.name, parse.StartLine}.bad("", "%v, in line %d, byte %d", parse.Err, parse.Line, parse.Column)
	}
	return place{s.name, parse.StartLine}.bad("", "%v, at byte %d", parse.Err, parse.Column)
}

// withoutMark drops the byte order mark that some programs write before the header.
func withoutMark(r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, 64<<10)
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" {
		_, _ = b.Discard(3)
	}
	return b
}
