package cluster_test

import (
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest"
	"twibase/hbase/hbasetest/minihbase"
)

// A closed gohbase client still looks for a region if HBase stopped first.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(onHBase{m}, goleak.IgnoreAnyFunction("github.com/tsuna/gohbase.(*client).reestablishRegion"))
}

type onHBase struct{ *testing.M }

func (tests onHBase) Run() int { return minihbase.Main(tests.M) }

func open(t testing.TB) *cluster.Store {
	t.Helper()
	return openAt(t, minihbase.ForTest(t))
}

func openAt(t testing.TB, url string, options ...cluster.Option) *cluster.Store {
	t.Helper()
	store, err := cluster.Open(t.Context(), url, zerolog.Nop(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func TestStoreConforms(t *testing.T) {
	hbasetest.Run(t, func(t *testing.T) hbase.Store { return open(t) })
}

func TestStoreConformsWithSharedMultisInANamespace(t *testing.T) {
	minihbase.Slow(t)
	hbasetest.Run(t, func(t *testing.T) hbase.Store {
		return openAt(t, minihbase.ForTest(t)+"?flush=1ms", cluster.WithNamespace("conformance"))
	})
}
