package cluster_test

import (
	"testing"

	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest"
)

func BenchmarkGet(b *testing.B) { bench(b) }

// BenchmarkUncut is BenchmarkGet with one multi for each region server, however many Gets there are.
func BenchmarkUncut(b *testing.B) {
	defer cluster.Uncut()()
	bench(b)
}

func bench(b *testing.B) {
	store := open(b)
	hbasetest.Bench(b, store, func(table string) {
		if err := store.Flush(b.Context(), table); err != nil {
			b.Fatal(err)
		}
	})
}
