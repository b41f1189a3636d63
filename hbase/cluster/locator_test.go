package cluster_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
)

// testEmptyZnode also closes all connections, so gohbase must locate every region again.
func testEmptyZnode(t *testing.T, url string) {
	conns := new(cutting)
	store, err := cluster.OpenThrough(t.Context(), url, conns.dial, cluster.WithCallTimeout(busyTimeout))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	log := new(logBuffer)
	store.LogTo(zerolog.New(log))
	table := newTable(t, store)
	fill(t, store, table, []string{"r"})
	get := func(timeout time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		results, err := store.Get(ctx, []hbase.Get{{Table: table, Row: "r"}})
		return errors.Join(err, results[0].Err)
	}
	host, path, _ := strings.Cut(strings.TrimPrefix(url, "hbase://"), "/")
	zookeeper, _, err := zk.Connect([]string{host}, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer zookeeper.Close()
	znode := "/" + path + "/meta-region-server"
	address, _, err := zookeeper.Get(znode)
	if err != nil {
		t.Fatal(err)
	}
	set := func(value []byte) {
		t.Helper()
		if _, err := zookeeper.Set(znode, value, -1); err != nil {
			t.Fatal(err)
		}
	}
	for _, broken := range [][]byte{{}, address[:3]} {
		set(broken)
		conns.cut()
		for _, timeout := range []time.Duration{busyTimeout / 4, 2 * busyTimeout, 2 * busyTimeout} {
			err := get(timeout)
			if !errors.Is(err, hbase.ErrUnlocated) || !errors.Is(err, hbase.ErrUnavailable) ||
				!strings.Contains(err.Error(), znode) {
				t.Errorf("%d bytes, timeout %v: %v", len(broken), timeout, err)
			}
		}
		set(address)
		for begun := time.Now(); get(busyTimeout) != nil; time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > 10*time.Second {
				t.Fatal("the row cannot be read after the znode has its value again")
			}
		}
	}
	for _, message := range []string{"ZooKeeper names no server of HBase", "ZooKeeper names a server of HBase again"} {
		if n := strings.Count(log.String(), message); n != 2 {
			t.Errorf("the log has %q %d times, want twice:\n%s", message, n, log)
		}
	}
}
