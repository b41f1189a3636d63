package writers

import (
	"cmp"

	"twibase/hbase"
)

// directory reads which bucket covers the member.
func (m *member) directory() hbase.Get {
	return m.list.Directory(m.owner, hbase.Next(m.cell.Qualifier))
}

func (m *member) bucket(cells []hbase.Cell) (uint32, error) {
	return m.list.Place(m.owner, m.cell.Qualifier, cells)
}

// writes are what makes the member be there, or not, given the bucket that covers it. Whoever knows of a later bucket than bucket 0 takes
// the member out of that too: what somebody who did not know of it wrote there, or is still going to, is masked.
func (m *member) writes(bucket uint32, label string) []write {
	out := func(bucket uint32) hbase.Mutation {
		return hbase.Delete{Table: m.name.Table, Row: m.list.Row(m.owner, bucket), Columns: []hbase.Deletion{
			{Kind: hbase.AllVersions, Family: m.name.Family, Qualifier: m.cell.Qualifier, Timestamp: m.cell.Timestamp}}}
	}
	var writes []write
	if m.gone {
		writes = append(writes, write{label + m.String(), out(bucket)})
	} else {
		writes = append(writes, write{label + m.String(),
			hbase.Put{Table: m.name.Table, Row: m.list.Row(m.owner, bucket), Cells: []hbase.Cell{m.cell}}})
	}
	if bucket != 0 {
		writes = append(writes, write{label + m.String() + ", bucket 0", out(0)})
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
