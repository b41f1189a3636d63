package minihbase

import (
	"bytes"
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

func TestRestartKeepsAcknowledgedRows(t *testing.T) {
	Slow(t)
	const rows = 1000
	dir := t.TempDir()
	opened := func() (*HBase, *cluster.Store) {
		h, err := start(t.Context(), dir, shortLived, impatient, nil)
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
	table := hbase.Table{Name: "t", Families: []hbase.FamilySchema{{Name: "f"}}}
	if err := store.CreateTable(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	var puts []hbase.Mutation
	for i := range rows {
		cell := hbase.Cell{Family: "f", Value: []byte("v")}
		puts = append(puts, hbase.Put{Table: "t", Row: fmt.Sprint(i), Cells: []hbase.Cell{cell}})
	}
	if errs, err := store.Mutate(t.Context(), puts); errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	t.Run("region servers survive a pause of 15 s", func(t *testing.T) {
		first.process.signal(syscall.SIGSTOP)
		time.Sleep(15 * time.Second)
		first.process.signal(syscall.SIGCONT)
		time.Sleep(5 * time.Second) // for an expired session to be noticed
		log, err := os.ReadFile(filepath.Join(dir, "hbase.log"))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(log, []byte("ABORTING region server")) {
			t.Error("a region server has ended")
		}
		if errs, err := store.Mutate(t.Context(), puts); errs != nil || err != nil {
			t.Errorf("Mutate after the pause: %d errors, %v", len(errs), err)
		}
	})
	first.Kill()
	store.Close()

	_, store = opened()
	t.Run("acknowledged writes survive a kill", func(t *testing.T) {
		found := 0
		for _, err := range store.Scan(t.Context(), hbase.Scan{Table: "t"}) {
			if err != nil {
				t.Fatal(err)
			}
			found++
		}
		if found != rows {
			t.Errorf("got %d rows, want %d", found, rows)
		}
	})
}
