package hbasetest

import (
	"fmt"
	"strconv"
	"strings"

	"twibase/hbase"
)

func (n Names) row(table, row string) string {
	if n.Row == nil {
		return strconv.Quote(row)
	}
	return n.Row(table, row)
}

func (n Names) qualifier(table, family, qualifier string) string {
	if n.Qualifier == nil {
		return strconv.Quote(qualifier)
	}
	return n.Qualifier(table, family, qualifier)
}

func (n Names) get(g hbase.Get) string {
	return fmt.Sprintf("Get %s %s %s", g.Table, n.row(g.Table, g.Row),
		n.selection(g.Table, g.Columns, g.Page, g.Versions))
}

func (n Names) scan(s hbase.Scan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Scan %s [", s.Table)
	if s.Start != "" {
		fmt.Fprintf(&b, "start %s", n.row(s.Table, s.Start))
	}
	b.WriteString(", ")
	if s.Stop != "" {
		fmt.Fprintf(&b, "stop %s", n.row(s.Table, s.Stop))
	}
	b.WriteString(") " + n.selection(s.Table, s.Columns, s.Page, 1))
	if s.Reversed {
		b.WriteString(" reversed")
	}
	if s.Limit > 0 {
		fmt.Fprintf(&b, " limit %d", s.Limit)
	}
	return b.String()
}

// selection renders "i:name,i:email [limit 3] [2 versions]". "*" means every family.
func (n Names) selection(table, columns string, page hbase.Page, versions int) string {
	parts := []string{"*"}
	if columns != "" {
		parts[0] = strings.Join(strings.Fields(columns), ",")
	}
	if page != (hbase.Page{}) {
		parts = append(parts, "["+n.page(table, strings.TrimSpace(columns), page)+"]")
	}
	if versions > 1 {
		parts = append(parts, fmt.Sprintf("[%d versions]", versions))
	}
	return strings.Join(parts, " ")
}

func (n Names) page(table, family string, page hbase.Page) string {
	after, next := strings.CutSuffix(page.Start, "\x00")
	var parts []string
	switch {
	case page.Start != "" && page.Stop == hbase.Next(page.Start):
		parts = append(parts, "exactly "+n.qualifier(table, family, page.Start))
	default:
		if next {
			parts = append(parts, "after "+n.qualifier(table, family, after))
		} else if page.Start != "" {
			parts = append(parts, "start "+n.qualifier(table, family, page.Start))
		}
		if page.Stop != "" {
			parts = append(parts, "stop "+n.qualifier(table, family, page.Stop))
		}
	}
	if page.Limit > 0 {
		parts = append(parts, fmt.Sprintf("limit %d", page.Limit))
	}
	if page.NoValues {
		parts = append(parts, "no values")
	}
	return strings.Join(parts, " ")
}

func (n Names) mutation(m hbase.Mutation) string {
	table, row := m.At()
	verb, columns := "Put", ""
	switch m := m.(type) {
	case hbase.Put:
		columns = n.cells(table, m.Cells)
	case hbase.Delete:
		verb, columns = "Delete", n.deletions(m)
	}
	return fmt.Sprintf("%s %s %s %s", verb, table, n.row(table, row), columns)
}

func (n Names) cells(table string, cells []hbase.Cell) string {
	var list []string
	for _, c := range cells {
		list = append(list, n.column(table, c.Family, c.Qualifier))
	}
	return strings.Join(list, ",")
}

func (n Names) deletions(d hbase.Delete) string {
	if len(d.Columns) == 0 {
		return "*"
	}
	var list []string
	for _, c := range d.Columns {
		switch c.Kind {
		case hbase.Family:
			list = append(list, c.Family)
		case hbase.AllVersions:
			list = append(list, n.column(d.Table, c.Family, c.Qualifier))
		}
	}
	return strings.Join(list, ",")
}

func (n Names) column(table, family, qualifier string) string {
	if _, err := hbase.ParseColumns(family + ":" + qualifier); err == nil && len(strings.Fields(qualifier)) == 1 {
		return family + ":" + qualifier
	}
	return family + ":" + n.qualifier(table, family, qualifier)
}

func (n Names) check(c hbase.Check, p hbase.Put) string {
	return fmt.Sprintf("CheckAndPut %s %s if %s then %s", p.Table, n.row(p.Table, p.Row),
		n.column(p.Table, c.Family, c.Qualifier), n.cells(p.Table, p.Cells))
}
