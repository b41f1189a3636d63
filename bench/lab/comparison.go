package main

import (
	"context"
	"iter"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// comparison compares designs of tables by the same queries.
type comparison struct {
	// name is that of its part of LAB.md and of its plot.
	name string
	// scale is the unit of scales, such as "days of all users": the amount of data.
	scale  string
	scales []int
	at     func(scale int) trial
	// more returns additional text for its part of LAB.md.
	more func(ctx context.Context, results []result) (markdown string, err error)
}

type trial struct {
	designs []design
	queries []query
}

// design is a layout of the data in tables.
type design struct {
	name string
	// tables and rows are nil for a design that reads the tables of the previous one in another way.
	tables []hbase.Table
	rows   iter.Seq[hbase.Put]
}

// query is a query that each design implements, at several sizes.
type query struct {
	name string
	// axis is the unit of sizes, such as "days of X". Without it the cost depends on the scale only.
	axis  string
	sizes []int
	// instances is the number of queries with different arguments.
	instances int
	// run has the implementation of each design, nil if it has none of its own.
	run []queryFunc
	// want returns the expected result, from the data and not from a table. A query that writes has
	// none.
	want func(size, instance int) []string
}

// queryFunc runs one instance of a query.
type queryFunc func(ctx context.Context, store hbase.Store, size, instance int) ([]string, error)

var comparisons = []comparison{plays, owners, object, relation, inbox}

// regions is the number of regions of a table on HBase, as twibase creates.
const regions = 8

const timestamp = 1

const pageSize = 20

// newTable is a table with the settings of twibase's tables.
func newTable(name string, families ...string) hbase.Table {
	table := hbase.Table{Name: name, Splits: tables.Definitions(regions)[0].Splits}
	for _, family := range families {
		table.Families = append(table.Families,
			hbase.FamilySchema{Name: family, Versions: 1, Encoding: "ROW_INDEX_V1", Bloom: "ROW"})
	}
	return table
}

// twibaseTable is one of twibase's tables.
func twibaseTable(name string) hbase.Table {
	for _, table := range tables.Definitions(regions) {
		if table.Name == name {
			return table
		}
	}
	panic("twibase has no table " + name)
}

func put(table, row, family string, columns ...[2]string) hbase.Put {
	p := hbase.Put{Table: table, Row: row}
	for _, c := range columns {
		p.Cells = append(p.Cells, hbase.Cell{Family: family, Qualifier: c[0], Value: []byte(c[1]), Timestamp: timestamp})
	}
	return p
}
