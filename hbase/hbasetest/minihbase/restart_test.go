package minihbase

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
)

func TestRestart(t *testing.T) {
	Slow(t)
	const rows = 1000
	dir := t.TempDir()
	opened := func() (*HBase, *cluster.Store) {
		h, err := start(t.Context(), dir, shortLived, impatient)
		if errors.Is(err, ErrMissing) && os.Getenv("CI") == "" {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Kill)
		store, err := cluster.Open(t.Context(), h.URL(), zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		return h, store
	}
	first, store := opened()
	if err := store.CreateTable(t.Context(), hbase.Table{Name: "t", Families: []hbase.FamilySchema{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	var puts []hbase.Mutation
	for i := range rows {
		puts = append(puts, hbase.Put{Table: "t", Row: fmt.Sprint(i), Cells: []hbase.Cell{{Family: "f", Value: []byte("v")}}})
	}
	if errs, err := store.Mutate(t.Context(), puts); errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	t.Run("a standstill of a quarter of a minute ends no region server", func(t *testing.T) {
		first.process.signal(syscall.SIGSTOP)
		time.Sleep(15 * time.Second)
		first.process.signal(syscall.SIGCONT)
		time.Sleep(5 * time.Second) // in which a region server would learn that its session is over
		log, err := os.ReadFile(filepath.Join(dir, "hbase.log"))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(log, []byte("ABORTING region server")) {
			t.Error("one has ended itself")
		}
		if errs, err := store.Mutate(t.Context(), puts); errs != nil || err != nil {
			t.Errorf("puts failed afterwards: %d, error %v", len(errs), err)
		}
	})
	first.Kill()
	store.Close()

	_, store = opened()
	t.Run("what was acknowledged before a kill is there after a new start", func(t *testing.T) {
		found := 0
		for _, err := range store.Scan(t.Context(), hbase.Scan{Table: "t"}) {
			if err != nil {
				t.Fatal(err)
			}
			found++
		}
		if found != rows {
			t.Errorf("%d of %d rows are there", found, rows)
		}
	})
}
