// Package sample has some data to explore: a few people who know each other, and a crowd around them that is made by chance, but
// always the same.
package sample

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer"
)

//go:embed people
var people embed.FS

// unfinished is a table that exists while the sample is being loaded, so that a load that was cut off is made good.
const unfinished = "sample_unfinished"

// Wanted reports whether a store whose tables exist is to have the sample: it has no people, no departments, no roles and no games, or only
// what an earlier load left that did not come to its end.
func Wanted(ctx context.Context, store hbase.Store) (bool, error) {
	names, err := store.Tables(ctx)
	if err != nil || slices.Contains(names, unfinished) {
		return err == nil, err
	}
	for _, table := range []string{tables.Users.Table, tables.Departments.Table, tables.Roles.Table, tables.Games.Table} {
		for _, err := range store.Scan(ctx, hbase.Scan{Table: table, Columns: tables.Existence, Limit: 1}) {
			return false, err
		}
	}
	return true, nil
}

// Load imports the sample into a store whose tables exist. What the store holds besides stays; loading it twice is like once.
func Load(ctx context.Context, store hbase.Store) error {
	files, err := contents()
	if err != nil {
		return err
	}
	mark := hbase.Table{Name: unfinished, Families: []hbase.FamilySchema{{Name: tables.Attributes}}}
	if err := store.CreateTable(ctx, mark); err != nil && !errors.Is(err, hbase.ErrTableExists) {
		return err
	}
	if _, err := transfer.ImportFiles(ctx, store, files, transfer.Options{}); err != nil {
		return err
	}
	return store.DropTable(ctx, unfinished)
}

// contents are the files of the sample by their paths.
func contents() (map[string][]byte, error) {
	files := crowd()
	entries, err := fs.ReadDir(people, "people")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		path := "people/" + entry.Name()
		if files[path], err = people.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return files, nil
}
