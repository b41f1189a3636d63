package hbasetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
)

// Run is the conformance suite of [hbase.Store]. It closes the stores that open returns, and drops
// its tables, which have unique names.
func Run(t *testing.T, open func(t *testing.T) hbase.Store) {
	s := newSuite(t, open(t))
	t.Run("Get", s.testGet)
	t.Run("versions", s.testVersions)
	t.Run("TTL", s.testTTL)
	t.Run("Delete", s.testDelete)
	t.Run("Page", s.testPage)
	t.Run("Scan", s.testScan)
	t.Run("Mutate", s.testMutate)
	t.Run("CheckAndPut", s.testCheckAndPut)
	t.Run("errors", s.testErrors)
	t.Run("tables", s.testTables)
	t.Run("contexts", s.testContexts)
	t.Run("stats", s.testStats)
	t.Run("budget", s.testBudget)
	t.Run("concurrency", s.testConcurrency)
	t.Run("Close", func(t *testing.T) { testClose(t, open(t)) })
}

// Each test has its own rows.
type suite struct {
	store hbase.Store
	ctx   context.Context
	// table has the families f and i (one version), v (as many as the constant keep), and t (with a
	// TTL).
	table string
	// split has the family i. splits has the start keys of its regions.
	split  string
	splits []string
}

const (
	keep = 5
	ttl  = time.Hour
)

func newSuite(t *testing.T, store hbase.Store) *suite {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	suffix := strconv.FormatUint(rand.Uint64(), 36)
	s := &suite{store: store, ctx: ctx, table: "conformance-" + suffix, split: "conformance-split-" + suffix,
		splits: []string{"g", "p"}}
	t.Cleanup(func() {
		defer cancel()
		for _, name := range []string{s.table, s.split} {
			if err := store.DropTable(ctx, name); err != nil {
				t.Errorf("drop %s: %v", name, err)
			}
		}
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	for _, table := range []hbase.Table{
		{Name: s.table, Families: []hbase.FamilySchema{{Name: "v", Versions: keep}, {Name: "f"},
			{Name: "i", Versions: 1}, {Name: "t", TTL: ttl}}},
		{Name: s.split, Families: []hbase.FamilySchema{{Name: "i"}}, Splits: s.splits},
	} {
		if err := store.CreateTable(ctx, table); err != nil {
			t.Fatalf("create %s: %v", table.Name, err)
		}
	}
	return s
}

func row(t *testing.T, name string) string { return t.Name() + "/" + name }

func cell(column string, timestamp int64, value string) hbase.Cell {
	family, qualifier, _ := strings.Cut(column, ":")
	return hbase.Cell{Family: family, Qualifier: qualifier, Timestamp: timestamp, Value: []byte(value)}
}

type write func(table, row string) hbase.Mutation

func put(cells ...hbase.Cell) write {
	return func(table, row string) hbase.Mutation { return hbase.Put{Table: table, Row: row, Cells: cells} }
}

func put1(column string, timestamp int64, value string) write {
	return put(cell(column, timestamp, value))
}

// If kind is Family, column is the name of the family.
func remove(kind hbase.Kind, column string, timestamp int64) write {
	family, qualifier, _ := strings.Cut(column, ":")
	return func(table, row string) hbase.Mutation {
		return hbase.Delete{Table: table, Row: row, Columns: []hbase.Deletion{
			{Kind: kind, Family: family, Qualifier: qualifier, Timestamp: timestamp}}}
	}
}

func removeRow(timestamp int64) write {
	return func(table, row string) hbase.Mutation {
		return hbase.Delete{Table: table, Row: row, Timestamp: timestamp}
	}
}

func (s *suite) write(t *testing.T, table, row string, writes ...write) {
	t.Helper()
	for _, w := range writes {
		errs, err := s.store.Mutate(s.ctx, []hbase.Mutation{w(table, row)})
		if err != nil || errs != nil {
			t.Fatalf("Mutate of %q: %v %v", row, errs, err)
		}
	}
}

func (s *suite) get(t *testing.T, g hbase.Get) []hbase.Cell {
	t.Helper()
	if g.Table == "" {
		g.Table = s.table
	}
	results, err := s.store.Get(s.ctx, []hbase.Get{g})
	if err != nil || len(results) != 1 || results[0].Err != nil {
		t.Fatalf("Get %+v: %+v, %v", g, results, err)
	}
	return results[0].Cells
}

func (s *suite) expect(t *testing.T, g hbase.Get, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, text(s.get(t, g))); diff != "" {
		t.Errorf("Get %+v (-want +got):\n%s", g, diff)
	}
}

// text returns "family:qualifier@timestamp=value".
func text(cells []hbase.Cell) (list []string) {
	for _, c := range cells {
		list = append(list, fmt.Sprintf("%s:%s@%d=%s", c.Family, escape(c.Qualifier), c.Timestamp, escape(string(c.Value))))
	}
	return list
}

func escape(s string) string {
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}
