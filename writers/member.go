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

// writes are what makes the member be there, or not, given where it belongs. Whoever knows that it no longer belongs to bucket 0 takes it out
// of that too: what somebody who did not know wrote there, or is still going to, is masked.
func (m *member) writes(at tables.Place, label string) []write {
	in := func(bucket uint32, suffix string) write {
		row, what := m.list.Row(m.owner, bucket), label+m.String()+suffix
		if m.gone || bucket == 0 && at.Covering != 0 {
			return write{what, hbase.Delete{Table: m.name.Table, Row: row, Columns: []hbase.Deletion{
				{Kind: hbase.AllVersions, Family: m.name.Family, Qualifier: m.cell.Qualifier, Timestamp: m.cell.Timestamp}}}}
		}
		return write{what, hbase.Put{Table: m.name.Table, Row: row, Cells: []hbase.Cell{m.cell}}}
	}
	writes := []write{in(at.Covering, "")}
	if at.Announced != 0 {
		writes = append(writes, in(at.Announced, ", announced"))
	}
	if at.Covering != 0 {
		writes = append(writes, in(0, ", bucket 0"))
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
