package hbasetest

import (
	"testing"

	"twibase/hbase"
)

func (s *suite) testDelete(t *testing.T) {
	one, two, three := put1("v:q", 10, "one"), put1("v:q", 20, "two"), put1("v:q", 30, "three")
	all := hbase.Get{Versions: keep}
	other := put(cell("v:other", 10, "x"), cell("i:q", 10, "y"))
	otherCells := []string{"i:q@10=y", "v:other@10=x"}
	s.play(t, []scenario{
		{"a family's marker masks all its columns up to its timestamp",
			[]write{one, two, three, put1("v:other", 20, "x"), remove(hbase.Family, "v", 20)},
			all, []string{"v:q@30=three"}},
		{"a family's marker masks no other family", []write{one, other, remove(hbase.Family, "v", 20)},
			all, []string{"i:q@10=y"}},
		{"a column's marker masks all its versions up to its timestamp",
			[]write{one, two, three, remove(hbase.AllVersions, "v:q", 20)},
			all, []string{"v:q@30=three"}},
		{"a column's marker masks no other column", []write{one, other, remove(hbase.AllVersions, "v:q", 50)},
			all, otherCells},
		{"a row's delete masks every family up to its timestamp",
			[]write{one, three, other, put1("f:a", 20, "a"), removeRow(20)},
			all, []string{"v:q@30=three"}},
		{"a row's delete without a timestamp masks earlier writes", []write{one, two, other, removeRow(0)},
			all, nil},
		{"a column's delete without a timestamp masks earlier writes",
			[]write{one, two, other, remove(hbase.AllVersions, "v:q", 0)},
			all, otherCells},
		{"a family's delete without a timestamp masks earlier writes",
			[]write{one, other, remove(hbase.Family, "v", 0)},
			all, []string{"i:q@10=y"}},
		{"a family's marker masks a later put with an older timestamp",
			[]write{remove(hbase.Family, "v", 20), one, three},
			all, []string{"v:q@30=three"}},
		{"a column's marker masks a later put with an older timestamp",
			[]write{remove(hbase.AllVersions, "v:q", 20), one, other},
			all, otherCells},
		{"a row's delete masks a later put with an older timestamp", []write{removeRow(20), one, other, three},
			all, []string{"v:q@30=three"}},
		{"a put newer than every marker is visible",
			[]write{one, remove(hbase.Family, "v", 15), remove(hbase.AllVersions, "v:q", 18), two},
			all, []string{"v:q@20=two"}},
		{"a family's marker beats a put of its timestamp", []write{two, remove(hbase.Family, "v", 20)}, all, nil},
		{"a put does not beat a family's marker of its timestamp", []write{remove(hbase.Family, "v", 20), two}, all, nil},
		{"a column's marker beats a put of its timestamp", []write{two, remove(hbase.AllVersions, "v:q", 20)}, all, nil},
		{"a put does not beat a column's marker of its timestamp",
			[]write{remove(hbase.AllVersions, "v:q", 20), two}, all, nil},
		{"the greatest of several markers counts",
			[]write{one, two, three, remove(hbase.AllVersions, "v:q", 25), remove(hbase.AllVersions, "v:q", 5),
				remove(hbase.Family, "v", 12)},
			all, []string{"v:q@30=three"}},
		{"a marker applies to named columns", []write{one, other, remove(hbase.Family, "v", 20)},
			hbase.Get{Columns: "v:q v:other i:q"}, []string{"i:q@10=y"}},
		{"the column of the empty qualifier is deleted alone",
			[]write{put(cell("v:", 10, "x"), cell("v:a", 10, "y")), remove(hbase.AllVersions, "v:", 20)},
			all, []string{"v:a@10=y"}},
		{"the empty qualifier's version is masked by a family's marker",
			[]write{put(cell("v:", 10, "x"), cell("v:a", 30, "y")), remove(hbase.Family, "v", 20)},
			all, []string{"v:a@30=y"}},
		{"deletes of missing cells change nothing",
			[]write{removeRow(5), remove(hbase.Family, "v", 5), remove(hbase.AllVersions, "v:q", 5), one},
			all, []string{"v:q@10=one"}},
		{"one delete has many parts", []write{one, two, other, put1("f:a", 10, "a"), func(table, row string) hbase.Mutation {
			return hbase.Delete{Table: table, Row: row, Columns: []hbase.Deletion{
				{Kind: hbase.AllVersions, Family: "v", Qualifier: "q", Timestamp: 10},
				{Kind: hbase.AllVersions, Family: "v", Qualifier: "other", Timestamp: 20},
				{Kind: hbase.Family, Family: "f", Timestamp: 20}}}
		}}, all, []string{"i:q@10=y", "v:q@20=two"}},
	})
}
