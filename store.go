package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/embedded"
)

// storeFlag is the flag of every command that needs a store.
type storeFlag struct {
	Store string `default:"embedded:data" placeholder:"STORE" help:"The store (default: ${default}): embedded:DIR is a directory on this machine, embedded: is memory alone, hbase://HOST:PORT[,HOST:PORT]/ZNODE is a cluster, by its ZooKeeper."`
}

func (f *storeFlag) embedded() bool { return strings.HasPrefix(f.Store, "embedded:") }

// defaultRegions is into how many regions a table of a cluster is split from the start: enough for a handful of region servers, which
// split further what grows.
const defaultRegions = 8

// regions is into how many regions a new table of the store is split.
func (f *storeFlag) regions() int {
	if f.embedded() {
		return 1
	}
	return defaultRegions
}

// open opens the store; whoever calls it closes it. An embedded one has a cache of so many MiB of rows: worth it for who reads the same again.
func (f *storeFlag) open(ctx context.Context, log zerolog.Logger, rowCache int) (store hbase.Store, err error) {
	switch scheme, rest, _ := strings.Cut(f.Store, ":"); {
	case f.embedded():
		store, err = embedded.Open(rest, embedded.WithLogger(slog.New(zerolog.NewSlogHandler(log))), embedded.WithRowCache(rowCache<<20))
	case scheme == "hbase" && strings.HasPrefix(rest, "//"):
		store, err = cluster.Open(ctx, f.Store, log)
	default:
		err = errors.New("write embedded:DIR, embedded: or hbase://HOST:PORT/ZNODE")
	}
	if err != nil {
		return nil, fmt.Errorf("--store %s: %w", f.Store, err)
	}
	return store, nil
}

// withExisting is with for those who only look at a store, or take from it: opening one that is not there would make it.
func (f *storeFlag) withExisting(ctx context.Context, p process, call func(hbase.Store) error) error {
	if dir, of := strings.CutPrefix(f.Store, "embedded:"); of && dir != "" {
		if _, err := os.Stat(dir); err != nil {
			return fmt.Errorf("--store %s: there is no store: %w", f.Store, err)
		}
		if is, err := embedded.Is(dir); err != nil || !is {
			return errors.Join(fmt.Errorf("--store %s: there is no store in that folder", f.Store), err)
		}
	}
	return f.with(ctx, p, call)
}

// with calls f with the open store.
func (f *storeFlag) with(ctx context.Context, p process, call func(hbase.Store) error) error {
	store, err := f.open(ctx, p.log, 0)
	if err != nil {
		return err
	}
	return errors.Join(call(store), store.Close())
}
