package tables

import (
	"encoding/json"
	"fmt"
	"strconv"

	"twibase/hbase"
)

// Intent records an operation that may have committed and may be incomplete.
type Intent struct {
	ID        string
	OpType    string
	Arguments string // JSON
	// At is the timestamp of the commit and most effects, in milliseconds.
	At int64
	// Table, Row and Family name the commit row. They are empty if the put of the intent is the
	// commit.
	Table, Row, Family string
	// After is the expected commit record, empty for the first operation.
	After string
	// Due is the earliest time of the effects, in milliseconds, or 0.
	Due int64
}

// Intents are keyed by the operation's id.
var Intents = intents{Outbox{"intents"}}

type intents struct{ Outbox }

const (
	intentAt      = "at"
	decidedColumn = "decided" // the intent mark, "1"
)

func (i *Intent) columns(at, due *string) []textColumn {
	return []textColumn{
		{"after", &i.After}, {"arguments", &i.Arguments}, {intentAt, at}, {"due", due}, {"family", &i.Family},
		{"kind", &i.OpType}, {"row", &i.Row}, {"table", &i.Table},
	}
}

// Open reads whether the operation has an intent.
func (n intents) Open(id string) hbase.Get {
	return hbase.Get{Table: n.Table, Row: n.Row(id), Columns: Attributes + ":" + intentAt}
}

func (n intents) Put(i Intent) hbase.Put {
	at, due := strconv.FormatInt(i.At, 10), ""
	if i.Due != 0 {
		due = strconv.FormatInt(i.Due, 10)
	}
	return hbase.Put{Table: n.Table, Row: n.Row(i.ID), Cells: encodeTexts(i.columns(&at, &due), i.At)}
}

// Remove also masks a later put.
func (n intents) Remove(i Intent) hbase.Delete {
	return hbase.Delete{Table: n.Table, Row: n.Row(i.ID), Timestamp: i.At}
}

// Decode returns ok = false for a row with only other columns, such as a lease.
func (n intents) Decode(row string, cells []hbase.Cell) (i Intent, ok bool, err error) {
	if i.ID, err = n.IDOf(row); err != nil {
		return Intent{}, false, err
	}
	at, due := "", "0"
	decodeTexts(i.columns(&at, &due), cells)
	if at == "" && i.OpType == "" {
		return Intent{}, false, nil
	}
	began, err := decodeMilli(at)
	later, dueErr := parseCount(due)
	argumentsErr := checkArguments(i.Arguments)
	i.At, i.Due = began.UnixMilli(), int64(later)
	switch {
	case err != nil:
	case dueErr != nil:
		err = dueErr
	case argumentsErr != nil:
		err = fmt.Errorf("%w: the arguments of a write: %w", ErrName, argumentsErr)
	case i.OpType == "" || (i.Table == "") != (i.Row == "") || (i.Table == "") != (i.Family == "") ||
		i.Table == "" && i.After != "":
		err = fmt.Errorf("%w: a part of an intent is missing", ErrName)
	case i.After != "":
		err = CheckCommitRecord(i.After)
	}
	return i, true, corrupt(err, "intent "+i.ID)
}

func (n intents) Mark(i Intent) hbase.Put {
	return hbase.Put{Table: n.Table, Row: n.Row(i.ID), Cells: []hbase.Cell{textCell(decidedColumn, "1", i.At)}}
}

func (n intents) Marked(cells []hbase.Cell) bool {
	return hbase.FindCell(cells, Attributes, decidedColumn) != nil
}

// checkArguments accepts null, and JSON objects without an invalid visibility.
func checkArguments(arguments string) error {
	var known struct{ Visibility Visibility }
	return json.Unmarshal([]byte(arguments), &known)
}
