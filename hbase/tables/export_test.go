package tables

import "twibase/hbase"

// RewritePending decodes and encodes a pending column.
func (l *AnyList) RewritePending(c hbase.Cell) (hbase.Cell, error) {
	pending, err := l.PendingBuckets("", []hbase.Cell{c})
	if err != nil {
		return hbase.Cell{}, err
	}
	return l.PendingCell(pending, 0), nil
}
