package writers

import (
	"cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// bucketsGet reads the directory that says in which buckets the member belongs.
func (m *member) bucketsGet() hbase.Get { return m.list.Places(m.owner, m.cell.Qualifier) }

func (m *member) buckets(cells []hbase.Cell) (tables.Place, error) {
	return m.list.Place(m.owner, m.cell.Qualifier, cells)
}

// length is the column of the list's length.
func (m *member) length() column {
	return column{location{m.list.Owner.Table, tables.RowKey(m.owner)}, tables.Attributes + ":" + m.list.Count}
}

// writes add or remove the member, given the buckets in which it belongs. If that is not bucket 0,
// they remove it from bucket 0, too, so that the write of an execution with an older directory
// stays masked. While bucket 0 may still be read for old copies, a new member leaves a moved marker
// there instead.
func (m *member) writes(at tables.Place, label string) []write {
	what := label + m.String()
	row := func(bucket uint32) string { return m.list.Row(m.owner, bucket) }
	put := func(bucket uint32, c hbase.Cell) hbase.Mutation {
		return hbase.Put{Table: m.list.Table, Row: row(bucket), Cells: []hbase.Cell{c}}
	}
	remove := func(bucket uint32) hbase.Mutation {
		return hbase.Delete{Table: m.list.Table, Row: row(bucket), Columns: []hbase.Deletion{
			{Kind: hbase.AllVersions, Family: m.list.Family, Qualifier: m.cell.Qualifier, Timestamp: m.cell.Timestamp}}}
	}
	in := func(bucket uint32) hbase.Mutation {
		if m.gone {
			return remove(bucket)
		}
		return put(bucket, m.cell)
	}
	writes := []write{{what, in(at.Covering)}}
	if at.Pending != 0 {
		writes = append(writes, write{what + ", pending", in(at.Pending)})
	}
	switch {
	case at.Covering == 0:
	case at.Moving && !m.gone:
		marker := m.list.MovedCell(m.cell.Qualifier, m.cell.Timestamp)
		writes = append(writes, write{what + ", moving", put(0, marker)})
	default:
		writes = append(writes, write{what + ", bucket 0", remove(0)})
	}
	return writes
}

func (m *member) compare(other *member) int {
	return cmp.Or(cmp.Compare(m.list.String(), other.list.String()),
		cmp.Compare(m.owner, other.owner), cmp.Compare(m.cell.Qualifier, other.cell.Qualifier))
}
