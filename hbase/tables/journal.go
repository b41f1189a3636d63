package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"twibase/hbase"
)

// Journal belongs to the counts of a row, which each operation changes exactly once. It holds a revision, which increases
// with every change of a count, and the ids of operations that were counted and may not be complete.
type Journal struct {
	Revision int
	Ops      []string
}

// Has reports whether the operation was counted.
func (j Journal) Has(op string) bool { return slices.Contains(j.Ops, op) }

// DecodeJournal returns the journal among the cells of a row, and its stored value, nil if there is none yet.
func DecodeJournal(cells []hbase.Cell) (j Journal, value []byte, err error) {
	for _, c := range cells {
		if c.Family == Attributes && c.Qualifier == CountedColumn {
			j, err = parseJournal(string(c.Value))
			return j, c.Value, corrupt(err, string(c.Value))
		}
	}
	return Journal{}, nil, nil
}

func parseJournal(s string) (Journal, error) {
	revision, rest, more := strings.Cut(s, " ")
	n, err := parseCount(revision)
	j := Journal{Revision: n}
	if err == nil && n == 0 {
		err = fmt.Errorf("%w: a journal's revisions start at 1", ErrName)
	}
	for more && err == nil {
		var op string
		op, rest, more = strings.Cut(rest, " ")
		_, err = OpTime(op)
		j.Ops = append(j.Ops, op)
	}
	return j, err
}

// Cell returns the column of a journal.
func (j Journal) Cell(timestamp int64) hbase.Cell {
	value := strconv.Itoa(j.Revision)
	for _, op := range j.Ops {
		value += " " + op
	}
	return hbase.Cell{Family: Attributes, Qualifier: CountedColumn, Timestamp: timestamp, Value: []byte(value)}
}
