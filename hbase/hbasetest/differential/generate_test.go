package differential

import (
	"math/rand/v2"

	"twibase/hbase"
)

var (
	families = []hbase.FamilySchema{{Name: "a", Versions: 1}, {Name: "b", Versions: 3}, {Name: "c", Versions: 2}}

	rows       = []string{"a", "b", "b\x00", "c", "\xff"}
	qualifiers = []string{"o", "p", "q", "q\x00", "r"}
	timestamps = []int64{1, 2, 3, 4, 5, future, future + 1}
	selections = []string{"", "", "a", "b", "c", "b", "a b", "c:q", "b:p", "b:p b:r", "a:p b", "b:p b", "c:q a:p a"}
	lists      = []string{"a", "b"} // with pages
	values     = [][]byte{nil, []byte("x"), []byte("y"), []byte("x\x00"), []byte("\xff")}
)

type generator struct{ *rand.Rand }

func pick[T any](g generator, list []T) T { return list[g.IntN(len(list))] }

func (g generator) rarely(n int) bool { return g.IntN(n) == 0 }

func (g generator) operation() operation {
	switch n := g.IntN(100); {
	case n < 22:
		put := g.put()
		return operation{mutation: put}
	case n < 38:
		return operation{mutation: g.deletion()}
	case n < 54:
		check := hbase.Check{Value: pick(g, values)}
		check.Family, check.Qualifier = g.column()
		return operation{check: &checkAndPut{check, g.put()}}
	case n < 88:
		get := hbase.Get{Table: g.table(), Row: pick(g, rows)}
		get.Columns, get.Page = g.selection()
		if get.Page == (hbase.Page{}) {
			get.Versions = g.IntN(5)
		}
		return operation{get: &get}
	default:
		scan := hbase.Scan{Table: g.table(), Reversed: g.rarely(2), Limit: g.IntN(4), PageSize: g.IntN(4)}
		if !g.rarely(3) {
			scan.Start = pick(g, rows)
		}
		if !g.rarely(3) {
			scan.Stop = pick(g, rows)
		}
		scan.Columns, scan.Page = g.selection()
		return operation{scan: &scan}
	}
}

func (g generator) table() string {
	if g.rarely(500) {
		return missing
	}
	return ""
}

func (g generator) family() string {
	if g.rarely(60) {
		return "none"
	}
	return pick(g, families).Name
}

// Only family c has an empty qualifier, because no filter seeks in its pages: such a filter may
// skip the delete marker of a family or a row (see columnRange in hbase/cluster; HBASE-18471 fixed
// this for other reads).
func (g generator) column() (family, qualifier string) {
	family, qualifier = g.family(), pick(g, qualifiers)
	if family == "c" && g.rarely(3) {
		qualifier = ""
	}
	return family, qualifier
}

func (g generator) timestamp() int64 {
	if g.rarely(2) {
		return 0
	}
	return pick(g, timestamps)
}

func (g generator) put() hbase.Put {
	put := hbase.Put{Table: g.table(), Row: pick(g, rows)}
	type version struct {
		family, qualifier string
		at                int64
	}
	seen := map[version]bool{}
	for range 1 + g.IntN(4) {
		c := hbase.Cell{Timestamp: g.timestamp(), Value: pick(g, values)}
		c.Family, c.Qualifier = g.column()
		// The order of two cells of one version is undefined.
		if v := (version{c.Family, c.Qualifier, c.Timestamp}); !seen[v] {
			seen[v] = true
			put.Cells = append(put.Cells, c)
		}
	}
	return put
}

func (g generator) deletion() hbase.Delete {
	d := hbase.Delete{Table: g.table(), Row: pick(g, rows)}
	if g.rarely(6) {
		d.Timestamp = g.timestamp()
		return d
	}
	for range 1 + g.IntN(3) {
		c := hbase.Deletion{Kind: hbase.Kind(g.IntN(2)), Timestamp: g.timestamp()}
		c.Family, c.Qualifier = g.column()
		d.Columns = append(d.Columns, c)
	}
	return d
}

func (g generator) selection() (columns string, page hbase.Page) {
	columns = pick(g, selections)
	switch g.IntN(6) {
	case 0:
		columns, page = pick(g, lists), hbase.Page{Start: hbase.Next(pick(g, qualifiers)), Limit: g.IntN(4)}
	case 1:
		family, qualifier := g.column()
		columns, page = family, hbase.Exactly(qualifier)
	case 2:
		columns, page = pick(g, lists), hbase.Page{Start: pick(g, qualifiers), Stop: pick(g, qualifiers), Limit: g.IntN(3)}
		if g.rarely(4) {
			page.Start = ""
		}
	case 3:
		page.Limit = 1 + g.IntN(3)
	}
	if page != (hbase.Page{}) {
		seeks := columns == "c" && page.Start != "" // see column
		page.NoValues = g.rarely(4) && !seeks
	}
	if g.rarely(80) {
		columns += " none"
	}
	return columns, page
}
