// Package sample has deterministic data to explore: a few embedded users, and generated users
// around them.
package sample

import (
	"context"
	"embed"
	"errors"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer"
)

//go:embed people
var people embed.FS

// unfinished is a table that exists until a load is complete.
const unfinished = "sample_unfinished"

// NeedsLoad reports whether the store has no users, departments, roles and games, or a load was
// interrupted. The tables must exist.
func NeedsLoad(ctx context.Context, store hbase.Store) (bool, error) {
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

// Load imports the sample. The tables must exist. Load keeps other data, and is idempotent.
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

func contents() (map[string][]byte, error) {
	files := generated()
	entries, err := people.ReadDir("people")
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
