package cluster_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"twibase/hbase"
	"twibase/hbase/hbasetest/minihbase"
)

func TestSlowLogHasTheOperation(t *testing.T) {
	minihbase.Slow(t)
	h, err := minihbase.StartDistributedSecured(t.Context(), t.TempDir(), minihbase.Security{Settings: []string{
		"hbase.ipc.warn.response.time=0", "hbase.regionserver.slowlog.buffer.enabled=true"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	store := openAt(t, h.URL())
	if err := store.CreateTable(t.Context(),
		hbase.Table{Name: "slow", Families: []hbase.FamilySchema{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	ctx := hbase.WithStats(t.Context(), &hbase.Stats{Operation: func() string { return "Profile" }})
	for range 10 { // until the region is known
		results, err := store.Get(ctx, []hbase.Get{{Table: "slow", Row: "r"}})
		if err != nil || results[0].Err != nil {
			t.Fatal(err, results)
		}
		for _, err := range store.Scan(ctx, hbase.Scan{Table: "slow"}) {
			t.Fatal("a row: ", err)
		}
	}
	java := exec.CommandContext(t.Context(), "java", append(h.JavaClient(), filepath.Join("testdata", "SlowLog.java"))...)
	out, err := java.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"Multi operation=Profile\n", "Scan operation=Profile\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the slow log lacks %q:\n%s", want, out)
		}
	}
}
