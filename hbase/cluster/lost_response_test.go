package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
)

// If next is set, a connection breaks before its next response.
type losing struct{ next atomic.Bool }

type losingConn struct {
	net.Conn
	losing *losing
}

func (l *losing) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	return losingConn{conn, l}, err
}

func (c losingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && c.losing.next.CompareAndSwap(true, false) {
		c.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

func TestCallsWithLostResponsesAreRepeated(t *testing.T) {
	minihbase.Slow(t)
	answers := new(losing)
	store, err := cluster.OpenThrough(t.Context(), minihbase.ForTest(t), answers.dial)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	table := newTable(t, store)
	cell := func(value string) hbase.Put {
		return hbase.Put{Table: table, Row: "r", Cells: []hbase.Cell{{Family: "f", Qualifier: "q", Value: []byte(value)}}}
	}
	lose := func(t *testing.T) {
		answers.next.Store(true)
		t.Cleanup(func() {
			if answers.next.Load() {
				t.Error("no response was lost")
			}
		})
	}

	t.Run("a successful check returns true", func(t *testing.T) {
		lose(t)
		done, err := store.CheckAndPut(t.Context(), hbase.Check{Family: "f", Qualifier: "q"}, cell("mine"))
		if err != nil || !done {
			t.Errorf("got %v, %v; want true", done, err)
		}
	})
	t.Run("a failed check returns false", func(t *testing.T) {
		lose(t)
		done, err := store.CheckAndPut(t.Context(), hbase.Check{Family: "f", Qualifier: "q"}, cell("another's"))
		if err != nil || done {
			t.Errorf("got %v, %v; want false", done, err)
		}
	})
	t.Run("a Get is repeated", func(t *testing.T) {
		lose(t)
		results, err := store.Get(t.Context(), []hbase.Get{{Table: table, Row: "r"}})
		if err != nil || results[0].Err != nil || string(results[0].Cells[0].Value) != "mine" {
			t.Errorf("got %v, %v", results, err)
		}
	})
	t.Run("a scan returns each row once", func(t *testing.T) {
		lose(t)
		if got := keys(t, store, hbase.Scan{Table: table}); fmt.Sprint(got) != "[r]" {
			t.Errorf("got %q", got)
		}
	})
}

func newTable(t testing.TB, store hbase.Store, splits ...string) string {
	t.Helper()
	return createTable(t, store, hbase.Table{Families: []hbase.FamilySchema{{Name: "f"}}, Splits: splits})
}

func createTable(t testing.TB, store hbase.Store, table hbase.Table) string {
	t.Helper()
	name := fmt.Sprintf("cluster-%x", rand.Uint64())
	table.Name = name
	if err := store.CreateTable(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	dropLater(t, store, name)
	return name
}

func dropLater(t testing.TB, store hbase.Store, name string) {
	t.Cleanup(func() {
		if err := store.DropTable(context.Background(), name); err != nil && !errors.Is(err, hbase.ErrTableNotFound) {
			t.Error(err)
		}
	})
}

func keys(t testing.TB, store hbase.Store, scan hbase.Scan) (keys []string) {
	t.Helper()
	for row, err := range store.Scan(t.Context(), scan) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, row.Key)
	}
	return keys
}

func fill(t testing.TB, store hbase.Store, table string, rows []string) {
	t.Helper()
	var puts []hbase.Mutation
	for _, row := range rows {
		cell := hbase.Cell{Family: "f", Qualifier: "q", Value: []byte(row)}
		puts = append(puts, hbase.Put{Table: table, Row: row, Cells: []hbase.Cell{cell}})
	}
	errs, err := store.Mutate(t.Context(), puts)
	if err := errors.Join(append(errs, err)...); err != nil {
		t.Fatal(err)
	}
}
