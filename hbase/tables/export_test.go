package tables

import "twibase/hbase"

func (l *AnyList) RewritePending(c hbase.Cell) (hbase.Cell, error) {
	pending, err := l.PendingBuckets("", []hbase.Cell{c})
	if err != nil {
		return hbase.Cell{}, err
	}
	return l.PendingCell(pending, 0), nil
}
