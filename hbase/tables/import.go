package tables

import "twibase/hbase"

// Imports is a row that imports read before they write: what they have to reckon with.
var Imports = imports{}

type imports struct{}

// importRepaired says that a repair has taken something out of the store.
const importRepaired = "repaired"

// importFilling says whether an import brings entries into timelines, which it cuts in the end.
const importFilling = "filling"

// Get reads it.
func (imports) Get() hbase.Get {
	return hbase.Get{Table: Broadcasters.Table, Row: RowKey("import"), Columns: broadcastersFamily}
}

// Repaired reports whether a repair has taken something out of the store: what an import puts there again may stay hidden.
func (imports) Repaired(cells []hbase.Cell) bool {
	for _, c := range cells {
		if c.Qualifier == importRepaired {
			return true
		}
	}
	return false
}

// PutRepaired notes that a repair takes something out of the store. Nobody takes the note away.
func (n imports) PutRepaired() hbase.Put { return n.put(importRepaired, "1", 1) }

// Filling reports whether an import brought entries into timelines and has not cut them, and the timestamp of the cell that says so.
func (imports) Filling(cells []hbase.Cell) (filling bool, timestamp int64) {
	for _, c := range cells {
		if c.Qualifier == importFilling {
			return string(c.Value) == "1", c.Timestamp
		}
	}
	return false, 0
}

// PutFilling says that an import brings entries into timelines, or that it has cut them.
func (n imports) PutFilling(filling bool, timestamp int64) hbase.Put {
	value := "0"
	if filling {
		value = "1"
	}
	return n.put(importFilling, value, timestamp)
}

func (n imports) put(column, value string, timestamp int64) hbase.Put {
	get := n.Get()
	return hbase.Put{Table: get.Table, Row: get.Row, Cells: []hbase.Cell{
		{Family: broadcastersFamily, Qualifier: column, Timestamp: timestamp, Value: []byte(value)}}}
}
