package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
)

func TestOpenNamesTheUnreachableServer(t *testing.T) {
	within := func(t *testing.T, d time.Duration) context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		t.Cleanup(cancel)
		return ctx
	}
	t.Run("an error names a port without ZooKeeper", func(t *testing.T) {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		_, err = cluster.Open(within(t, time.Second), "hbase://"+l.Addr().String(), zerolog.Nop())
		if !errors.Is(err, hbase.ErrUnavailable) || !strings.Contains(err.Error(), l.Addr().String()) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("an error names a missing znode", func(t *testing.T) {
		url := minihbase.ForTest(t)
		_, err := cluster.Open(within(t, time.Second), url[:strings.LastIndexByte(url, '/')]+"/nowhere", zerolog.Nop())
		if !errors.Is(err, hbase.ErrUnavailable) || !strings.Contains(err.Error(), "no znode /nowhere") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("gohbase logs to Open's log", func(t *testing.T) {
		var log bytes.Buffer
		logger := zerolog.New(zerolog.SyncWriter(&log)).Level(zerolog.DebugLevel)
		store, err := cluster.Open(t.Context(), minihbase.ForTest(t), logger)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		if !strings.Contains(log.String(), `"from":"gohbase"`) {
			t.Errorf("got %q", log.String())
		}
	})
}

func TestCallsToADisabledTableFailImmediately(t *testing.T) {
	const timeout = 3 * time.Second
	store, log := openLogging(t, minihbase.ForTest(t), cluster.WithCallTimeout(timeout))
	table, other := newTable(t, store), newTable(t, store)
	fill(t, store, table, []string{"r"})
	fill(t, store, other, []string{"r"})
	cold, _ := openLogging(t, minihbase.ForTest(t), cluster.WithCallTimeout(timeout/4)) // knows no region
	if err := store.Admin().DisableTable(hrpc.NewDisableTable(t.Context(), []byte(table))); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	results, err := store.Get(t.Context(), []hbase.Get{{Table: table, Row: "r"}, {Table: other, Row: "r"}})
	if err != nil {
		t.Fatal(err)
	}
	expect := func(t *testing.T, call string, err error) {
		t.Helper()
		if !errors.Is(err, hbase.ErrUnavailable) || !strings.Contains(err.Error(), "table "+table+" is disabled") {
			t.Errorf("%s: %v", call, err)
		}
	}
	t.Run("calls are answered immediately", func(t *testing.T) {
		expect(t, "Get", results[0].Err)
		for call, err := range writes(t, store, table) {
			expect(t, call, err)
		}
		if took := time.Since(begun); took > timeout {
			t.Errorf("four calls took %v", took)
		}
	})
	t.Run("Gets of other tables have results", func(t *testing.T) {
		if r := results[1]; r.Err != nil || len(r.Cells) != 1 {
			t.Errorf("got %v", r)
		}
	})
	t.Run("a store that knows no region of the table notices after a timeout", func(t *testing.T) {
		get := []hbase.Get{{Table: table, Row: "r"}}
		if results, err := cold.Get(t.Context(), get); err != nil || !errors.Is(results[0].Err, hbase.ErrUnavailable) {
			t.Errorf("first Get: %v, %v", results, err)
		}
		results, err := cold.Get(t.Context(), get)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "second Get", results[0].Err)
	})
	t.Run("the table answers within two seconds after it is enabled", func(t *testing.T) {
		time.Sleep(2 * time.Second) // gohbase's pauses grow
		if err := store.Admin().EnableTable(hrpc.NewEnableTable(t.Context(), []byte(table))); err != nil {
			t.Fatal(err)
		}
		enabled := time.Now()
		for {
			results, err := store.Get(t.Context(), []hbase.Get{{Table: table, Row: "r"}})
			if err == nil && results[0].Err == nil {
				break
			}
			if time.Since(enabled) > 2*time.Second {
				t.Fatalf("after %v: %v, %v", time.Since(enabled), results, err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Logf("it answers %v after HBase", time.Since(enabled))
	})
	t.Run("both states are logged", func(t *testing.T) {
		time.Sleep(time.Second) // the state is read twice a second
		for _, message := range []string{"a table is disabled", "a disabled table is enabled again"} {
			if n := strings.Count(log.String(), message); n != 1 {
				t.Errorf("%q is logged %d times", message, n)
			}
		}
	})
	t.Run("a disabled table can be dropped", func(t *testing.T) {
		if err := store.Admin().DisableTable(hrpc.NewDisableTable(t.Context(), []byte(table))); err != nil {
			t.Fatal(err)
		}
		if err := store.DropTable(t.Context(), table); err != nil {
			t.Error(err)
		}
	})
}

func TestValuesDoNotShareCapacity(t *testing.T) {
	store := open(t)
	table := newTable(t, store)
	put := hbase.Put{Table: table, Row: "r"}
	for _, q := range []string{"a", "b"} {
		put.Cells = append(put.Cells, hbase.Cell{Family: "f", Qualifier: q, Value: []byte(q)})
	}
	if errs, err := store.Mutate(t.Context(), []hbase.Mutation{put}); errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	results, err := store.Get(t.Context(), []hbase.Get{{Table: table, Row: "r"}})
	if err != nil || len(results[0].Cells) != 2 {
		t.Fatal(results, err)
	}
	cells := results[0].Cells
	_ = append(cells[0].Value, "overwritten"...)
	if string(cells[1].Value) != "b" {
		t.Errorf("an append to one value overwrote the next: %q", cells[1].Value)
	}
}
