// Package sample has some data to explore: a few people who know each other, and a crowd around them that is made by chance, but
// always the same.
package sample

import (
	"context"
	"embed"
	"io/fs"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer"
)

//go:embed people
var people embed.FS

// Load imports the sample into a store whose tables exist. What the store holds besides stays; loading it twice is like once.
func Load(ctx context.Context, store hbase.Store) error {
	files, err := contents()
	if err != nil {
		return err
	}
	_, err = transfer.ImportFiles(ctx, store, files, transfer.Options{})
	return err
}

// Empty reports whether a store whose tables exist has no people, no departments, no roles and no games.
func Empty(ctx context.Context, store hbase.Store) (bool, error) {
	for _, table := range []string{tables.Users.Table, tables.Departments.Table, tables.Roles.Table, tables.Games.Table} {
		for _, err := range store.Scan(ctx, hbase.Scan{Table: table, Columns: tables.Existence, Limit: 1}) {
			return false, err
		}
	}
	return true, nil
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
