// Package tablestest helps tests with the tables of twibase.
package tablestest

import (
	"twibase/hbase"
	"twibase/hbase/tables"
)

// Definition returns the table of [tables.Definitions] with a name. It panics if there is none.
func Definition(name string, regions int) hbase.Table {
	for _, table := range tables.Definitions(regions) {
		if table.Name == name {
			return table
		}
	}
	panic("twibase has no table " + name)
}
