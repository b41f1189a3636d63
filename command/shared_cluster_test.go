package command

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/tablestest"
)

func TestInstallationsShareACluster(t *testing.T) {
	minihbase.Slow(t)
	t.Setenv("TWIBASE_LOG_LEVEL", "warn")
	const controller = "org.apache.hadoop.hbase.security.access.AccessController"
	h, err := minihbase.StartWith(t.Context(), t.TempDir(),
		"hbase.security.authorization=true", "hbase.superuser=root",
		"hbase.coprocessor.master.classes="+controller, "hbase.coprocessor.region.classes="+controller)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	c := sharedCluster{h.URL()}
	t.Run("a table of another application", func(t *testing.T) { c.testForeign(t) })
	t.Run("tables create prints the rights that a gateway needs", func(t *testing.T) {
		for _, namespace := range []string{"one", "two"} {
			want := "in the HBase shell:\ngrant 'USER', 'RW', '@" + namespace + "'\n"
			if _, stderr := c.ok(t, namespace, "root", "tables", "create", "--regions", "1"); !strings.HasSuffix(stderr, want) {
				t.Errorf("%s: %s", namespace, stderr)
			}
		}
	})
	t.Run("two installations", func(t *testing.T) { c.testTwo(t) })
	t.Run("the rights of a gateway", func(t *testing.T) { c.testRights(t) })
	t.Run("a store of a version without marks", func(t *testing.T) { c.testUnmarked(t) })
	t.Run("the rights to create tables", func(t *testing.T) { c.testCreator(t) })
}

type sharedCluster struct{ url string }

func (c sharedCluster) run(t *testing.T, namespace, user string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	return command(t, append(args, "--store", c.url, "--namespace", namespace, "--hbase-user", user)...)
}

func (c sharedCluster) ok(t *testing.T, namespace, user string, args ...string) (stdout, stderr string) {
	t.Helper()
	status, stdout, stderr := c.run(t, namespace, user, args...)
	if status != statusOK {
		t.Fatalf("%s: status %d: %s", args, status, stderr)
	}
	return stdout, stderr
}

func (c sharedCluster) fails(t *testing.T, namespace, user string, args []string, parts ...string) {
	t.Helper()
	begun := time.Now()
	status, _, stderr := c.run(t, namespace, user, args...)
	took := time.Since(begun)
	for _, part := range parts {
		if status != statusFailed || took > 5*time.Second || !strings.Contains(stderr, part) {
			t.Errorf("%s: status %d after %v, want %d and %q: %s", args, status, took, statusFailed, part, stderr)
		}
	}
}

func (c sharedCluster) open(t *testing.T, namespace string) *cluster.Store {
	t.Helper()
	store, err := cluster.Open(t.Context(), c.url, zerolog.Nop(), cluster.WithNamespace(namespace))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// grant writes hbase:acl, as the HBase shell does.
func (c sharedCluster) grant(t *testing.T, user, rights, namespace string) {
	t.Helper()
	row := "@" + namespace
	var m hbase.Mutation = hbase.Put{Table: "hbase:acl", Row: row,
		Cells: []hbase.Cell{{Family: "l", Qualifier: user, Value: []byte(rights)}}}
	if rights == "" {
		m = hbase.Delete{Table: "hbase:acl", Row: row,
			Columns: []hbase.Deletion{{Kind: hbase.AllVersions, Family: "l", Qualifier: user}}}
	}
	if err := hbase.MutateAll(t.Context(), c.open(t, "default"), []hbase.Mutation{m}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond) // region servers read the rights from ZooKeeper
}

var serveAnywhere = []string{"serve", "--listen", "127.0.0.1:0"}

func (c sharedCluster) testForeign(t *testing.T) {
	store := c.open(t, "default")
	games := tablestest.Definition("games", 1)
	if err := store.CreateTable(t.Context(), games); err != nil {
		t.Fatal(err)
	}
	put := hbase.Put{Table: games.Name, Row: "chess",
		Cells: []hbase.Cell{{Family: tables.Attributes, Qualifier: "rating", Value: []byte("7")}}}
	if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{put}); err != nil {
		t.Fatal(err)
	}
	before := rowsOf(t, store, games.Name)
	users := filepath.Join(t.TempDir(), "users.csv")
	if err := os.WriteFile(users, []byte("username\nLiLei\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		serveAnywhere, append(serveAnywhere, "--create-tables"), {"tables", "create"}, {"tables", "drop"},
		{"tables", "list"}, {"import", users}, {"export", t.TempDir()}, {"repair"}, {"admin", "grant", "LiLei"},
	} {
		c.fails(t, "default", "root", args, "twibase has not created the tables games", "choose another --namespace")
	}
	if names, err := store.Tables(t.Context()); err != nil || !slices.Equal(names, []string{games.Name}) {
		t.Errorf("the tables are %q, error %v", names, err)
	}
	if after := rowsOf(t, store, games.Name); len(before) != 1 || !slices.Equal(before, after) {
		t.Errorf("the rows are %q, were %q", after, before)
	}
}

func rowsOf(t *testing.T, store hbase.Store, table string) (rows []string) {
	t.Helper()
	for row, err := range store.Scan(t.Context(), hbase.Scan{Table: table}) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, fmt.Sprintf("%q %v", row.Key, row.Cells))
	}
	return rows
}

func (c sharedCluster) testTwo(t *testing.T) {
	for namespace, user := range map[string]string{"one": "LiLei", "two": "Lucy"} {
		files := t.TempDir()
		for name, text := range map[string]string{
			"users":   "username,name\n" + user + ",in " + namespace + "\nbot,Bot\n",
			"follows": "follower,followee\nbot," + user + "\n",
		} {
			if err := os.WriteFile(filepath.Join(files, name+".csv"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c.ok(t, namespace, "root", "import", files)
	}
	exported := func(namespace string) string {
		dir := t.TempDir()
		c.ok(t, namespace, "root", "export", dir)
		users, err := os.ReadFile(filepath.Join(dir, "users.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return string(users)
	}
	for namespace, names := range map[string][2]string{"one": {"LiLei,in one", "Lucy"}, "two": {"Lucy,in two", "LiLei"}} {
		c.ok(t, namespace, "root", "repair", "--check")
		if users := exported(namespace); !strings.Contains(users, names[0]) || strings.Contains(users, names[1]) {
			t.Errorf("namespace %s has the users\n%s", namespace, users)
		}
	}
	before := exported("two")
	c.ok(t, "one", "root", "tables", "drop")
	c.ok(t, "two", "root", "repair", "--check")
	if after := exported("two"); after != before {
		t.Errorf("after the tables of the other namespace were dropped:\n%s", after)
	}
	c.fails(t, "one", "root", serveAnywhere, "has no twibase tables",
		"twibase tables create --store "+c.url+" --namespace one")
}

func (c sharedCluster) testRights(t *testing.T) {
	for _, test := range []struct{ rights, lacks, grant string }{
		{"", "READ", "grant 'bob', 'R', 'two:broadcasters'"},
		{"W", "READ", "grant 'bob', 'R', 'two:broadcasters'"},
		{"R", "WRITE", "grant 'bob', 'W', 'two:"},
	} {
		if test.rights != "" {
			c.grant(t, "bob", test.rights, "two")
		}
		c.fails(t, "two", "bob", serveAnywhere, "user bob lacks the right "+test.lacks, test.grant,
			"a gateway needs grant 'bob', 'RW', '@two'")
	}
	c.ok(t, "two", "bob", "repair", "--check") // with R
	c.grant(t, "bob", "RW", "two")
	url, log := started(t, "--store", c.url, "--namespace", "two", "--hbase-user", "bob",
		"--jwt-secret-file", secretFile(t), "--log-level", "info")
	ask := func(path, query string) (status int, body string) {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url+path, strings.NewReader(query))
		r.Header.Set("Content-Type", "application/json")
		status, body, _ = fetch(t, r, err)
		return status, body
	}
	const signUp = `{"query":"mutation{signUp(input:{username:\"young\",name:\"Young\",password:\"correct horse\"}){userErrors{code} user{username}}}"}`
	if _, body := ask("/graphql", signUp); !strings.Contains(body, `"user":{"username":"young"}`) {
		t.Error(body)
	}
	c.ok(t, "two", "bob", "repair", "--check")

	c.grant(t, "bob", "", "two") // under a running gateway
	for range 2 {
		_, body := ask("/graphql", `{"query":"{user(username:\"Lucy\"){name}}"}`)
		if !strings.Contains(body, `"code":"UNAVAILABLE"`) || strings.Contains(body, "retryAfterMs") || strings.Contains(body, "grant") {
			t.Error(body)
		}
	}
	line := log.await(t, "HBase denies a right: grant it in the HBase shell")
	if shell := fmt.Sprint(line["shell"]); !strings.HasPrefix(shell, "grant 'bob', '") {
		t.Errorf("the log has %v", line)
	}
	c.grant(t, "bob", "RW", "two")
}

// testUnmarked uses a store of an earlier version.
func (c sharedCluster) testUnmarked(t *testing.T) {
	store := c.open(t, "two")
	get := tables.Marks.Get()
	remove := []hbase.Mutation{hbase.Delete{Table: get.Table, Row: get.Row}}
	if err := hbase.MutateAll(t.Context(), store, remove); err != nil {
		t.Fatal(err)
	}
	started(t, "--store", c.url, "--namespace", "two", "--log-level", "info")
	c.ok(t, "two", "root", "repair", "--check")
	if err := store.DropTable(t.Context(), "games"); err != nil {
		t.Fatal(err)
	}
	another := hbase.Table{Name: "games", Families: []hbase.FamilySchema{{Name: "chess"}}}
	if err := store.CreateTable(t.Context(), another); err != nil {
		t.Fatal(err)
	}
	c.fails(t, "two", "root", serveAnywhere, "twibase has not created the tables games")
}

func (c sharedCluster) testCreator(t *testing.T) {
	create := []string{"tables", "create", "--regions", "1"}
	c.fails(t, "three", "alice", create, "create_namespace 'three'")
	c.fails(t, "one", "alice", create, "grant 'alice', 'C', '@one'")
	c.grant(t, "alice", "RWX", "one")
	c.fails(t, "one", "alice", create, "grant 'alice', 'C', '@one'")
	c.grant(t, "alice", "RWC", "one")
	c.ok(t, "one", "alice", create...)
	c.ok(t, "one", "alice", "tables", "drop")
}
