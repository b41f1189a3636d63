package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/tables"
)

const rightsTimeout = 5 * time.Second

// checkRights returns [hbase.ErrDenied] if a right is missing. It writes nothing, and ignores
// unavailable tables.
func checkRights(ctx context.Context, store *cluster.Store) error {
	ctx, cancel := context.WithTimeout(ctx, rightsTimeout)
	defer cancel()
	var group errgroup.Group
	for _, table := range tables.Definitions(1) {
		group.Go(func() error {
			if err := probe(ctx, store, table); errors.Is(err, hbase.ErrDenied) {
				return err
			}
			return nil
		})
	}
	return group.Wait()
}

// probe reads a row, and tries a CheckAndPut whose check fails. HBase then checks the right to
// write, but writes nothing.
func probe(ctx context.Context, store hbase.Store, table hbase.Table) error {
	row, family := tables.RowKey(""), table.Families[0].Name
	if _, err := hbase.GetOne(ctx, store, hbase.Get{Table: table.Name, Row: row, Page: hbase.Page{Limit: 1}}); err != nil {
		return err
	}
	_, err := store.CheckAndPut(ctx,
		hbase.Check{Family: family, Qualifier: "\x00probe", Value: []byte("no cell has this value")},
		hbase.Put{Table: table.Name, Row: row, Cells: []hbase.Cell{{Family: family, Qualifier: "\x00probe"}}})
	return err
}

func (f *storeFlag) grants(user string) string {
	if f.Namespace != cluster.DefaultNamespace {
		return fmt.Sprintf("grant '%s', 'RW', '@%s'", user, f.Namespace)
	}
	var names []string
	for _, table := range tables.Definitions(1) {
		names = append(names, table.Name)
	}
	return fmt.Sprintf("%%w[%s].each { |table| grant '%s', 'RW', table }", strings.Join(names, " "), user)
}
