package writers

import (
	"cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// where reads to which bucket the member belongs.
func (m *member) where() hbase.Get { return m.list.Places(m.owner, m.cell.Qualifier) }

func (m *member) place(cells []hbase.Cell) (tables.Place, error) {
	return m.list.Place(m.owner, m.cell.Qualifier, cells)
}

// writes are what makes the member be there, or not, given where it belongs. Whoever knows that it does not belong to bucket 0 takes it out
// of that too: what somebody who did not know wrote there, or is still going to, is masked. While bucket 0 may still be read for what it
// had, a new member is told of there.
func (m *member) writes(at tables.Place, label string) []write {
	row := func(bucket uint32) string { return m.list.Row(m.owner, bucket) }
	put := func(bucket uint32, c hbase.Cell) hbase.Mutation {
		return hbase.Put{Table: m.name.Table, Row: row(bucket), Cells: []hbase.Cell{c}}
	}
	remove := func(bucket uint32) hbase.Mutation {
		return hbase.Delete{Table: m.name.Table, Row: row(bucket), Columns: []hbase.Deletion{
			{Kind: hbase.AllVersions, Family: m.name.Family, Qualifier: m.cell.Qualifier, Timestamp: m.cell.Timestamp}}}
	}
	in := func(bucket uint32) hbase.Mutation {
		if m.gone {
			return remove(bucket)
		}
		return put(bucket, m.cell)
	}
	what := label + m.String()
	writes := []write{{what, in(at.Covering)}}
	if at.Announced != 0 {
		writes = append(writes, write{what + ", announced", in(at.Announced)})
	}
	switch {
	case at.Covering == 0:
	case at.Moving && !m.gone:
		writes = append(writes, write{what + ", moving", put(0, m.list.MovedCell(m.cell.Qualifier, m.cell.Timestamp))})
	default:
		writes = append(writes, write{what + ", bucket 0", remove(0)})
	}
	return writes
}

func (m *member) compare(other *member) int {
	return cmp.Or(cmp.Compare(m.name.Table, other.name.Table), cmp.Compare(m.name.Family, other.name.Family),
		cmp.Compare(m.owner, other.owner), cmp.Compare(m.cell.Qualifier, other.cell.Qualifier))
}

func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.table, other.table), cmp.Compare(p.row, other.row))
}
