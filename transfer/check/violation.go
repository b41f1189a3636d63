package check

import (
	"fmt"
	"strconv"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// Violation is a column that differs from its source.
type Violation struct {
	Table, Row       string
	Column           string // family:qualifier
	Stored, Expected string
	Why              string // the reason for Expected
	Unrepairable     bool   // there is no repair
	// Stale means that a sweep must complete an operation. A stale violation is also Unrepairable.
	Stale bool
}

// String returns a line, with keys as in the HBase shell.
func (v Violation) String() string {
	at := v.at()
	if strings.ContainsFunc(at.qualifier, func(r rune) bool { return !strconv.IsPrint(r) || r == '\uFFFD' }) {
		at.qualifier = strconv.QuoteToASCII(at.qualifier)
	}
	suffix := ""
	if v.Unrepairable && !v.Stale {
		suffix = " (it cannot be repaired)"
	}
	return fmt.Sprintf("%s %q %s:%s: is %s, should be %s: %s%s",
		v.Table, v.Row, at.family, at.qualifier, v.Stored, v.Expected, v.Why, suffix)
}

func (v Violation) at() column {
	family, qualifier, _ := strings.Cut(v.Column, ":")
	return column{v.Table, v.Row, family, qualifier}
}

const (
	absent  = "absent"
	present = "present"
)

// text quotes a value, except for numbers.
func text(value []byte) string {
	if _, err := strconv.Atoi(string(value)); err == nil {
		return string(value)
	}
	s := strconv.Quote(string(value))
	if len(s) > 80 {
		s = fmt.Sprintf("%s… (%d bytes)", s[:60], len(value))
	}
	return s
}

type column struct{ table, row, family, qualifier string }

func attribute(table, row, name string) column { return column{table, row, tables.Attributes, name} }

func columnOf(table, row string, c hbase.Cell) column {
	return column{table, row, c.Family, c.Qualifier}
}

// report reports a violation, and adds its repair for flush, which writes puts before deletions, so
// that a moved cell is never missing. isNew is false for a violation that [run.each] finds again in
// a single row.
func (r *run) report(at column, stored, expected, why string, repair ...hbase.Mutation) (isNew bool) {
	return r.add(Violation{Table: at.table, Row: at.row, Column: at.family + ":" + at.qualifier,
		Stored: stored, Expected: expected, Why: why, Unrepairable: len(repair) == 0}, repair)
}

func (r *run) add(v Violation, repair []hbase.Mutation) (isNew bool) {
	if r.reported[v] {
		return false
	}
	r.reported[v] = true
	if r.Report(v); !r.repair {
		return true
	}
	for _, m := range repair {
		if put, is := m.(hbase.Put); is {
			r.puts = append(r.puts, put)
		} else {
			r.deletes = append(r.deletes, m)
		}
	}
	return true
}

func (r *run) unreadable(at column, err error) { r.report(at, "unreadable", "readable", err.Error()) }

func (r *run) differs(c rebuild.Change, why string) (isNew bool) {
	is, should := absent, absent
	var at column
	if c.Old != nil {
		at, is = columnOf(c.Table, c.Row, *c.Old), text(c.Old.Value)
	}
	if c.New != nil {
		at, should = columnOf(c.Table, c.Row, *c.New), text(c.New.Value)
	}
	return r.report(at, is, should, why, c.Mutation())
}

func (r *run) compareColumn(at hbase.Get, old *hbase.Cell, want hbase.Cell, why string) (isNew bool) {
	for _, change := range rebuild.AppendChange(nil, at, old, want) {
		isNew = r.differs(change, why)
	}
	return isNew
}

func (r *run) surplus(table, row string, c hbase.Cell, why string) (isNew bool) {
	return r.report(columnOf(table, row, c), present, absent, why, hbase.DeleteCells(table, row, c))
}
