package transfer

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"twibase/hbase/tables"
)

// RowError is an error in a row of a file.
type RowError struct {
	File   string
	Line   int    // the first of the row
	Column string // may be ""
	Reason string
	// Dangling is true if the row names an object that is neither in the files nor in the store.
	Dangling bool
}

// Error returns file:line: column: reason.
func (e *RowError) Error() string {
	if e.Column == "" {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s:%d: column %s: %s", e.File, e.Line, e.Column, e.Reason)
}

type location struct {
	file string
	line int
}

func (l location) bad(column, format string, args ...any) *RowError {
	return &RowError{File: l.file, Line: l.line, Column: column, Reason: fmt.Sprintf(format, args...)}
}

func (l location) dangling(column, what, name string) *RowError {
	e := l.bad(column, "there is no %s %q", what, name)
	e.Dangling = true
	return e
}

type row struct {
	location
	header, fields []string
	err            *RowError // the first error of the row
}

func (r *row) fail(column, format string, args ...any) {
	if r.err == nil {
		r.err = r.bad(column, format, args...)
	}
}

// text returns "" if the file lacks the column.
func (r *row) text(column string) string {
	if i := slices.Index(r.header, column); i >= 0 {
		return r.fields[i]
	}
	return ""
}

func (r *row) has(column string) bool { return r.text(column) != "" }

func parse[T any](r *row, column string, accept func(string) (T, error)) T {
	v, err := accept(r.text(column))
	if err != nil {
		r.fail(column, "%v", err)
	}
	return v
}

func (r *row) checked(column string, check func(string) error) string {
	return parse(r, column, func(s string) (string, error) { return s, check(s) })
}

func (r *row) time(column string) time.Time { return parse(r, column, tables.ParseTime) }

const maxText = 1 << 20 // bytes of a content, or of a list of photo URLs

func (r *row) content(column string) string {
	s := r.text(column)
	switch {
	case len(s) > maxText:
		r.fail(column, "it has %d bytes, more than %d", len(s), maxText)
	case !utf8.ValidString(s):
		r.fail(column, "it is not valid UTF-8")
	case strings.ContainsFunc(s, isControl):
		r.fail(column, "it contains a control character")
	}
	return s
}

func isControl(c rune) bool { return (c < ' ' || c == 0x7f) && !strings.ContainsRune("\n\r\t", c) }

// rows also calls f with malformed rows, which have an err.
func (s *file) rows(f func(*row) error) error {
	contents, err := s.contents()
	if err != nil {
		return err
	}
	defer contents.Close()
	r := newRecords(contents)
	header, line, reason, err := r.next()
	if errors.Is(err, io.EOF) {
		return location{s.name, 1}.bad("", "the file is empty: it needs the header %s", s.schema)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	column := ""
	if reason == "" {
		column, reason = s.schema.check(header)
	}
	if reason != "" {
		return location{s.name, line}.bad(column, "%s", reason)
	}
	for {
		fields, line, reason, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		row := &row{location: location{s.name, line}, header: header, fields: fields}
		if reason != "" {
			row.fail("", "%s", reason)
		}
		if err := f(row); err != nil {
			return err
		}
	}
}
