package cluster_test

import (
	"slices"
	"testing"

	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
)

func TestFlushLeavesNoSnapshot(t *testing.T) {
	store := open(t)
	t.Run("rows stay readable, and no snapshot is left", func(t *testing.T) {
		table := newTable(t, store)
		fill(t, store, table, []string{"a"})
		if err := store.Flush(t.Context(), table); err != nil {
			t.Fatal(err)
		}
		fill(t, store, table, []string{"b"})
		if err := store.Flush(t.Context(), table); err != nil {
			t.Fatal(err)
		}
		if got := keys(t, store, hbase.Scan{Table: table}); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("got %q", got)
		}
		left, err := store.Admin().ListSnapshots(hrpc.NewListSnapshots(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		for _, snapshot := range left {
			if snapshot.GetTable() == table {
				t.Errorf("snapshot %s is left", snapshot.GetName())
			}
		}
	})
	t.Run("a missing table is an error", func(t *testing.T) {
		if err := store.Flush(t.Context(), "nowhere"); err == nil {
			t.Error("got no error")
		}
	})
}
