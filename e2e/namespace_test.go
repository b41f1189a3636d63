package e2e

import (
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/hbasetest/minihbase"
)

type namespace struct {
	hbase.Store
	prefix string
}

var namespaces atomic.Int64

func newNamespace(t testing.TB, store hbase.Store) *namespace {
	n := &namespace{store, fmt.Sprintf("e2e%x_%d_", time.Now().UnixNano(), namespaces.Add(1))}
	t.Cleanup(func() {
		if os.Getenv(minihbase.StoreVariable) == "" {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		names, err := n.Tables(ctx)
		for _, name := range names {
			if err == nil {
				err = n.DropTable(ctx, name)
			}
		}
		if err != nil {
			t.Error("dropping the tables of the test: ", err)
		}
	})
	return n
}

func (n *namespace) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	gets = slices.Clone(gets)
	for i := range gets {
		gets[i].Table = n.prefix + gets[i].Table
	}
	return n.Store.Get(ctx, gets)
}

func (n *namespace) Scan(ctx context.Context, scan hbase.Scan) iter.Seq2[hbase.Row, error] {
	scan.Table = n.prefix + scan.Table
	return n.Store.Scan(ctx, scan)
}

func (n *namespace) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	mutations = slices.Clone(mutations)
	for i, m := range mutations {
		switch m := m.(type) {
		case hbase.Put:
			m.Table = n.prefix + m.Table
			mutations[i] = m
		case hbase.Delete:
			m.Table = n.prefix + m.Table
			mutations[i] = m
		}
	}
	return n.Store.Mutate(ctx, mutations)
}

func (n *namespace) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	put.Table = n.prefix + put.Table
	return n.Store.CheckAndPut(ctx, check, put)
}

func (n *namespace) CreateTable(ctx context.Context, table hbase.Table) error {
	table.Name = n.prefix + table.Name
	return n.Store.CreateTable(ctx, table)
}

func (n *namespace) Tables(ctx context.Context) ([]string, error) {
	all, err := n.Store.Tables(ctx)
	var mine []string
	for _, name := range all {
		if name, ok := strings.CutPrefix(name, n.prefix); ok {
			mine = append(mine, name)
		}
	}
	return mine, err
}

func (n *namespace) DropTable(ctx context.Context, name string) error {
	return n.Store.DropTable(ctx, n.prefix+name)
}
