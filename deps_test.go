package main_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// In a pattern, /... includes the folders below. ... matches all packages.
type rule struct {
	from string
	to   []string
	why  string
}

// rules go from upper to lower packages. The first match counts. Tests may import any package.
var rules = []rule{
	{"twibase", []string{"command"}, "main only starts the command line"},
	{"command", []string{"..."}, "a command may use any part of the product"},
	{"gateway", []string{"gateway/...", "graph/...", "resolvers", "loaders", "writers/...", "live", "hbase",
		"hbase/tables"},
		"a gateway knows neither engines nor flags"},
	{"gateway/middleware", []string{"graph/...", "hbase"}, "middleware knows requests and their costs"},
	{"gateway/metrics", []string{"gateway/labels", "gateway/usage", "graph/endpoint", "hbase"},
		"metrics know requests and store calls"},
	{"gateway/usage", []string{"gateway/labels", "graph/endpoint"}, "usage counts fields of the schema"},
	{"gateway/labels", nil, "labels know no requests"},
	{"deploy", []string{"command"}, "its tests run commands"},
	{"e2e/...", []string{"..."}, "end-to-end tests use all parts"},
	{"sample", []string{"transfer/...", "hbase", "hbase/tables"}, "the sample is rows, without GraphQL, on any engine"},
	{"transfer/...", []string{"transfer/...", "hbase", "hbase/tables/..."},
		"import and export are rows, without GraphQL, on any engine"},
	{"resolvers", []string{"resolvers/permission", "graph/...", "loaders", "writers", "live", "hbase/tables"},
		"a resolver that uses the store itself would bypass batching and visibility"},
	{"resolvers/permission", []string{"graph/auth"}, "a decision depends on the viewer and its arguments only"},
	{"graph/plan", []string{"graph/coercion", "graph/recent"},
		"other projects can use the executor, with these packages"},
	{"graph/plan/plantest", []string{"graph/coercion", "graph/plan"}, "the oracle is as generic as the plan"},
	{"graph/plan/example/...", []string{"graph/plan/..."}, "the example is another project"},
	{"graph/plan/plugin", nil, "other projects generate with it"},
	{"graph/coercion", nil, "graph/plan needs it"},
	{"graph/recent", nil, "graph/plan needs it"},
	{"graph/endpoint", []string{"graph/...", "hbase/fair"}, "requests and reads are shared out in the same way"},
	{"graph/...", []string{"graph/...", "hbase/tables"},
		"graph is GraphQL without storage: of rows it knows only the types"},
	{"loaders", []string{"hbase", "hbase/tables/..."}, "loaders read on any engine"},
	{"live", []string{"hbase", "hbase/tables"}, "live polls rows, whichever gateway wrote them"},
	{"writers", []string{"writers/outbox", "writers/password", "hbase", "hbase/tables/..."},
		"writers write on any engine"},
	{"writers/feeds", []string{"writers/outbox", "hbase", "hbase/tables/..."},
		"jobs come from the store, not from writers"},
	{"writers/outbox", []string{"hbase", "hbase/tables"}, "an outbox knows rows and leases, not its items"},
	{"writers/password", nil, "a hash knows nothing of accounts"},
	{"hbase", []string{"hbase/fair"}, "all packages use it, so it depends on none of them"},
	{"hbase/fair", nil, "a semaphore knows nothing of its resource"},
	{"hbase/tables", []string{"hbase"}, "rows and keys are the same on every engine"},
	{"hbase/tables/tablestest", []string{"hbase", "hbase/tables"}, "it reads tables for tests"},
	{"hbase/tables/listscan", []string{"hbase", "hbase/tables"}, "its caller reads"},
	{"hbase/cluster/...", []string{"hbase", "hbase/cluster/..."}, "an engine knows cells, not their meaning"},
	{"hbase/embedded/...", []string{"hbase", "hbase/embedded/..."}, "an engine knows cells, not their meaning"},
	{"hbase/hbasetest/...", []string{"hbase", "hbase/hbasetest/...", "hbase/cluster/...", "hbase/embedded"},
		"the conformance suite knows no rows of twibase"},
}

type owner struct {
	of  string
	by  []string
	why string
}

var owners = []owner{
	{"github.com/tsuna/gohbase/...", []string{"hbase/cluster/..."}, "the cluster engine hides gohbase"},
	{"github.com/go-zookeeper/zk", []string{"hbase/cluster/..."}, "the cluster engine locates region servers"},
	{"github.com/jcmturner/gokrb5/...", []string{"hbase/cluster/kerberos"}, "one package knows Kerberos"},
	{"github.com/cockroachdb/pebble/...", []string{"hbase/embedded/..."}, "the embedded engine hides its files"},
	{"github.com/graph-gophers/dataloader/...", []string{"loaders"}, "only loaders batch"},
	{"github.com/99designs/gqlgen/...", []string{"command", "graph/...", "resolvers"}, "GraphQL ends at the resolvers"},
	{"github.com/coder/websocket", []string{"graph/endpoint/websocket"}, "one package uses WebSockets"},
	{"github.com/klauspost/compress/...", []string{"gateway/middleware"}, "responses are compressed in one place"},
	{"github.com/rs/cors", []string{"gateway/middleware"}, "CORS is checked in one place"},
	{"github.com/alecthomas/kong", []string{"command"}, "commands parse flags and pass values on"},
	{"github.com/goccy/go-yaml/...", []string{"command", "deploy"}, "only the configuration is YAML"},
	{"github.com/agnivade/levenshtein", []string{"command"}, "a hint for a wrong key of the configuration"},
	{"golang.org/x/crypto/...", []string{"writers/password"}, "passwords are hashed in one place"},
	{"github.com/go-jose/go-jose/...", []string{"graph/auth"}, "tokens are read in one place"},
	{"net/http", []string{"command", "deploy", "gateway/...", "graph/...", "e2e/...", "hbase/hbasetest/..."},
		"nothing below GraphQL serves HTTP; 'twibase health' is a client"},
}

func TestPackagesImportOnlyLowerLayers(t *testing.T) {
	list, err := exec.Command("go", "list", "-e", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal("go list: ", err)
	}
	for line := range strings.Lines(string(list)) {
		names := strings.Fields(line)
		for _, violation := range violations(names[0], names[1:]) {
			t.Error(violation)
		}
	}
}

func TestForbiddenImportIsReportedWithItsReason(t *testing.T) {
	for _, test := range []struct {
		name    string
		pkg     string
		imports []string
		want    []string
	}{
		{"allowed import", "twibase/loaders", []string{"twibase/hbase", "twibase/hbase/tables", "context"}, nil},
		{"import of an upper package", "twibase/hbase/tables", []string{"twibase/loaders"},
			[]string{"hbase/tables must not import loaders: rows and keys are the same on every engine"}},
		{"import of an engine", "twibase/graph/report", []string{"twibase/hbase/embedded"},
			[]string{"graph/report must not import hbase/embedded: " + whyOf("graph/report")}},
		{"same prefix, other folder", "twibase/graph", []string{"twibase/graphics"},
			[]string{"graph must not import graphics: " + whyOf("graph")}},
		{"dependency of another owner", "twibase/loaders", []string{"github.com/tsuna/gohbase/hrpc"},
			[]string{"loaders must not import github.com/tsuna/gohbase/hrpc: " + owners[0].why}},
		{"dependency of the owner", "twibase/hbase/cluster", []string{"github.com/tsuna/gohbase/hrpc"}, nil},
		{"dependency with a major version", "command", []string{"github.com/cockroachdb/pebble/v2"},
			[]string{"command must not import github.com/cockroachdb/pebble/v2: " + owners[3].why}},
		{"package without a rule", "twibase/util", nil,
			[]string{"util has no rule: add one to the table"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, violations(test.pkg, test.imports)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func whyOf(pkg string) string {
	return rules[slices.IndexFunc(rules, func(r rule) bool { return matches(pkg, r.from) })].why
}

func violations(path string, imports []string) (violations []string) {
	pkg, _ := ours(path)
	at := slices.IndexFunc(rules, func(r rule) bool { return matches(pkg, r.from) })
	if at < 0 {
		return []string{pkg + " has no rule: add one to the table"}
	}
	for _, path := range imports {
		if target, is := ours(path); is && !matches(target, rules[at].to...) {
			violations = append(violations, pkg+" must not import "+target+": "+rules[at].why)
		}
		for _, owner := range owners {
			if matches(path, owner.of) && !matches(pkg, owner.by...) {
				violations = append(violations, pkg+" must not import "+path+": "+owner.why)
			}
		}
	}
	return violations
}

func ours(path string) (string, bool) {
	if path == "twibase" {
		return path, true
	}
	return strings.CutPrefix(path, "twibase/")
}

func matches(path string, patterns ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		folder, below := strings.CutSuffix(pattern, "...")
		return pattern == path || below && strings.HasPrefix(path+"/", folder)
	})
}
