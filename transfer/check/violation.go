package check

import (
	"fmt"
	"strconv"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// Violation is a column that is not as it should be.
type Violation struct {
	Table, Row string
	// Column is family:qualifier.
	Column string
	// Is and Should say what the column holds and what it should, and Why what that follows from.
	Is, Should, Why string
	// Lost is whether there is no repair.
	Lost bool
}

// String implements [fmt.Stringer]: one line, with keys as the HBase shell writes them.
func (v Violation) String() string {
	family, qualifier, _ := strings.Cut(v.Column, ":")
	if strings.ContainsFunc(qualifier, func(r rune) bool { return !strconv.IsPrint(r) || r == '\uFFFD' }) {
		qualifier = strconv.QuoteToASCII(qualifier)
	}
	lost := ""
	if v.Lost {
		lost = " (it cannot be repaired)"
	}
	return fmt.Sprintf("%s %q %s:%s: is %s, should be %s: %s%s", v.Table, v.Row, family, qualifier, v.Is, v.Should, v.Why, lost)
}

// The states of a column whose value says nothing.
const (
	absent = "absent"
	there  = "there"
)

// text is a value as a line shows it: a number as it is, and anything else quoted.
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

// column is a column of a row.
type column struct{ table, row, family, qualifier string }

// attribute is the column of an attribute, in whatever table.
func attribute(table, row, name string) column { return column{table, row, tables.Attributes, name} }

// columnOf is the column of a cell.
func columnOf(table, row string, c hbase.Cell) column {
	return column{table, row, c.Family, c.Qualifier}
}

// report reports a violation, and repairs it by what is given: puts come before deletions, so that whatever is moved
// is never nowhere.
//
// It returns false if it was reported before: rows are looked at again if something near them can't be read.
func (r *run) report(at column, is, should, why string, repair ...hbase.Mutation) (isNew bool) {
	v := Violation{at.table, at.row, at.family + ":" + at.qualifier, is, should, why, len(repair) == 0}
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

// unreadable reports a column that can't be read.
func (r *run) unreadable(at column, err error) { r.report(at, "unreadable", "readable", err.Error()) }

// differs reports a column whose value is not what follows from others.
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

// compareColumn reports a column that has another value than it should.
func (r *run) compareColumn(at hbase.Get, old *hbase.Cell, want hbase.Cell, why string) (isNew bool) {
	for _, change := range rebuild.Differs(nil, at, old, want) {
		isNew = r.differs(change, why)
	}
	return isNew
}

// surplus reports a column that should not be there.
func (r *run) surplus(table, row string, c hbase.Cell, why string) (isNew bool) {
	return r.report(columnOf(table, row, c), there, absent, why, rebuild.Remove(table, row, c))
}
