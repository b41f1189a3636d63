package main

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest/minihbase"
)

type engine interface {
	name() string
	// load returns a store that reads from files.
	load(ctx context.Context, designs []design) (hbase.Store, error)
	drop(ctx context.Context) error
	cpu() (time.Duration, error)
}

func ownCPU() (time.Duration, error) {
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), err
}

// fill waits while region servers flush.
func fill(ctx context.Context, store hbase.Store, d design) error {
	const cells, timeout = 4000, 10 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for _, table := range d.tables {
		if err := store.CreateTable(ctx, table); err != nil {
			return err
		}
	}
	if d.rows == nil {
		return nil
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	var batch []hbase.Mutation
	size := 0
	send := func() {
		all := batch
		group.Go(func() error { return mutate(ctx, store, all) })
		batch, size = nil, 0
	}
	for row := range d.rows {
		batch = append(batch, row)
		if size += len(row.Cells); size >= cells {
			send()
		}
	}
	send()
	return group.Wait()
}

type embeddedEngine struct {
	dir   string
	store hbase.Store
}

func (*embeddedEngine) name() string { return "embedded" }

func (*embeddedEngine) cpu() (time.Duration, error) { return 0, nil }

func (p *embeddedEngine) load(ctx context.Context, designs []design) (store hbase.Store, err error) {
	if p.dir, err = os.MkdirTemp("", "lab-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(p.dir))
		}
	}()
	if store, err = embedded.Open(p.dir, embedded.WithRowCache(0)); err != nil {
		return nil, err
	}
	for _, d := range designs {
		err = errors.Join(err, fill(ctx, store, d))
	}
	if err := errors.Join(err, store.Close()); err != nil {
		return nil, err
	}
	// A row cache would hide the differences of designs.
	p.store, err = embedded.Open(p.dir, embedded.WithRowCache(0))
	return p.store, err
}

func (p *embeddedEngine) drop(context.Context) error {
	return errors.Join(p.store.Close(), os.RemoveAll(p.dir))
}

type hbaseEngine struct {
	dir    string
	hbase  *minihbase.HBase
	store  *cluster.Store
	tables []string
}

func startHBase(ctx context.Context) (*hbaseEngine, error) {
	dir, err := os.MkdirTemp("", "lab-")
	if err != nil {
		return nil, err
	}
	r := &hbaseEngine{dir: dir}
	if r.hbase, err = minihbase.Start(ctx, dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if r.store, err = cluster.Open(ctx, r.hbase.URL(), zerolog.Nop()); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *hbaseEngine) close() (err error) {
	if r.store != nil {
		err = r.store.Close()
	}
	r.hbase.Kill()
	return errors.Join(err, os.RemoveAll(r.dir))
}

func (*hbaseEngine) name() string { return "HBase" }

func (r *hbaseEngine) cpu() (time.Duration, error) { return r.hbase.CPU() }

func (r *hbaseEngine) load(ctx context.Context, designs []design) (hbase.Store, error) {
	for _, d := range designs {
		if err := fill(ctx, r.store, d); err != nil {
			return nil, err
		}
		for _, table := range d.tables {
			if err := r.store.Flush(ctx, table.Name); err != nil {
				return nil, err
			}
			r.tables = append(r.tables, table.Name)
		}
	}
	return r.store, nil
}

func (r *hbaseEngine) drop(ctx context.Context) (err error) {
	for _, table := range r.tables {
		err = errors.Join(err, r.store.DropTable(ctx, table))
	}
	r.tables = nil
	return err
}
