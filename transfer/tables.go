package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// createTimeout suffices for hundreds of regions.
const createTimeout = 3 * time.Minute

const (
	// findTimeout is for reads of hbase:meta, the marks, or a search table.
	findTimeout = 30 * time.Second
	findPause   = 200 * time.Millisecond
)

// EnsureTables creates the missing tables with the given number of regions each, and returns their
// names. It puts the marks before it creates other tables, because FindTables takes unmarked tables
// for another application's. Then it completes search tables (see [IncompleteSearch]). It writes
// nothing if [FindTables] fails. Several processes may call it concurrently.
func EnsureTables(ctx context.Context, store hbase.Store, regions int) (created []string, err error) {
	if created, err = createTables(ctx, store, regions); err != nil {
		return created, err
	}
	incomplete, err := IncompleteSearch(ctx, store)
	if err == nil && len(incomplete) > 0 {
		err = CompleteSearch(ctx, store)
	}
	return created, err
}

func createTables(ctx context.Context, store hbase.Store, regions int) (created []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	found, err := FindTables(ctx, store)
	if err != nil {
		return nil, err
	}
	marks, others := splitMarks(slices.DeleteFunc(tables.Definitions(regions), func(t hbase.Table) bool {
		return !slices.Contains(found.Missing, t.Name)
	}))
	if created, err = create(ctx, store, marks); err != nil {
		return created, err
	}
	if len(found.unmarked) > 0 {
		if err := hbase.MutateAll(ctx, store, []hbase.Mutation{tables.Marks.Put(found.unmarked)}); err != nil {
			return created, err
		}
	}
	more, err := create(ctx, store, others)
	created = append(created, more...)
	slices.Sort(created)
	return created, err
}

func create(ctx context.Context, store hbase.Store, missing []hbase.Table) (created []string, err error) {
	return forEach(missing, func(table hbase.Table) (bool, error) {
		err := store.CreateTable(ctx, table)
		if errors.Is(err, hbase.ErrTableExists) {
			return false, nil
		}
		return err == nil, err
	})
}

// forEach calls f concurrently, because a cluster needs a second per table. done has the tables
// where f returned true.
func forEach(all []hbase.Table, f func(hbase.Table) (bool, error)) (done []string, err error) {
	done = make([]string, len(all))
	var group errgroup.Group
	for i, table := range all {
		group.Go(func() error {
			ok, err := f(table)
			if ok {
				done[i] = table.Name
			}
			return err
		})
	}
	err = group.Wait()
	return slices.DeleteFunc(done, func(name string) bool { return name == "" }), err
}

// DropTables drops all tables, and returns their names. The marks come last, so that it can be
// called again after an interruption.
func DropTables(ctx context.Context, store hbase.Store) (dropped []string, err error) {
	found, err := FindTables(ctx, store)
	if err != nil {
		return nil, err
	}
	drop := func(table hbase.Table) (bool, error) {
		if err := store.DropTable(ctx, table.Name); err != nil {
			return false, fmt.Errorf("%s: %w", table.Name, err)
		}
		return true, nil
	}
	marks, others := splitMarks(found.Present)
	if dropped, err = forEach(others, drop); err != nil {
		return dropped, err
	}
	last, err := forEach(marks, drop)
	return append(dropped, last...), err
}

func splitMarks(all []hbase.Table) (marks, others []hbase.Table) {
	for _, table := range all {
		if table.Name == tables.Marks.Table() {
			marks = append(marks, table)
		} else {
			others = append(others, table)
		}
	}
	return marks, others
}

// Found lists twibase's existing and missing tables.
type Found struct {
	Present []hbase.Table
	Missing []string

	unmarked []string
}

// ForeignError names tables of another application.
type ForeignError struct{ Tables []string }

func (e *ForeignError) Error() string {
	return fmt.Sprintf("twibase has not created the tables %s: nothing is written to them", strings.Join(e.Tables, ", "))
}

// FindTables finds twibase's tables. It writes nothing, and needs no HBase master. The error may be
// a [*ForeignError].
//
// A table without a mark is twibase's in two cases only:
//
//   - The store is of the first version: there are no marks, all its tables exist, and all tables
//     have their families.
//   - The creation was interrupted: only the table of the marks exists, and it is empty.
func FindTables(ctx context.Context, store hbase.Store) (found Found, err error) {
	names, err := retried(ctx, store.Tables)
	if err != nil {
		return found, fmt.Errorf("listing tables: %w", err)
	}
	for _, table := range tables.Definitions(1) {
		if slices.Contains(names, table.Name) {
			found.Present = append(found.Present, table)
		} else {
			found.Missing = append(found.Missing, table.Name)
		}
	}
	marked, err := readMarks(ctx, store, found)
	if err != nil {
		return found, err
	}
	for _, table := range tables.Definitions(1) {
		if !slices.Contains(marked, table.Name) {
			found.unmarked = append(found.unmarked, table.Name)
		}
	}
	foreign, err := found.foreign(ctx, store, marked)
	if err == nil && len(foreign) > 0 {
		err = &ForeignError{foreign}
	}
	return found, err
}

// retried repeats a read for up to findTimeout while the store is unavailable.
func retried[T any](ctx context.Context, read func(context.Context) (T, error)) (T, error) {
	value, err := read(ctx)
	for end := time.Now().Add(findTimeout); errors.Is(err, hbase.ErrUnavailable) && time.Now().Before(end); {
		select {
		case <-time.After(findPause):
		case <-ctx.Done():
			return value, ctx.Err()
		}
		value, err = read(ctx)
	}
	return value, err
}

func readMarks(ctx context.Context, store hbase.Store, found Found) (marked []string, err error) {
	if slices.Contains(found.Missing, tables.Marks.Table()) {
		return nil, nil
	}
	cells, err := retried(ctx, func(ctx context.Context) ([]hbase.Cell, error) {
		return hbase.GetOne(ctx, store, tables.Marks.Get())
	})
	switch {
	case errors.Is(err, hbase.ErrFamilyNotFound): // another application's
		return nil, nil
	case err == nil:
		marked, err = tables.Marks.Decode(cells)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the marks of tables: %w", err)
	}
	return marked, nil
}

func (f Found) foreign(ctx context.Context, store hbase.Store, marked []string) (foreign []string, err error) {
	for _, table := range f.Present {
		if !slices.Contains(marked, table.Name) {
			foreign = append(foreign, table.Name)
		}
	}
	switch {
	case len(foreign) == 0:
		return nil, nil
	case len(marked) == 0 && !slices.ContainsFunc(f.Missing, tables.Original):
		return withoutFamilies(ctx, store, f.Present)
	case slices.Equal(foreign, []string{tables.Marks.Table()}) && len(f.Present) == 1:
		for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Marks.Table(), Limit: 2}) {
			if err != nil || row.Key != tables.Marks.Get().Row { // a concurrent call may put the mark
				return foreign, err
			}
		}
		return withoutFamilies(ctx, store, f.Present)
	}
	return foreign, nil
}

// withoutFamilies returns the tables that lack a family. It omits unavailable tables.
func withoutFamilies(ctx context.Context, store hbase.Store, present []hbase.Table) (lacking []string, err error) {
	gets := make([]hbase.Get, len(present))
	for i, table := range present {
		names := make([]string, len(table.Families))
		for k, family := range table.Families {
			names[k] = family.Name
		}
		gets[i] = hbase.Get{Table: table.Name, Row: tables.RowKey(""), Columns: strings.Join(names, " "),
			Page: hbase.Page{Limit: 1}}
	}
	results, err := store.Get(ctx, gets)
	if err != nil {
		return nil, err
	}
	for i, result := range results {
		switch {
		case errors.Is(result.Err, hbase.ErrFamilyNotFound):
			lacking = append(lacking, present[i].Name)
		case result.Err != nil && !errors.Is(result.Err, hbase.ErrUnavailable):
			return nil, result.Err
		}
	}
	return lacking, nil
}
