package hbase_test

import (
	"context"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/embedded"
)

func openFollowers(ctx context.Context) hbase.Store {
	store, err := embedded.Open("")
	if err != nil {
		panic(err)
	}
	table := hbase.Table{Name: "users", Families: []hbase.FamilySchema{{Name: "i"}, {Name: "f"}}}
	if err := store.CreateTable(ctx, table); err != nil {
		panic(err)
	}
	err = hbase.MutateAll(ctx, store, []hbase.Mutation{
		hbase.Put{Table: "users", Row: "a", Cells: []hbase.Cell{
			{Family: "i", Qualifier: "name", Value: []byte("Ann")},
			{Family: "f", Qualifier: "b"},
			{Family: "f", Qualifier: "c"},
			{Family: "f", Qualifier: "d"},
		}},
		hbase.Put{Table: "users", Row: "b", Cells: []hbase.Cell{
			{Family: "i", Qualifier: "name", Value: []byte("Bob")},
		}},
	})
	if err != nil {
		panic(err)
	}
	return store
}

func ExampleStore_get() {
	ctx := context.Background()
	store := openFollowers(ctx)
	defer store.Close()
	results, err := store.Get(ctx, []hbase.Get{
		{Table: "users", Row: "a", Columns: "i:name"},
		{Table: "users", Row: "a", Columns: "f", Page: hbase.Page{Start: hbase.Next("b"), Limit: 10}},
		{Table: "users", Row: "missing"},
	})
	if err != nil {
		panic(err)
	}
	for _, result := range results {
		fmt.Print(len(result.Cells), " cells:")
		for _, cell := range result.Cells {
			fmt.Printf(" %s:%s=%q", cell.Family, cell.Qualifier, cell.Value)
		}
		fmt.Println()
	}
	// Output:
	// 1 cells: i:name="Ann"
	// 2 cells: f:c="" f:d=""
	// 0 cells:
}

func ExampleStore_scan() {
	ctx := context.Background()
	store := openFollowers(ctx)
	defer store.Close()
	for row, err := range store.Scan(ctx, hbase.Scan{Table: "users", Columns: "i:name"}) {
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %s\n", row.Key, row.Cells[0].Value)
	}
	// Output:
	// a: Ann
	// b: Bob
}

func ExampleStore_checkAndPut() {
	ctx := context.Background()
	store := openFollowers(ctx)
	defer store.Close()
	rename := func(from, to string) {
		check := hbase.Check{Family: "i", Qualifier: "name", Value: []byte(from)}
		cell := hbase.Cell{Family: "i", Qualifier: "name", Value: []byte(to)}
		done, err := store.CheckAndPut(ctx, check, hbase.Put{Table: "users", Row: "a", Cells: []hbase.Cell{cell}})
		fmt.Println(done, err)
	}
	rename("Ann", "Anna")
	rename("Ann", "Annika")
	// Output:
	// true <nil>
	// false <nil>
}
