package check

import (
	"fmt"
	"strconv"
	"strings"

	"twibase/hbase"
)

// Violation is a column that is not as it should be.
type Violation struct {
	Table, Row string
	// Column is family:qualifier.
	Column string
	// Is and Should say what the column holds and what it should, and Why what that follows from.
	Is, Should, Why string
	// Lost is a violation that can't be repaired.
	Lost bool
}

// String implements [fmt.Stringer]: one line, with keys as the HBase shell writes them.
func (b Violation) String() string {
	family, qualifier, _ := strings.Cut(b.Column, ":")
	if strings.ContainsFunc(qualifier, func(r rune) bool { return !strconv.IsPrint(r) || r == '\uFFFD' }) {
		qualifier = strconv.QuoteToASCII(qualifier)
	}
	lost := ""
	if b.Lost {
		lost = " (it cannot be repaired)"
	}
	return fmt.Sprintf("%s %q %s:%s: is %s, should be %s: %s%s", b.Table, b.Row, family, qualifier, b.Is, b.Should, b.Why, lost)
}

// The states of a column whose value says nothing.
const (
	absent = "absent"
	there  = "there"
)

func violationOf(table, row, family, qualifier, is, should, why string, args ...any) Violation {
	return Violation{Table: table, Row: row, Column: family + ":" + qualifier, Is: is, Should: should, Why: fmt.Sprintf(why, args...)}
}

func gone(table, row string, cells ...hbase.Cell) hbase.Delete {
	d := hbase.Delete{Table: table, Row: row}
	for _, c := range cells {
		d.Columns = append(d.Columns, hbase.Deletion{Kind: hbase.AllVersions, Family: c.Family, Qualifier: c.Qualifier, Timestamp: c.Timestamp})
	}
	return d
}

// text is a value as a line shows it.
func text(value []byte) string {
	s := strconv.Quote(string(value))
	if len(s) > 80 {
		s = fmt.Sprintf("%s… (%d bytes)", s[:60], len(value))
	}
	return s
}
