package cluster

import (
	"math"

	"github.com/tsuna/gohbase/filter"
	"github.com/tsuna/gohbase/pb"

	"twibase/hbase"
)

// selection has the fields of HBase's Get that select cells. It is immutable.
type selection struct {
	columns  []*pb.Column
	filter   *pb.Filter
	versions *uint32
	limit    *uint32
}

func (sel *selection) fill(get *pb.Get, row []byte) {
	get.Row, get.Column, get.Filter = row, sel.columns, sel.filter
	get.MaxVersions, get.StoreLimit = sel.versions, sel.limit
}

func protoColumns(list []hbase.Column) []*pb.Column {
	var columns []*pb.Column
	for _, f := range hbase.ByFamily(list) {
		column := &pb.Column{Family: []byte(f.Family)}
		for _, q := range f.Qualifiers {
			column.Qualifier = append(column.Qualifier, []byte(q))
		}
		columns = append(columns, column)
	}
	return columns
}

func newSelection(g *hbase.Get) (*selection, error) {
	list, err := hbase.ParseColumns(g.Columns)
	if err != nil {
		return nil, err
	}
	sel := &selection{columns: protoColumns(list)}
	if g.Versions > 1 {
		sel.versions = number(g.Versions)
	}
	if g.Page.Limit > 0 {
		// HBase's limit counts cells of each family after deletes, versions and filters.
		sel.limit = number(g.Page.Limit)
	}
	if g.Page.NoValues {
		sel.filter, err = withoutValues(g.Page)
		return sel, err
	}
	if g.Page.Start == "" && g.Page.Stop == "" {
		return sel, nil
	}
	if g.Page == (hbase.Page{Start: g.Page.Start, Stop: hbase.Next(g.Page.Start), Limit: g.Page.Limit}) {
		sel.columns = []*pb.Column{{Family: sel.columns[0].Family, Qualifier: [][]byte{[]byte(g.Page.Start)}}}
		return sel, nil
	}
	sel.filter, err = columnRange(g.Page).ConstructPBFilter()
	return sel, err
}

func withoutValues(page hbase.Page) (*pb.Filter, error) {
	noValues := filter.NewKeyOnlyFilter(false)
	if page.Start == "" && page.Stop == "" {
		return noValues.ConstructPBFilter()
	}
	return filter.NewList(filter.MustPassAll, columnRange(page), noValues).ConstructPBFilter()
}

// columnRange returns the filter of a page. A ColumnPaginationFilter would count over all families,
// read a nil Start as an offset, and take 1.5 times as long.
//
// Families that are read in pages must have no cells with an empty qualifier. HBase sorts the
// delete marker of a family or a row after those of these cells that are newer than the marker. A
// filter that seeks from such a cell skips the marker, so HBase returns deleted cells.
func columnRange(page hbase.Page) filter.Filter {
	var stop []byte // no end
	if page.Stop != "" {
		stop = []byte(page.Stop)
	}
	return filter.NewColumnRangeFilter([]byte(page.Start), stop, true, false)
}

func number(n int) *uint32 {
	u := uint32(min(n, math.MaxInt32)) // a Java int
	return &u
}
