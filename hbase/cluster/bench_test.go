package cluster_test

import (
	"testing"

	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest"
)

func BenchmarkGet(b *testing.B) { bench(b, open(b)) }

func BenchmarkUnlimitedMulti(b *testing.B) {
	store := open(b)
	store.UnlimitMulti()
	bench(b, store)
}

func bench(b *testing.B, store *cluster.Store) {
	hbasetest.Bench(b, store, func(table string) {
		if err := store.Flush(b.Context(), table); err != nil {
			b.Fatal(err)
		}
	})
}
