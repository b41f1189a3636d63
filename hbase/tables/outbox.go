package tables

import (
	"fmt"
	"strings"
	"time"

	"twibase/hbase"
)

// Outbox is a table of pending work in shards, each in the order of time.
type Outbox struct{ Table string }

// OutboxShards is the number of shards.
const OutboxShards = 8

const outboxShard = 256 / OutboxShards

func (Outbox) Row(id string) string { return string([]byte{hashOf(id)[0] &^ (outboxShard - 1)}) + id }

// IDOf decodes [Outbox.Row].
func (o Outbox) IDOf(row string) (string, error) {
	if len(row) != 1+opLength || o.Row(row[1:]) != row {
		return "", corrupt(ErrName, row)
	}
	_, err := OpTime(row[1:])
	return row[1:], corrupt(err, row)
}

func (o Outbox) Get(id string) hbase.Get {
	return hbase.Get{Table: o.Table, Row: o.Row(id), Columns: Attributes}
}

// Scan reads a shard's items with times in [from, to). If to is zero, the scan has no end.
func (o Outbox) Scan(shard int, from, to time.Time) hbase.Scan {
	prefix := string([]byte{byte(shard * outboxShard)})
	stop := hbase.PrefixEnd(prefix)
	if !to.IsZero() {
		stop = prefix + NewOp(to, 0)
	}
	return hbase.Scan{Table: o.Table, Start: prefix + NewOp(from, 0), Stop: stop, Columns: Attributes}
}

// Lease is a gateway's claim to an item. Others do not take the item before it ends.
type Lease struct {
	Until time.Time
	// Value is stored: milliseconds, a blank and the holder.
	Value []byte
}

// LeaseColumn has an item's lease. It is not part of the item.
const LeaseColumn = "lease"

// NewLease rounds the stored end down to milliseconds.
func NewLease(holder string, until time.Time) Lease {
	return Lease{until, fmt.Appendf(nil, "%d %s", until.UnixMilli(), holder)}
}

// LeaseOf returns the lease of a row, maybe zero. An unreadable lease has ended.
func LeaseOf(cells []hbase.Cell) Lease {
	c := hbase.FindCell(cells, Attributes, LeaseColumn)
	if c == nil {
		return Lease{}
	}
	var ms int64
	_, _ = fmt.Sscanf(string(c.Value), "%d ", &ms)
	return Lease{time.UnixMilli(ms), c.Value}
}

// HeldBy ignores the lease's end.
func (l Lease) HeldBy(holder string) bool { return strings.HasSuffix(string(l.Value), " "+holder) }

// Cell returns the [LeaseColumn].
func (l Lease) Cell(timestamp int64) hbase.Cell {
	return hbase.Cell{Family: Attributes, Qualifier: LeaseColumn, Timestamp: timestamp, Value: l.Value}
}

// Check expects an unchanged lease.
func (l Lease) Check() hbase.Check {
	return hbase.Check{Family: Attributes, Qualifier: LeaseColumn, Value: l.Value}
}

// Probe returns a check that always fails, and a put. Their CheckAndPut tests whether a row's
// region accepts writes.
func (o Outbox) Probe(row string) (hbase.Check, hbase.Put) {
	never := Lease{Value: []byte("never stored")}
	return never.Check(), hbase.Put{Table: o.Table, Row: row, Cells: []hbase.Cell{never.Cell(0)}}
}
