package embedded

import (
	"context"
	"testing"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
)

func TestStoreConforms(t *testing.T) {
	t.Run("in memory", func(t *testing.T) {
		hbasetest.Run(t, func(t *testing.T) hbase.Store { return mustOpen(t, "") })
	})
	t.Run("in a directory", func(t *testing.T) {
		hbasetest.Run(t, func(t *testing.T) hbase.Store { return mustOpen(t, t.TempDir()) })
	})
}

func createTable(t testing.TB, s *Store, name string) {
	t.Helper()
	table := hbase.Table{Name: name, Families: []hbase.FamilySchema{{Name: "i"}}}
	if err := s.CreateTable(context.Background(), table); err != nil {
		t.Fatal(err)
	}
}

func mustOpen(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
