package main

import (
	"context"
	"iter"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// comparison is of designs of tables that answer the same questions.
type comparison struct {
	// name is that of its part of LAB.md and of its plot.
	name string
	// scale is what scales count, as in "days stored": how much there is in the tables.
	scale  string
	scales []int
	at     func(scale int) trial
	// more is what its part of LAB.md has beside plot and tables.
	more func(ctx context.Context, results []result) (markdown string, err error)
}

// trial is a comparison at one scale.
type trial struct {
	designs   []design
	questions []question
}

// design is a way to lay the same data out in tables.
type design struct {
	name string
	// tables and rows are nil for a design that asks the tables of the one before it in another way.
	tables []hbase.Table
	rows   iter.Seq[hbase.Put]
}

// question is what every design is asked, at each of several sizes.
type question struct {
	name string
	// axis is what sizes count, as in "days of X". Without it the scale alone decides what an answer costs.
	axis  string
	sizes []int
	// instances is how many different ones of its kind there are, as many as there are users X to ask about.
	instances int
	// asks is how each of the trial's designs finds the answer. It is nil for one that has no way of its own.
	asks []ask
	// truth is the answer, from the data and not from any table. A question that writes has none.
	truth func(size, instance int) []string
}

// ask answers one instance of a question by what the store says.
type ask func(ctx context.Context, store hbase.Store, size, instance int) ([]string, error)

// comparisons are all, in the order of LAB.md.
var comparisons = []comparison{plays, owners, object, relation, inbox}

// regions is into how many a table is split on HBase, as many as twibase itself makes.
const regions = 8

// timestamp is that of all cells that need none of their own.
const timestamp = 1

// pageSize is the length of a page of a list.
const pageSize = 20

// newTable is a table as twibase makes its own.
func newTable(name string, families ...string) hbase.Table {
	table := hbase.Table{Name: name, Splits: tables.Definitions(regions)[0].Splits}
	for _, family := range families {
		table.Families = append(table.Families, hbase.FamilySchema{Name: family, Versions: 1, Encoding: "ROW_INDEX_V1", Bloom: "ROW"})
	}
	return table
}

// twibaseTable is one of twibase's own tables.
func twibaseTable(name string) hbase.Table {
	for _, table := range tables.Definitions(regions) {
		if table.Name == name {
			return table
		}
	}
	panic("twibase has no table " + name)
}

// put is a row of one family.
func put(table, row, family string, columns ...[2]string) hbase.Put {
	p := hbase.Put{Table: table, Row: row}
	for _, c := range columns {
		p.Cells = append(p.Cells, hbase.Cell{Family: family, Qualifier: c[0], Value: []byte(c[1]), Timestamp: timestamp})
	}
	return p
}
