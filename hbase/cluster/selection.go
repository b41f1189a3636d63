package cluster

import (
	"math"
	"sync"

	"github.com/tsuna/gohbase/filter"
	"github.com/tsuna/gohbase/pb"

	"twibase/hbase"
)

// selection is all of a Get or a Scan but its rows, in HBase's protocol. Nobody changes it once it is made, so that any number of calls share it.
type selection struct {
	columns  []*pb.Column
	filter   *pb.Filter
	time     *pb.TimeRange
	versions *uint32
	limit    *uint32
}

// describe fills in a message that asks for a row.
func (sel *selection) describe(get *pb.Get, row []byte) {
	get.Row, get.Column, get.Filter = row, sel.columns, sel.filter
	get.TimeRange, get.MaxVersions, get.StoreLimit = sel.time, sel.versions, sel.limit
}

// columnCache remembers what [hbase.Get.Columns] mean. The strings come from code, so there are few of them.
type columnCache struct{ sync.Map }

func (c *columnCache) get(columns string) ([]*pb.Column, error) {
	if known, ok := c.Load(columns); ok {
		return known.([]*pb.Column), nil
	}
	list, err := hbase.ParseColumns(columns)
	if err != nil {
		return nil, err
	}
	known, _ := c.LoadOrStore(columns, protoColumns(list))
	return known.([]*pb.Column), nil
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

// selection returns what a Get selects of its row.
func (c *columnCache) selection(g *hbase.Get) (*selection, error) {
	columns, err := c.get(g.Columns)
	if err != nil {
		return nil, err
	}
	sel := &selection{columns: columns, time: &pb.TimeRange{}}
	if g.Versions > 1 {
		sel.versions = number(g.Versions)
	}
	if g.Time.From > 0 {
		sel.time.From = timestamp(g.Time.From)
	}
	if g.Time.To > 0 {
		sel.time.To = timestamp(g.Time.To)
	}
	if g.Page.Limit > 0 {
		// HBase counts cells of each family, after deletes, versions and filters: with one version each, these are columns.
		sel.limit = number(g.Page.Limit)
	}
	if g.Page.Start == "" && g.Page.Stop == "" {
		return sel, nil
	}
	if g.Page == (hbase.Page{Start: g.Page.Start, Stop: hbase.Next(g.Page.Start), Limit: g.Page.Limit}) {
		// One column is asked for by its name, which a bloom filter of rows and columns can tell to be absent.
		sel.columns = []*pb.Column{{Family: columns[0].Family, Qualifier: [][]byte{[]byte(g.Page.Start)}}}
		return sel, nil
	}
	sel.filter, err = columnRange(g.Page)
	return sel, err
}

// columnRange starts at a page's Start, which is included, and seeks to it. HBase's ColumnPaginationFilter would start there too,
// but it counts over all families, reads a nil Start as an offset, and takes half as long again; the limit is the selection's.
//
// In HBase a filter that seeks passes over the deletion of a family or a row if a newer cell with an empty qualifier stands before it:
// families that pages are read of should not have one.
func columnRange(page hbase.Page) (*pb.Filter, error) {
	var stop []byte // nil is no end
	if page.Stop != "" {
		stop = []byte(page.Stop)
	}
	return filter.NewColumnRangeFilter([]byte(page.Start), stop, true, false).ConstructPBFilter()
}

// number holds what HBase reads as a signed int.
func number(n int) *uint32 {
	u := uint32(min(n, math.MaxInt32))
	return &u
}

func timestamp(t int64) *uint64 {
	u := uint64(t)
	return &u
}
