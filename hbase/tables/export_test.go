package tables

import "twibase/hbase"

// PendingAgain reads pending buckets and writes them again.
func (l *AnyList) PendingAgain(c hbase.Cell) (hbase.Cell, error) {
	fresh, err := l.decodePending(c.Value)
	if err != nil {
		return hbase.Cell{}, corrupt(err, "pending buckets")
	}
	return l.PendingCell(fresh, 0), nil
}
