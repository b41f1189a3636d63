package command

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
	"twibase/transfer"
)

// The test has its own HBase, because the tables of twibase have fixed names.
func TestCommandsRunOnAClusterWithMutualTLS(t *testing.T) {
	minihbase.Slow(t)
	authority, err := minihbase.NewAuthority(t.TempDir(), "authority")
	if err != nil {
		t.Fatal(err)
	}
	security, err := minihbase.MutualTLS(authority)
	if err != nil {
		t.Fatal(err)
	}
	h, err := minihbase.StartSecured(t.Context(), t.TempDir(), security)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	for _, ca := range []string{"", authority.File("ca")} {
		status, _, stderr := command(t, "serve", "--listen", "127.0.0.1:0", "--store", h.URL(), "--hbase-ca", ca)
		want := "it expects TLS"
		if ca != "" {
			want = "it wants a client certificate"
		}
		if status != statusFailed || !strings.Contains(stderr, want) {
			t.Errorf("with --hbase-ca %q: status %d, without %q: %s", ca, status, want, stderr)
		}
	}
	for name, value := range authority.Environment() {
		t.Setenv(name, value)
	}
	store, err := cluster.Open(t.Context(), h.URL(), zerolog.Nop(), security.Options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	t.Run("the server does not start without tables", func(t *testing.T) {
		status, _, stderr := command(t, "serve", "--listen", "127.0.0.1:0", "--store", h.URL())
		for _, part := range []string{"has no twibase tables", "twibase tables create --store " + h.URL()} {
			if status != statusFailed || !strings.Contains(stderr, part) {
				t.Errorf("status %d, without %q: %s", status, part, stderr)
			}
		}
		if names, err := store.Tables(t.Context()); err != nil || len(names) > 0 {
			t.Errorf("the tables are %q, error %v", names, err)
		}
	})
	if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
		t.Fatal(err)
	}
	t.Run("the first reads look up no region", func(t *testing.T) {
		locateRegions(t.Context(), store, zerolog.Nop())
		before := minihbase.Observed(t, "gohbase_rpc_size_bytes")
		if _, err := store.Get(t.Context(),
			[]hbase.Get{tables.Users.Get("LiLei", "i"), tables.Games.Get("go", "i")}); err != nil {
			t.Fatal(err)
		}
		if sent := minihbase.Observed(t, "gohbase_rpc_size_bytes") - before; sent < 1 || sent > 2 {
			t.Errorf("two rows took %d RPCs", sent)
		}
	})
	started(t, "--store", h.URL())
	another := hbase.Table{Name: tables.Plays.Table,
		Families: []hbase.FamilySchema{{Name: "d", Versions: 3}}}
	err = errors.Join(store.DropTable(t.Context(), another.Name), store.CreateTable(t.Context(), another))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("tables list prints differences of schemas, and a command that corrects them", func(t *testing.T) {
		status, stdout, stderr := command(t, "tables", "list", "--store", h.URL())
		want := `plays
    family d: VERSIONS is 3, and twibase would make it 1
    family i is missing
    in the HBase shell: alter 'plays', {NAME => 'd', VERSIONS => 1}, {NAME => 'i', BLOCKCACHE => 'true', BLOCKSIZE => 65536, BLOOMFILTER => 'ROW', COMPRESSION => 'NONE', DATA_BLOCK_ENCODING => 'ROW_INDEX_V1', IN_MEMORY => 'false', KEEP_DELETED_CELLS => 'false', MIN_VERSIONS => 0, REPLICATION_SCOPE => 0, TTL => 2147483647, VERSIONS => 1, CONFIGURATION => {'hbase.hstore.time.to.purge.deletes' => '3600000'}}
    to rewrite existing data: major_compact 'plays'
`
		if status != 0 || !strings.Contains(stdout, want) || strings.Count(stdout, "family") != 2 || stderr != "" {
			t.Errorf("status %d: %s%s", status, stdout, stderr)
		}
	})
	t.Run("tables create completes a search table, without which the server does not start", func(t *testing.T) {
		for _, table := range tables.Definitions(1) {
			if !tables.IsSearch(table.Name) {
				continue
			}
			if err := errors.Join(store.DropTable(t.Context(), table.Name), store.CreateTable(t.Context(), table)); err != nil {
				t.Fatal(err)
			}
		}
		status, _, stderr := command(t, "serve", "--listen", "127.0.0.1:0", "--store", h.URL())
		if status != statusFailed || !strings.Contains(stderr, "complete them with twibase tables create --store "+h.URL()) {
			t.Errorf("status %d: %s", status, stderr)
		}
		if status, _, stderr := command(t, "tables", "create", "--store", h.URL()); status != 0 {
			t.Fatalf("status %d: %s", status, stderr)
		}
		started(t, "--store", h.URL())
	})
	t.Run("the server creates missing tables with --create-tables", func(t *testing.T) {
		if err := store.DropTable(t.Context(), tables.Likes.Table); err != nil {
			t.Fatal(err)
		}
		status, _, stderr := command(t, "serve", "--listen", "127.0.0.1:0", "--store", h.URL())
		if status != statusFailed || !strings.Contains(stderr, "lacks the tables likes: restore them from a backup") {
			t.Errorf("without it: status %d: %s", status, stderr)
		}
		started(t, "--store", h.URL(), "--create-tables")
		if names, err := store.Tables(t.Context()); err != nil || !slices.Contains(names, tables.Likes.Table) {
			t.Errorf("the tables are %q, error %v", names, err)
		}
	})
	t.Run("a request that reads a dropped table is UNAVAILABLE", func(t *testing.T) {
		url, log := started(t, "--store", h.URL())
		if err := store.DropTable(t.Context(), tables.Users.Table); err != nil {
			t.Fatal(err)
		}
		_, body := send(t, http.MethodPost, url+"/graphql", `{"query":"{user(username:\"LiLei\"){name}}"}`)
		if !strings.Contains(body, `"code":"UNAVAILABLE","retryAfterMs":`) {
			t.Errorf("the response is %s", body)
		}
		want := "hbase: table not found: " + tables.Users.Table
		if line := log.await(t, "a field failed"); line["error"] != want || line["stack"] != nil {
			t.Errorf("the log has %v", line)
		}
	})
}

func TestServeNeedsNoMaster(t *testing.T) {
	minihbase.Slow(t)
	h, err := minihbase.StartDistributed(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	if status, _, stderr := command(t, "tables", "create", "--regions", "2", "--store", h.URL()); status != statusOK {
		t.Fatal(stderr)
	}
	h.KillMaster()
	begun := time.Now()
	url, _ := started(t, "--store", h.URL())
	for _, path := range []string{"/readyz", "/graphql?query={user(username:%22nobody%22){name}}"} {
		for {
			r, err := http.NewRequest(http.MethodGet, url+path, nil)
			status, body, _ := fetch(t, r, err)
			if status == http.StatusOK && !strings.Contains(body, "errors") {
				break
			}
			if time.Since(begun) > 30*time.Second {
				t.Fatalf("%s: status %d, %s", path, status, body)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	t.Logf("the server answers %v after its start", time.Since(begun))
	t.Run("/readyz answers while a region server hangs", func(t *testing.T) {
		h.StopServer(0)
		defer h.ContinueServer(0)
		for begun := time.Now(); time.Since(begun) < 3*time.Second; time.Sleep(100 * time.Millisecond) {
			sent := time.Now()
			status, body := send(t, http.MethodGet, url+"/readyz", "")
			if took := time.Since(sent); took > time.Second { // half a second on an idle machine
				t.Errorf("/readyz took %v: status %d, %s", took, status, body)
			}
			slowProbe := body == "the store does not answer: hbase: unavailable\n" // on a busy machine
			if status != http.StatusOK && !strings.Contains(body, " fail: ") && !slowProbe {
				t.Errorf("/readyz: status %d without a reason: %s", status, body)
			}
		}
	})
}
