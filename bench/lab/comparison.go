package main

import (
	"context"
	"iter"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/tablestest"
)

type comparison struct {
	name string
	// scale is the unit of scales, such as "days of all users".
	scale  string
	scales []int
	at     func(scale int) trial
	more   func(ctx context.Context, results []result) (markdown string, err error)
}

type trial struct {
	designs []design
	queries []query
}

type design struct {
	name string
	// tables and rows are nil if the design reads the previous one's tables in another way.
	tables []hbase.Table
	rows   iter.Seq[hbase.Put]
}

type query struct {
	name string
	// axis is the unit of sizes, such as "days of X".
	axis      string
	sizes     []int
	instances int
	// run has a function for each design, or nil if the design lacks the query.
	run []queryFunc
	// want computes the result without a table.
	want func(size, instance int) []string
}

type queryFunc func(ctx context.Context, store hbase.Store, size, instance int) ([]string, error)

var comparisons = []comparison{plays, owners, object, relation, inbox}

const regions = 8

const timestamp = 1

const pageSize = 20

func newTable(name string, families ...string) hbase.Table {
	table := hbase.Table{Name: name, Splits: tables.Definitions(regions)[0].Splits}
	for _, family := range families {
		table.Families = append(table.Families, hbase.FamilySchema{Name: family})
	}
	return table
}

func twibaseTable(name string) hbase.Table { return tablestest.Definition(name, regions) }

func put(table, row, family string, columns ...[2]string) hbase.Put {
	p := hbase.Put{Table: table, Row: row}
	for _, c := range columns {
		p.Cells = append(p.Cells, hbase.Cell{Family: family, Qualifier: c[0], Value: []byte(c[1]), Timestamp: timestamp})
	}
	return p
}
