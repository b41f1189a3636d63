package cluster_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsuna/gohbase/hrpc"
	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
)

var (
	bounds = []string{"c", "e\x00", "fzz", "h"}
	rows   = []string{
		"\x00", "a", "b\xff", "c", "c\x00", "d", "e", "e\x00", "e\x00\x00", "g", "g\xff\xff", "h", "i", "\xff\xff",
	}
)

func TestScanReturnsTheRowsOfAllRegions(t *testing.T) {
	store := open(t)
	table := newTable(t, store, bounds...)
	fill(t, store, table, rows)
	starts := append([]string{""}, rows...)
	for _, size := range []int{1, 2, 3, 256} {
		for _, reversed := range []bool{false, true} {
			for _, start := range starts {
				for _, stop := range starts {
					scan := hbase.Scan{Table: table, Start: start, Stop: stop, Reversed: reversed, PageSize: size}
					if diff := cmp.Diff(expected(scan), keys(t, store, scan)); diff != "" {
						t.Fatalf("%+v (-want +got):\n%s", scan, diff)
					}
				}
			}
		}
	}
}

func expected(scan hbase.Scan) (keys []string) {
	for _, row := range rows {
		afterStart := row >= scan.Start
		beforeStop := scan.Stop == "" || row < scan.Stop
		if scan.Reversed {
			afterStart, beforeStop = scan.Start == "" || row <= scan.Start, row > scan.Stop
		}
		if afterStart && beforeStop {
			keys = append(keys, row)
		}
	}
	if scan.Reversed {
		slices.Reverse(keys)
	}
	return keys
}

func TestCallsSucceedWhileRegionsMove(t *testing.T) {
	minihbase.Slow(t)
	store := open(t)
	table := newTable(t, store, bounds...)
	fill(t, store, table, rows)
	for _, reversed := range []bool{false, true} {
		var got []string
		scan := hbase.Scan{Table: table, Reversed: reversed, PageSize: 2}
		for row, err := range store.Scan(t.Context(), scan) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, row.Key); len(got) == 4 {
				move(t, store, table)
			}
		}
		if diff := cmp.Diff(expected(scan), got); diff != "" {
			t.Errorf("scan, reversed: %v (-want +got):\n%s", reversed, diff)
		}
	}
	move(t, store, table)
	t.Run("writes and Gets", func(t *testing.T) {
		fill(t, store, table, rows)
		var gets []hbase.Get
		for _, row := range rows {
			gets = append(gets, hbase.Get{Table: table, Row: row})
		}
		results, err := store.Get(t.Context(), gets)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range results {
			if r.Err != nil || len(r.Cells) != 1 || string(r.Cells[0].Value) != rows[i] {
				t.Errorf("row %q: %v", rows[i], r)
			}
		}
	})
}

func move(t *testing.T, store *cluster.Store, table string) {
	t.Helper()
	var moves errgroup.Group
	meta := hbase.Scan{Table: "hbase:meta", Start: table, Stop: hbase.Next(table), Columns: "info"}
	for _, key := range keys(t, store, meta) {
		name := strings.TrimSuffix(key, ".")
		encoded := name[strings.LastIndexByte(name, '.')+1:]
		moves.Go(func() error {
			call, err := hrpc.NewMoveRegion(t.Context(), []byte(encoded))
			if err != nil {
				return err
			}
			return store.Admin().MoveRegion(call)
		})
	}
	if err := moves.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestCreatedTableHasKnownRegions(t *testing.T) {
	store := open(t)
	t.Run("CreateTable finds all regions", func(t *testing.T) {
		table := newTable(t, store, bounds...)
		for _, row := range rows {
			if store.ServerOf(table, row) == "" {
				t.Errorf("the server of %q is unknown", row)
			}
		}
	})
	t.Run("Warm of a missing table", func(t *testing.T) {
		if err := store.Warm(t.Context(), "missing"); !errors.Is(err, hbase.ErrTableNotFound) {
			t.Errorf("Warm: %v", err)
		}
	})
	t.Run("a dropped and recreated table is empty", func(t *testing.T) {
		table := newTable(t, store)
		fill(t, store, table, rows)
		if err := store.DropTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
		results, err := store.Get(t.Context(), []hbase.Get{{Table: table, Row: "a"}})
		if err != nil || !errors.Is(results[0].Err, hbase.ErrTableNotFound) {
			t.Errorf("dropped table: got %v, %v", results, err)
		}
		again := hbase.Table{Name: table, Families: []hbase.FamilySchema{{Name: "f"}}, Splits: []string{"b"}}
		if err := store.CreateTable(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		if got := keys(t, store, hbase.Scan{Table: table}); got != nil {
			t.Errorf("the new table has %q", got)
		}
	})
}
