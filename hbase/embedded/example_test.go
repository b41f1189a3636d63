package embedded_test

import (
	"context"
	"fmt"
	"os"

	"twibase/hbase"
	"twibase/hbase/embedded"
)

// A write is durable when it returns.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "store-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	store, err := embedded.Open(dir)
	if err != nil {
		panic(err)
	}
	table := hbase.Table{Name: "users", Families: []hbase.FamilySchema{{Name: "i"}}}
	if err := store.CreateTable(ctx, table); err != nil {
		panic(err)
	}
	cell := hbase.Cell{Family: "i", Qualifier: "name", Value: []byte("Ann")}
	put := hbase.Put{Table: "users", Row: "a", Cells: []hbase.Cell{cell}}
	if err := hbase.MutateAll(ctx, store, []hbase.Mutation{put}); err != nil {
		panic(err)
	}
	if err := store.Close(); err != nil {
		panic(err)
	}

	store, err = embedded.Open(dir)
	if err != nil {
		panic(err)
	}
	defer store.Close()
	cells, err := hbase.GetAll(ctx, store, []hbase.Get{{Table: "users", Row: "a"}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", cells[0][0].Value)
	// Output: Ann
}
