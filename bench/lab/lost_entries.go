package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
)

var rates = []int{1, 10, 100, 1000} // entries per second

// losses counts the entries that remain if authors write at random times.
type losses struct {
	rate, entries, versions, columns int
}

func countLost(ctx context.Context, store hbase.Store, entries int) (all []losses, err error) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, rate := range rates {
		l := losses{rate: rate, entries: entries}
		owner := fmt.Sprint("rate-", rate)
		var versions, columns []hbase.Mutation
		milli := float64(entryTime(0))
		for n := range entries {
			milli += random.ExpFloat64() * 1000 / float64(rate)
			versions = append(versions, versionOf(owner, int64(milli), entryName(n)))
			columns = append(columns, columnOf(owner, int64(milli), entryName(n)))
		}
		if err := mutate(ctx, store, append(versions, columns...)); err != nil {
			return nil, err
		}
		row := tables.RowKey(owner)
		results, err := get(ctx, store, hbase.Get{Table: versionsTable.Name, Row: row, Columns: "l:e", Versions: inboxBound},
			hbase.Get{Table: listTable.Name, Row: row, Columns: "l"})
		if err != nil {
			return nil, err
		}
		l.versions, l.columns = len(results[0].Cells), len(results[1].Cells)
		all = append(all, l)
	}
	return all, nil
}

func compareLosses(ctx context.Context, results []result) (string, error) {
	var first []losses
	for _, r := range results {
		tables := []design{{tables: []hbase.Table{versionsTable, listTable}}}
		err := withDesigns(ctx, r.engine, tables, func(store hbase.Store) error {
			all, err := countLost(ctx, store, inboxBound)
			if first == nil {
				first = all
			}
			if err == nil && !slices.Equal(all, first) {
				err = fmt.Errorf("%s keeps %v, %s %v", r.engine.name(), all, results[0].engine.name(), first)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	var b strings.Builder
	b.WriteString("Entries of one inbox that come at random, on both engines alike:\n\n" +
		"| entries a second | written | kept as versions | kept as columns | lost by versions |\n|---:|---:|---:|---:|---:|\n")
	for _, l := range first {
		fmt.Fprintf(&b, "| %d | %d | %d | %d | %.2f %% |\n", l.rate, l.entries, l.versions, l.columns,
			100*float64(l.entries-l.versions)/float64(l.entries))
	}
	return b.String() + "\n", nil
}
