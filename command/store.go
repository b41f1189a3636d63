package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/transfer"
)

const defaultRegions = 8

type storeFlag struct {
	Store     string `default:"embedded:data" placeholder:"STORE" help:"Store (default: ${default}): embedded:DIR is a directory, embedded: is in memory, hbase://HOST:PORT[,HOST:PORT]/ZNODE is an HBase cluster, by its ZooKeeper."`
	Namespace string `default:"default" placeholder:"NAME" help:"Namespace of the tables on a cluster. Several installations can share a cluster if each has its own namespace (default: ${default})."`
	HBaseUser string `name:"hbase-user" placeholder:"NAME" help:"User whose rights HBase checks, on a cluster with simple authentication (default: root)."`
	hbaseKerberosFlags
	hbaseTLSFlags
}

func (f *storeFlag) Validate() error {
	return errors.Join(f.checkStore(), f.hbaseTLSFlags.Validate(), f.hbaseKerberosFlags.Validate(),
		require(f.HBaseUser == "" || f.HBaseKeytab == "",
			"--hbase-user is for simple authentication: with --hbase-keytab, HBase checks the rights of --hbase-principal"))
}

// checkStore returns errors without a password, which --store may have by mistake.
// [cluster.CheckURL] omits the user and the password of a URL.
func (f *storeFlag) checkStore() error {
	switch {
	case f.embedded():
		return require(f.Namespace == cluster.DefaultNamespace,
			"--namespace %s: only a cluster has namespaces; use another directory in --store", f.Namespace)
	case !strings.HasPrefix(f.Store, "hbase://"):
		return errors.New("--store must be embedded:DIR, embedded: or hbase://HOST:PORT/ZNODE")
	}
	if err := cluster.CheckURL(f.Store); err != nil {
		return fmt.Errorf("--store: %w", err)
	}
	if err := cluster.CheckNamespace(f.Namespace); err != nil {
		return fmt.Errorf("--namespace: %w", err)
	}
	return nil
}

func (f *storeFlag) embedded() bool { return strings.HasPrefix(f.Store, "embedded:") }

func (f *storeFlag) regions() int {
	if f.embedded() {
		return 1
	}
	return defaultRegions
}

// rowCache is in MiB.
func (f *storeFlag) open(
	ctx context.Context, log zerolog.Logger, rowCache int, options ...cluster.Option,
) (store hbase.Store, err error) {
	if dir, ok := strings.CutPrefix(f.Store, "embedded:"); ok {
		store, err = embedded.Open(dir,
			embedded.WithLogger(slog.New(zerolog.NewSlogHandler(log))), embedded.WithRowCache(rowCache<<20))
	} else {
		store, err = f.openCluster(ctx, log, options)
	}
	if err != nil {
		return nil, fmt.Errorf("--store %s: %w", f.Store, err)
	}
	return store, nil
}

func (f *storeFlag) openCluster(
	ctx context.Context, log zerolog.Logger, options []cluster.Option,
) (*cluster.Store, error) {
	secure, err := f.hbaseTLSFlags.options(log)
	if err != nil {
		return nil, err
	}
	user, err := f.userOptions(log)
	if err != nil {
		return nil, err
	}
	options = slices.Concat(options, secure, user, []cluster.Option{cluster.WithNamespace(f.Namespace)})
	return cluster.Open(ctx, f.Store, log, options...)
}

func (f *storeFlag) userOptions(log zerolog.Logger) ([]cluster.Option, error) {
	if f.HBaseUser != "" {
		return []cluster.Option{cluster.WithUser(f.HBaseUser)}, nil
	}
	return f.hbaseKerberosFlags.options(log)
}

func (f *storeFlag) with(ctx context.Context, p process, use func(hbase.Store) error) error {
	store, err := f.open(ctx, p.log, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.advise(use(store)), store.Close())
}

func (f *storeFlag) advise(err error) error {
	if foreign := (*transfer.ForeignError)(nil); errors.As(err, &foreign) {
		return fmt.Errorf("--store %s, --namespace %s: %w; choose another --namespace, or drop them in the HBase shell "+
			"if no other application needs them", f.Store, f.Namespace, err)
	}
	return err
}

// withExisting is like [storeFlag.with], but fails if an embedded store does not exist.
func (f *storeFlag) withExisting(ctx context.Context, p process, use func(hbase.Store) error) error {
	if dir, ok := strings.CutPrefix(f.Store, "embedded:"); ok && dir != "" {
		if _, err := os.Stat(dir); err != nil {
			return fmt.Errorf("--store %s: there is no store: %w", f.Store, err)
		}
		if exists, err := embedded.IsStore(dir); err != nil || !exists {
			return errors.Join(fmt.Errorf("--store %s: there is no store in that folder", f.Store), err)
		}
	}
	return f.with(ctx, p, use)
}

// withTables is like withExisting, and creates tables that later versions added. It fails if a
// table of the first version is missing: a repair would delete the references to its lost data.
func (f *storeFlag) withTables(ctx context.Context, p process, use func(hbase.Store) error) error {
	return f.withExisting(ctx, p, func(store hbase.Store) error {
		found, err := transfer.FindTables(ctx, store)
		if err != nil {
			return err
		}
		if len(found.Present) == 0 {
			return fmt.Errorf("--store %s has no twibase tables: create them with 'twibase tables create'", f.Store)
		}
		lost := slices.DeleteFunc(found.Missing, func(table string) bool { return !tables.Original(table) })
		if len(lost) > 0 {
			return fmt.Errorf("--store %s lacks the tables %s: restore their data, "+
				"or create empty ones with 'twibase tables create'", f.Store, strings.Join(lost, ", "))
		}
		created, err := transfer.EnsureTables(ctx, store, f.regions())
		if err != nil {
			return fmt.Errorf("creating tables: %w", err)
		}
		if len(created) > 0 {
			fmt.Fprintf(p.stderr, "twibase: created the tables %s, which this version adds\n", strings.Join(created, ", "))
		}
		return use(store)
	})
}
