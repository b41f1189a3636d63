package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
)

// TestOnACluster has an HBase of its own: twibase's tables have fixed names.
func TestOnACluster(t *testing.T) {
	minihbase.Slow(t)
	h, err := minihbase.Start(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	store, err := cluster.Open(t.Context(), h.URL(), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	another := hbase.Table{Name: tables.Plays.Table, Families: []hbase.FamilySchema{{Name: "d", Encoding: "FAST_DIFF", Bloom: "ROW"}}}
	if err := store.CreateTable(t.Context(), another); err != nil {
		t.Fatal(err)
	}

	url, _ := started(t, "--store", h.URL()) // which makes the other tables
	t.Run("the first query after the start looks up no region", func(t *testing.T) {
		before := rpcs(t)
		r, err := http.NewRequest(http.MethodGet, url+"/graphql?query={user(username:%22LiLei%22){name}game(code:%22go%22){name}}", nil)
		r.Header.Set("X-Twibase-Report", "1")
		_, body, _ := fetch(t, r, err)
		sent := rpcs(t) - before
		if sent < 1 || sent > 2 || !strings.Contains(body, `"rounds":1,`) {
			t.Errorf("two rows took %d RPCs: %s", sent, body)
		}
	})
	t.Run("a table that was made otherwise is listed with what differs, and how to mend it", func(t *testing.T) {
		status, stdout, stderr := command(t, "tables", "list", "--store", h.URL())
		want := `plays
    family d: DATA_BLOCK_ENCODING is FAST_DIFF, and twibase would make it ROW_INDEX_V1
    in the HBase shell: alter 'plays', {NAME => 'd', DATA_BLOCK_ENCODING => 'ROW_INDEX_V1'}
    and to change what is there already: major_compact 'plays'
`
		if status != 0 || !strings.Contains(stdout, want) || strings.Count(stdout, "family") != 1 || stderr != "" {
			t.Errorf("status %d: %s%s", status, stdout, stderr)
		}
	})
}

// rpcs is how many RPCs gohbase has sent to region servers.
func rpcs(t *testing.T) (n uint64) {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "gohbase_rpc_size_bytes" {
			for _, m := range family.GetMetric() {
				n += m.GetHistogram().GetSampleCount()
			}
		}
	}
	return n
}
