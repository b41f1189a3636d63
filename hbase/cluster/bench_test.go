package cluster_test

import (
	"testing"

	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase/hbasetest"
)

func BenchmarkGet(b *testing.B) {
	store := open(b)
	hbasetest.Bench(b, store, func(table string) {
		// A snapshot writes what is in memory to files: without one, HBase would answer from its memory.
		name := "bench-" + table
		snapshot := func() *hrpc.Snapshot {
			s, err := hrpc.NewSnapshot(b.Context(), name, table)
			if err != nil {
				b.Fatal(err)
			}
			return s
		}
		if err := store.Admin().CreateSnapshot(snapshot()); err != nil {
			b.Fatal(err)
		}
		if err := store.Admin().DeleteSnapshot(snapshot()); err != nil {
			b.Fatal(err)
		}
	})
}
