package hbasetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"twibase/hbase"
)

func (s *suite) testTables(t *testing.T) {
	t.Run("Tables returns names, ascending", func(t *testing.T) {
		names, err := s.store.Tables(s.ctx)
		if err != nil || !slices.IsSorted(names) || !slices.Contains(names, s.table) || !slices.Contains(names, s.split) {
			t.Errorf("got %q, %v", names, err)
		}
	})
	t.Run("creating an existing table", func(t *testing.T) {
		err := s.store.CreateTable(s.ctx, hbase.Table{Name: s.table, Families: []hbase.FamilySchema{{Name: "other"}}})
		if !errors.Is(err, hbase.ErrTableExists) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("dropping a missing table", func(t *testing.T) {
		if err := s.store.DropTable(s.ctx, missing); !errors.Is(err, hbase.ErrTableNotFound) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("creating a malformed table", func(t *testing.T) {
		for name, table := range map[string]hbase.Table{
			"no name":                     {Families: []hbase.FamilySchema{{Name: "i"}}},
			"a name of other bytes":       {Name: "a b", Families: []hbase.FamilySchema{{Name: "i"}}},
			"no family":                   {Name: missing},
			"a family without name":       {Name: missing, Families: []hbase.FamilySchema{{}}},
			"a family twice":              {Name: missing, Families: []hbase.FamilySchema{{Name: "i"}, {Name: "i"}}},
			"splits that descend":         {Name: missing, Families: []hbase.FamilySchema{{Name: "i"}}, Splits: []string{"b", "a"}},
			"an empty split":              {Name: missing, Families: []hbase.FamilySchema{{Name: "i"}}, Splits: []string{""}},
			"a negative TTL":              {Name: missing, Families: []hbase.FamilySchema{{Name: "i", TTL: -time.Second}}},
			"a TTL of less than a second": {Name: missing, Families: []hbase.FamilySchema{{Name: "i", TTL: time.Millisecond}}},
			"negative versions":           {Name: missing, Families: []hbase.FamilySchema{{Name: "i", Versions: -1}}},
		} {
			if err := s.store.CreateTable(s.ctx, table); !errors.Is(err, hbase.ErrInvalid) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
	t.Run("a dropped table is missing, and empty when it is created again", func(t *testing.T) {
		table := hbase.Table{
			Name:     s.table + "-again",
			Families: []hbase.FamilySchema{{Name: "i"}},
			Splits:   []string{"\x00\xff", "m"},
		}
		for range 2 {
			if err := s.store.CreateTable(s.ctx, table); err != nil {
				t.Fatal(err)
			}
			s.expectRows(t, hbase.Scan{Table: table.Name})
			s.expect(t, hbase.Get{Table: table.Name, Row: "r"})
			s.write(t, table.Name, "r", put1("i:q", 1, "x"))
			s.expectRows(t, hbase.Scan{Table: table.Name}, "r")
			if err := s.store.DropTable(s.ctx, table.Name); err != nil {
				t.Fatal(err)
			}
			names, err := s.store.Tables(s.ctx)
			if err != nil || slices.Contains(names, table.Name) {
				t.Errorf("%q, %v", names, err)
			}
		}
		results, err := s.store.Get(s.ctx, []hbase.Get{{Table: table.Name, Row: "r"}})
		if err != nil || !errors.Is(results[0].Err, hbase.ErrTableNotFound) {
			t.Errorf("Get: %+v, %v", results, err)
		}
		errs, err := s.store.Mutate(s.ctx, []hbase.Mutation{put1("i:q", 1, "x")(table.Name, "r")})
		if err != nil || len(errs) != 1 || !errors.Is(errs[0], hbase.ErrTableNotFound) {
			t.Errorf("Mutate: %v, %v", errs, err)
		}
	})
}
