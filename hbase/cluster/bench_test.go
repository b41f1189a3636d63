package cluster_test

import (
	"testing"

	"twibase/hbase/hbasetest"
)

func BenchmarkGet(b *testing.B) {
	store := open(b)
	hbasetest.Bench(b, store, func(table string) {
		if err := store.Flush(b.Context(), table); err != nil {
			b.Fatal(err)
		}
	})
}
