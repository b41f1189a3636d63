package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/e2e/dataset"
	"twibase/graph/auth"
	"twibase/graph/explain"
	"twibase/graph/relay"
	costs "twibase/graph/report"
	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
	"twibase/resolvers"
	"twibase/transfer"
)

const hub = `{user(username:"` + dataset.Hub + `"){username name followers(first:20){nodes{username name followers(first:20){nodes{username name twits(first:3){nodes{id content}}}}}}}}`

func planOf(tb testing.TB, handler http.Handler, r request) *explain.Plan {
	tb.Helper()
	a, body, err := r.costs(handler, explain.Header)
	if err != nil || a.Extensions.Plan == nil || a.Errors != nil || string(a.Data) != "null" {
		tb.Fatal(err, string(excerpt(body)))
	}
	return a.Extensions.Plan
}

func TestPlanReadsNothing(t *testing.T) {
	recorder := hbasetest.NewRecorder(sampleStore(t), hbasetest.Names{})
	handler := newExplainHandler(recorder, tables.ListBound)
	for _, viewer := range []auth.Viewer{{}, {Username: "LiLei"}, {Username: "root", Admin: true}} {
		for _, file := range exampleNames(t) {
			planOf(t, handler, request{query: example(t, file), viewer: viewer})
		}
	}
	if reads := recorder.Reads(); len(reads) > 0 {
		t.Errorf("the plans read %q", reads)
	}
}

func exampleNames(t *testing.T) (names []string) {
	files, err := filepath.Glob("../graph/playground/examples/*.graphql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no example queries: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".graphql")
		if strings.Contains("\n"+example(t, name), "\nquery ") {
			names = append(names, name)
		}
	}
	return names
}

// The files have the actual costs, too, to compare with a bound that has grown.
func TestPlansAreUnchanged(t *testing.T) {
	check := func(name string, store hbase.Store, r request) {
		t.Run(name, func(t *testing.T) {
			handler := newExplainHandler(store, tables.ListBound)
			p := planOf(t, handler, r)
			actual, body, err := r.costs(handler, costs.Header)
			if err != nil || actual.Extensions.Report == nil {
				t.Fatal(err, string(excerpt(body)))
			}
			a := actual.Extensions.Report
			text := fmt.Sprintf("actually    %s\n%s",
				explain.Totals{Rounds: int64(a.Rounds), Gets: a.Gets, Scans: a.Scans, RPCs: a.RPCs, Rows: a.Rows}, p.Text)
			golden(t, filepath.Join("testdata/plans", name+".txt"), text)
		})
	}
	sample := sampleStore(t)
	for _, name := range exampleNames(t) {
		check(name, sample, request{query: example(t, name), viewer: auth.Viewer{Username: "LiLei"}})
	}
	store := inMemory(t)
	importInto(t, store, generated(t, 1), transfer.Options{})
	check("hub", store, request{query: hub})
	check("scan", store, request{query: `{users(first:20){nodes{name followers(first:20){totalCount nodes{name twits(last:3){nodes{content author{name}}}}}}}}`})
}

func TestPlanOfReferenceQueryIsUnchanged(t *testing.T) {
	p := planOf(t, newExplainHandler(sampleStore(t), tables.ListBound), request{query: hub})
	if o := p.Ordinary; o.Rounds != 3 || o.Gets != 421 || o.RPCs != 4 {
		t.Errorf("ordinary cost: got %s, want 3 rounds, 421 Gets, 4 RPCs", o)
	}
	// The 400 lists of twits may be read again, in case some twits are hidden.
	if p.Rounds != 4 || p.Gets != 821 {
		t.Errorf("bound: got %s, want 4 rounds, 821 Gets", p.Totals)
	}
}

// Chains may end with a filtered connection, which takes one more round.
func TestKHopsTakeKPlusOneRounds(t *testing.T) {
	handler, schema := newExplainHandler(sampleStore(t), tables.ListBound), plannedSchema().Schema()
	roots := map[string]string{`user(username:"x")`: "User", `role(code:"x")`: "Role",
		`department(code:"x")`: "Department", `game(code:"x")`: "Game",
		`users`: "User", `roles`: "Role", `games`: "Game", `topDepartments`: "Department"}
	filtered := []string{"twits", "album", "comments", "timeline"}
	unlimited := []string{"ancestors", "descendants", "likedTwits"}
	chains := 0
	var walk func(typ, before, after string, hops int)
	walk = func(typ, before, after string, hops int) {
		query := before + "{id __typename " + scalars(schema.Types[typ]) + "}" + after
		p := planOf(t, handler, request{query: query})
		if chains++; p.Rounds > int64(hops+2) {
			t.Errorf("%d hops take %d rounds: %s\n%s", hops, p.Rounds, query, p.Text)
		}
		if hops == 4 {
			return
		}
		for _, f := range schema.Types[typ].Fields {
			to, connection := strings.CutSuffix(f.Type.Name(), "Connection")
			last := slices.Contains(filtered, f.Name)
			if !schema.Types[to].IsCompositeType() || slices.Contains(unlimited, f.Name) ||
				schema.Types[to].Fields.ForName("id") == nil {
				continue
			}
			next, end := before+"{"+f.Name, "}"+after
			if connection {
				next, end = next+"{nodes", "}"+end
			}
			if last {
				if p := planOf(t, handler, request{query: next + "{id}" + end}); p.Rounds > int64(hops+3) {
					t.Errorf("%d hops take %d rounds: %s", hops+1, p.Rounds, next)
				}
				continue
			}
			walk(to, next, end, hops+1)
		}
	}
	for root, typ := range roots {
		if schema.Query.Fields.ForName(strings.SplitN(root, "(", 2)[0]).Type.Name() != typ {
			walk(typ, "{"+root+"{nodes", "}}", 0)
			continue
		}
		walk(typ, "{"+root, "}", 0)
	}
	if chains < 500 {
		t.Errorf("got %d chains, want at least 500", chains)
	}
}

// A cursor may be in any bucket, so its page takes one more round.
func TestKHopsAfterACursorTakeKPlusTwoRounds(t *testing.T) {
	handler := newExplainHandler(sampleStore(t), tables.ListBound)
	after := relay.CursorsOf(&tables.Followers.AnyList).Encode(tables.Followers.Position(tables.Follow{Username: "y",
		At: tables.UnknownTime}))
	for hops := 1; hops <= 4; hops++ {
		query := `{user(username: "x") {name followers(first: 100, after: "` + after + `") {nodes {name` +
			strings.Repeat(" followers {nodes {name", hops-1) + strings.Repeat("}}", hops) + "}}"
		if p := planOf(t, handler, request{query: query}); p.Rounds > int64(hops+2) {
			t.Errorf("%d hops take %d rounds: %s\n%s", hops, p.Rounds, query, p.Text)
		}
	}
}

func TestExceptionsTakeTheirDocumentedRounds(t *testing.T) {
	handler := newExplainHandler(sampleStore(t), tables.ListBound)
	after := relay.CursorsOf(&tables.Followers.AnyList).Encode(tables.Followers.Position(tables.Follow{Username: "y",
		At: tables.UnknownTime}))
	followers := func(hops int, args string) string {
		return strings.Repeat("followers"+args+"{nodes{", hops) + "name" + strings.Repeat("}}", hops)
	}
	for _, test := range []struct {
		query            string
		viewer           bool
		hops             int
		most, ordinarily int64
	}{
		{`twits{nodes{author{twits{nodes{author{name}}}}}}`, false, 4, 5, 3},
		{`twits{nodes{author{twits{nodes{author{name}}}}}}`, true, 4, 7, 3},
		{`twits{nodes{author{name}}}`, true, 2, 4, 2},
		{`twits{nodes{comments{nodes{author{name}}}}}`, false, 3, 4, 3},
		{`twits{nodes{comments{nodes{author{name}}}}}`, true, 3, 6, 4},
		{`twits(last:5){nodes{author{name}}}`, true, 2, 5, 3},
		{`timeline{nodes{id}}`, true, 1, 13, 2},
		{`likedTwits{nodes{id}}`, false, 1, 8, 2},
		{followers(4, "(first:2)"), false, 4, 5, 5},
		{followers(4, "(last:2)"), false, 4, 9, 5},
		{followers(1, `(last:2,before:"`+after+`")`), false, 1, 5, 2},
		{followers(4, `(first:2,after:"`+after+`")`), false, 4, 9, 5},
	} {
		r := request{query: `{user(username:"LiLei"){` + test.query + `}}`}
		if test.viewer {
			r.viewer = auth.Viewer{Username: "LiLei"}
		}
		p := planOf(t, handler, r)
		if p.Rounds != test.most || p.Ordinary.Rounds != test.ordinarily {
			t.Errorf("%d hops: got at most %d rounds, ordinarily %d; want %d and %d: %s\n%s",
				test.hops, p.Rounds, p.Ordinary.Rounds, test.most, test.ordinarily, r.query, p.Text)
		}
		actual, body, err := r.costs(handler, costs.Header)
		if err != nil || actual.Extensions.Report == nil {
			t.Fatal(err, string(excerpt(body)))
		}
		if rounds := actual.Extensions.Report.Rounds; int64(rounds) > test.ordinarily {
			t.Errorf("the request took %d rounds, want at most %d: %s", rounds, test.ordinarily, r.query)
		}
	}
}

func scalars(def *ast.Definition) string {
	var names []string
	for _, f := range def.Fields {
		if len(f.Arguments) == 0 && f.Type.Elem == nil && slices.Contains([]string{"String", "Int"}, f.Type.Name()) &&
			f.Name != "email" && f.Name != "twitCount" {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, " ")
}

func BenchmarkBound(b *testing.B) {
	schema, declared := plannedSchema(), resolvers.Costs(tables.ListBound)
	ctx := graphql.StartOperationTrace(b.Context())
	for _, query := range []string{hub, example(b, "4-departments")} {
		op, errs := executor.New(schema).CreateOperationContext(ctx, &graphql.RawParams{Query: query})
		if errs != nil {
			b.Fatal(errs)
		}
		ctx := graphql.WithOperationContext(ctx, op)
		b.Run(cmp.Or(op.Operation.Name, "hub"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := explain.Bound(ctx, schema, declared); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
