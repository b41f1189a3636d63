package main_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// arrow says what the packages that fit a pattern may import of ours, and why no more. A pattern that ends in /... is a folder
// and all below it; ... alone is everything.
type arrow struct {
	from string
	to   []string
	why  string
}

// arrows go down this list and never up. The first that fits a package counts, and every package needs one. Tests may import
// what they like.
var arrows = []arrow{
	{"twibase", []string{"command"}, "main only starts the command line"},
	{"command", []string{"..."}, "a command may use any part of the product"},
	{"gateway", []string{"gateway/...", "graph/...", "resolvers", "loaders", "writers/...", "live", "hbase", "hbase/tables"},
		"a gateway wires GraphQL to a store, and knows neither engines nor flags"},
	{"gateway/middleware", []string{"graph/...", "hbase"}, "middleware knows requests, and what they cost a store"},
	{"e2e/...", []string{"..."}, "end-to-end tests start the whole"},
	{"sample", []string{"transfer/...", "hbase", "hbase/tables"}, "the sample is rows: no GraphQL, and any engine"},
	{"transfer/...", []string{"transfer/...", "hbase", "hbase/tables/..."}, "import and export are rows: no GraphQL, and any engine"},
	{"resolvers", []string{"resolvers/permission", "graph/...", "loaders", "writers", "live", "hbase/tables"},
		"resolvers say what to load or write; one that reaches the store itself goes past batching and visibility"},
	{"resolvers/permission", []string{"graph/auth"}, "who may do what depends on who asks; the rest it is told"},
	{"graph/plan", []string{"graph/coercion", "graph/recent"},
		"the executor knows no schema and no store: another project takes it along with these"},
	{"graph/plan/plantest", []string{"graph/coercion", "graph/plan"}, "the oracle is as generic as the plan"},
	{"graph/plan/example/...", []string{"graph/plan/..."}, "it is another project"},
	{"graph/plan/plugin", nil, "another project generates with it"},
	{"graph/coercion", nil, "the plan is taken along with it"},
	{"graph/recent", nil, "the plan is taken along with it"},
	{"graph/...", []string{"graph/...", "hbase/tables"},
		"graph is GraphQL and nothing of storage: the row types are its object types, and all that it knows of rows"},
	{"loaders", []string{"hbase", "hbase/tables/..."}, "loaders read for whoever asks, on any engine"},
	{"live", []string{"hbase", "hbase/tables"}, "what has come is seen in the rows themselves, whoever wrote it"},
	{"writers", []string{"writers/outbox", "writers/password", "hbase", "hbase/tables/..."}, "writers write for whoever asks, on any engine"},
	{"writers/feeds", []string{"writers/outbox", "hbase", "hbase/tables/..."},
		"fan-out jobs are in the store: feeds needs nobody who put them there"},
	{"writers/outbox", []string{"hbase", "hbase/tables"}, "an outbox knows rows and leases, not what its items do"},
	{"writers/password", nil, "a hash knows nothing of accounts"},
	{"hbase", nil, "hbase is the store's vocabulary: everybody speaks it, so it depends on nobody"},
	{"hbase/tables", []string{"hbase"}, "rows and keys are the same on every engine"},
	{"hbase/tables/listscan", []string{"hbase", "hbase/tables"}, "a list scan says what to read; its caller reads"},
	{"hbase/cluster/...", []string{"hbase", "hbase/cluster/..."}, "an engine knows cells, not what they mean"},
	{"hbase/embedded/...", []string{"hbase", "hbase/embedded/..."}, "an engine knows cells, not what they mean"},
	{"hbase/hbasetest/...", []string{"hbase", "hbase/hbasetest/...", "hbase/cluster", "hbase/embedded"},
		"what every store has to do knows no rows of ours, and only tests import it"},
}

// owner says which of our packages alone import a package of others, and why.
type owner struct {
	of  string
	by  []string
	why string
}

var owners = []owner{
	{"github.com/tsuna/gohbase/...", []string{"hbase/cluster/..."}, "the cluster engine handles gohbase's traps, in one place"},
	{"github.com/go-zookeeper/zk", []string{"hbase/cluster/..."}, "where the region servers are is the cluster engine's question"},
	{"github.com/cockroachdb/pebble/...", []string{"hbase/embedded/..."}, "what the embedded engine keeps on disk is its own business"},
	{"github.com/graph-gophers/dataloader/...", []string{"loaders"}, "loaders are the one place that batches"},
	{"github.com/99designs/gqlgen/...", []string{"command", "graph/...", "resolvers"}, "GraphQL ends at the resolvers"},
	{"github.com/coder/websocket", []string{"graph/endpoint/websocket"}, "one package speaks to sockets"},
	{"github.com/klauspost/compress/...", []string{"gateway/middleware"}, "responses are compressed in one place"},
	{"github.com/rs/cors", []string{"gateway/middleware"}, "CORS is checked in one place"},
	{"github.com/alecthomas/kong", []string{"command"}, "commands parse flags and pass values on"},
	{"golang.org/x/crypto/...", []string{"writers/password"}, "passwords are hashed in one place"},
	{"github.com/go-jose/go-jose/...", []string{"graph/auth"}, "tokens are read in one place"},
	{"net/http", []string{"gateway/...", "graph/...", "e2e/...", "hbase/hbasetest/..."}, "nothing below GraphQL answers requests"},
}

func TestImportsOnlyGoDown(t *testing.T) {
	list, err := exec.Command("go", "list", "-e", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal("go list: ", err)
	}
	for line := range strings.Lines(string(list)) {
		names := strings.Fields(line)
		for _, complaint := range complaints(names[0], names[1:]) {
			t.Error(complaint)
		}
	}
}

func TestComplaints(t *testing.T) {
	for _, test := range []struct {
		name    string
		pkg     string
		imports []string
		want    []string
	}{
		{"an arrow down is allowed", "twibase/loaders", []string{"twibase/hbase", "twibase/hbase/tables", "context"}, nil},
		{"an arrow up is not", "twibase/hbase/tables", []string{"twibase/loaders"},
			[]string{"hbase/tables must not import loaders: rows and keys are the same on every engine"}},
		{"no arrow goes to an engine from the side", "twibase/graph/report", []string{"twibase/hbase/embedded"},
			[]string{"graph/report must not import hbase/embedded: " + whyOf("graph/report")}},
		{"a folder's name is not a prefix of letters", "twibase/graph", []string{"twibase/graphics"},
			[]string{"graph must not import graphics: " + whyOf("graph")}},
		{"a dependency has one owner", "twibase/loaders", []string{"github.com/tsuna/gohbase/hrpc"},
			[]string{"loaders must not import github.com/tsuna/gohbase/hrpc: " + owners[0].why}},
		{"and its owner may import it", "twibase/hbase/cluster", []string{"github.com/tsuna/gohbase/hrpc"}, nil},
		{"a major version belongs to the module", "command", []string{"github.com/cockroachdb/pebble/v2"},
			[]string{"command must not import github.com/cockroachdb/pebble/v2: " + owners[2].why}},
		{"a package without an arrow is asked for one", "twibase/util", nil,
			[]string{"util has no arrow: add one to the table, with what it may import and why"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, complaints(test.pkg, test.imports)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// whyOf returns the reason of the arrow that fits a package.
func whyOf(pkg string) string {
	return arrows[slices.IndexFunc(arrows, func(a arrow) bool { return fits(pkg, a.from) })].why
}

// complaints says which imports of a package the two tables forbid. All are full import paths.
func complaints(path string, imports []string) (complaints []string) {
	pkg, _ := ours(path)
	at := slices.IndexFunc(arrows, func(a arrow) bool { return fits(pkg, a.from) })
	if at < 0 {
		return []string{pkg + " has no arrow: add one to the table, with what it may import and why"}
	}
	for _, path := range imports {
		if target, is := ours(path); is && !fits(target, arrows[at].to...) {
			complaints = append(complaints, pkg+" must not import "+target+": "+arrows[at].why)
		}
		for _, owner := range owners {
			if fits(path, owner.of) && !fits(pkg, owner.by...) {
				complaints = append(complaints, pkg+" must not import "+path+": "+owner.why)
			}
		}
	}
	return complaints
}

// ours shortens an import path to the folder in this module, and reports whether it is one. The root keeps the module's name.
func ours(path string) (string, bool) {
	if path == "twibase" {
		return path, true
	}
	return strings.CutPrefix(path, "twibase/")
}

func fits(path string, patterns ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		folder, below := strings.CutSuffix(pattern, "...")
		return pattern == path || below && strings.HasPrefix(path+"/", folder)
	})
}
