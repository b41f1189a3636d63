package tables

import "twibase/hbase"

// Imports is a row that imports read before they write: what they have to reckon with.
var Imports = imports{}

type imports struct{}

// importRepaired says that a repair has taken something out of the store.
const importRepaired = "repaired"

// importMarker says whether an import adds entries to timelines, which it trims in the end.
const importMarker = "filling"

// Get reads it.
func (imports) Get() hbase.Get {
	return hbase.Get{Table: Broadcasters.Table, Row: RowKey("import"), Columns: broadcastersFamily}
}

// Repaired reports whether a repair has taken something out of the store: what an import puts there again may stay hidden.
func (imports) Repaired(cells []hbase.Cell) bool {
	_, repaired := find(cells, importRepaired)
	return repaired
}

// PutRepaired notes that a repair takes something out of the store. Nobody takes the note away.
func (n imports) PutRepaired() hbase.Put { return n.put(importRepaired, "1", 1) }

// Marker reports whether an import added entries to timelines and has not trimmed them, and the timestamp of the marker.
func (imports) Marker(cells []hbase.Cell) (on bool, timestamp int64) {
	c, _ := find(cells, importMarker)
	return string(c.Value) == "1", c.Timestamp
}

// PutMarker says that an import adds entries to timelines, or that it has trimmed them.
func (n imports) PutMarker(on bool, timestamp int64) hbase.Put {
	value := "0"
	if on {
		value = "1"
	}
	return n.put(importMarker, value, timestamp)
}

func (n imports) put(column, value string, timestamp int64) hbase.Put {
	get := n.Get()
	return hbase.Put{Table: get.Table, Row: get.Row, Cells: []hbase.Cell{
		{Family: broadcastersFamily, Qualifier: column, Timestamp: timestamp, Value: []byte(value)}}}
}
