package tables

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"twibase/hbase"
)

// Intent is the durable record of an operation that may have committed and may not be complete.
type Intent struct {
	ID string
	// Kind is the operation type, and Arguments are in JSON.
	Kind      string
	Arguments string
	// At is the timestamp of all its writes, in milliseconds.
	At int64
	// Table, Row and Family are those of the commit row. All three are empty if the intent is the commit.
	Table, Row, Family string
	// After is the commit record that it expects there, empty for a row's first operation.
	After string
	// Due is the earliest time of its effects, in milliseconds; 0 is at once.
	Due int64
}

// Intents is the outbox of intents.
var Intents = intents{Outbox{"intents"}}

type intents struct{ Outbox }

// The columns of an intent. The last one is not part of it, and neither is the lease.
const (
	intentKind      = "kind"
	intentArguments = "arguments"
	intentAt        = "at"
	intentTable     = "table"
	intentRow       = "row"
	intentFamily    = "family"
	intentAfter     = "after"
	intentDue       = "due"

	decidedColumn = "decided"
)

// Open reads whether an intent exists: it has a cell then.
func (n intents) Open(id string) hbase.Get {
	return hbase.Get{Table: n.Table, Row: n.Row(id), Columns: Attributes + ":" + intentAt}
}

// Put writes an intent, with its own timestamp.
func (n intents) Put(i Intent) hbase.Put {
	put, due := hbase.Put{Table: n.Table, Row: n.Row(i.ID)}, ""
	if i.Due != 0 {
		due = strconv.FormatInt(i.Due, 10)
	}
	for _, c := range []struct{ column, value string }{
		{intentAfter, i.After}, {intentArguments, i.Arguments}, {intentAt, strconv.FormatInt(i.At, 10)}, {intentDue, due}, {intentFamily, i.Family},
		{intentKind, i.Kind}, {intentRow, i.Row}, {intentTable, i.Table},
	} {
		if c.value != "" {
			put.Cells = append(put.Cells, hbase.Cell{Family: Attributes, Qualifier: c.column, Timestamp: i.At, Value: []byte(c.value)})
		}
	}
	return put
}

// Remove removes an intent for good: a put of it that arrives later stays masked.
func (n intents) Remove(i Intent) hbase.Delete {
	return hbase.Delete{Table: n.Table, Row: n.Row(i.ID), Timestamp: i.At}
}

// Decode returns the intent of a row. ok is false if there is none; the row may still have a lease.
func (n intents) Decode(row string, cells []hbase.Cell) (i Intent, ok bool, err error) {
	if i.ID, err = n.IDOf(row); err != nil {
		return Intent{}, false, err
	}
	at, due := "", "0"
	for _, c := range cells {
		switch value := string(c.Value); c.Qualifier {
		case intentKind:
			i.Kind = value
		case intentArguments:
			i.Arguments = value
		case intentAt:
			at = value
		case intentTable:
			i.Table = value
		case intentRow:
			i.Row = value
		case intentFamily:
			i.Family = value
		case intentAfter:
			i.After = value
		case intentDue:
			due = value
		}
	}
	if at == "" && i.Kind == "" {
		return Intent{}, false, nil
	}
	began, err := parseCount(at)
	later, dueErr := parseCount(due)
	argumentsErr := checkArguments(i.Arguments)
	i.At, i.Due = int64(began), int64(later)
	switch {
	case err != nil:
	case dueErr != nil:
		err = dueErr
	case !ValidTime(time.UnixMilli(i.At)):
		err = fmt.Errorf("%w: %d is the time of no write", ErrName, i.At)
	case argumentsErr != nil:
		err = fmt.Errorf("%w: the arguments of a write: %w", ErrName, argumentsErr)
	case i.Kind == "" || (i.Table == "") != (i.Row == "") || (i.Table == "") != (i.Family == "") || i.Table == "" && i.After != "":
		err = fmt.Errorf("%w: a part of an intent is missing", ErrName)
	case i.After != "":
		err = CheckOp(i.After)
	}
	return i, true, corrupt(err, "intent "+i.ID)
}

// Mark notes in an intent that the operation committed.
func (n intents) Mark(i Intent) hbase.Put {
	return hbase.Put{Table: n.Table, Row: n.Row(i.ID), Cells: []hbase.Cell{
		{Family: Attributes, Qualifier: decidedColumn, Timestamp: i.At, Value: []byte("1")}}}
}

// Marked reports whether the cells say that the operation committed. If they do not, it may have committed, too.
func (n intents) Marked(cells []hbase.Cell) bool {
	return slices.ContainsFunc(cells, func(c hbase.Cell) bool { return c.Qualifier == decidedColumn })
}

// checkArguments reports arguments that are no JSON object, or that have an unknown visibility.
func checkArguments(arguments string) error {
	var known struct{ Visibility Visibility }
	return json.Unmarshal([]byte(arguments), &known)
}
