package e2e

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"twibase/e2e/dataset"
	"twibase/e2e/oracle"
	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
	"twibase/transfer"
)

var rewrite = flag.Bool("rewrite", false, "rewrite testdata/reads instead of comparing")

var readableKeys = hbasetest.Names{
	Row: func(table, row string) string {
		if table == tables.Users.Search.Table {
			return word(row)
		}
		owner, rest, several := strings.Cut(row[2:], "\x00")
		if !several {
			return word(owner)
		}
		return word(owner) + " → " + position(rest)
	},
	Qualifier: func(_, _, qualifier string) string {
		if end, ok := strings.CutPrefix(qualifier, "\xff"); ok {
			return strings.TrimSpace("directory " + position(end))
		}
		return position(qualifier)
	},
}

func position(p string) string {
	if len(p) < 8 || p[0] != 0x7f {
		return word(p)
	}
	at := time.UnixMilli(math.MaxInt64 - int64(binary.BigEndian.Uint64([]byte(p)))).UTC()
	return at.Format(time.RFC3339Nano) + " " + word(p[8:])
}

func word(s string) string {
	if quoted := strconv.Quote(s); s == "" || quoted != `"`+s+`"` || strings.Contains(s, " ") {
		return quoted
	}
	return s
}

func TestReadsAreUnchanged(t *testing.T) {
	t.Run("examples", func(t *testing.T) {
		store := sampleStore(t)
		for _, name := range exampleNames(t) {
			t.Run(name, func(t *testing.T) { checkRecordedReads(t, store, "example-"+name, example(t, name), nil, as("LiLei")) })
		}
	})
	t.Run("nested queries", func(t *testing.T) {
		f := newFixture(t, generated(t, 1), transfer.Options{})
		f.learnExampleIDs(t)
		f.check(t, root, `{users(first:2){nodes{id}} roles(first:2){nodes{id}} games(first:2){nodes{id}} topDepartments(first:2){nodes{id}}
			user(username:"`+dataset.Hub+`"){twits(first:2){nodes{comments(first:1){nodes{id}}}}}}`, nil)
		queries := append(exampleQueries(f),
			testQuery{
				name:      "10 nodes of several nouns",
				viewers:   []oracle.Viewer{as(dataset.Hub)},
				variables: map[string]any{"ids": f.someIDs()},
				query:     "query($ids:[ID!]!){nodes(ids:$ids)" + nodeSelection + "}",
			},
			testQuery{
				name: "11 root lists",
				query: "{\n  users(first:5){nodes{name}}\n  roles(last:5){nodes{name}}\n" +
					"  games(first:5){nodes{name}}\n  topDepartments(first:5){nodes{name}}\n}",
			})
		for _, q := range queries {
			viewer := unauthenticated
			if q.viewers != nil {
				viewer = q.viewers[0]
			}
			name := regexp.MustCompile(`\W+`).ReplaceAllString(q.name, "-")
			t.Run(name, func(t *testing.T) {
				checkRecordedReads(t, f.store, "nested-"+name, q.query, f.opaque.Variables(q.variables), viewer)
			})
		}
	})
}

func (f *fixture) someIDs() (ids []any) {
	nouns := map[string]int{}
	for _, ref := range f.opaque.Seen["id"] {
		if nouns[ref.Owner]++; nouns[ref.Owner] <= 2 {
			ids = append(ids, ref)
		}
	}
	return append(ids, "malformed")
}

func checkRecordedReads(
	t *testing.T, store hbase.Store, name, query string, variables map[string]any, viewer oracle.Viewer,
) {
	t.Helper()
	recorder := hbasetest.NewRecorder(store, readableKeys)
	got, err := decodeAnswer(newGateway("recorded", recorder).ask(t, query, variables, viewer))
	if err != nil || got.Errors != nil {
		t.Fatalf("the response has errors: %v %q", err, got.Errors)
	}
	lines := sortColumns(recorder.Reads())
	checkReads(t, query, lines)
	text := "# viewer: " + viewerName(viewer) + "\n" + strings.TrimSpace(query) + "\n"
	for _, key := range sortedKeys(variables) {
		text += fmt.Sprintf("# $%s = %v\n", key, variables[key])
	}
	text += "----\n" + strings.Join(lines, "\n") + "\n"
	file := filepath.Join("testdata", "reads", name+".txt")
	if *rewrite {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("the reads differ from %s; to accept them, run go test ./e2e -run TestReadsAreUnchanged -rewrite (-want +got):\n%s",
			file, diff)
	}
}

var columns = regexp.MustCompile(`\b[a-z]\b[a-zA-Z:,]*( \[limit|$)`)

// The order of columns depends on that of fields.
func sortColumns(lines []string) []string {
	for i, line := range lines {
		lines[i] = columns.ReplaceAllStringFunc(line, func(selection string) string {
			names, limit, limited := strings.Cut(selection, " ")
			list := strings.Split(names, ",")
			slices.Sort(list)
			if names = strings.Join(list, ","); limited {
				names += " " + limit
			}
			return names
		})
	}
	slices.Sort(lines)
	return lines
}

// Each root list is a scan.
func countRootLists(t *testing.T, query string) (n int) {
	t.Helper()
	document, err := parser.ParseQuery(&ast.Source{Input: query})
	if err != nil {
		t.Fatal(err)
	}
	for _, selection := range document.Operations[0].SelectionSet {
		if field, ok := selection.(*ast.Field); ok && slices.Contains([]string{"users", "roles", "games"}, field.Name) {
			n++
		}
	}
	return n
}

func checkReads(t *testing.T, query string, lines []string) {
	t.Helper()
	scans := 0
	for i, line := range lines {
		if i > 0 && line == lines[i-1] {
			t.Errorf("repeated read: %s", line)
		}
		if strings.HasPrefix(line, "Scan ") {
			scans++
		}
	}
	if want := countRootLists(t, query); scans != want {
		t.Errorf("got %d scans, want %d", scans, want)
	}
}

func TestQueriesReadOnlyWhatTheySelect(t *testing.T) {
	f := smallFixture(t)
	recorder := hbasetest.NewRecorder(f.store, readableKeys)
	f.gateway = newGateway("recorded", recorder)
	for _, test := range []struct {
		name, query string
		viewer      oracle.Viewer
		want        []string
	}{
		{"a root object by name: its existence is read",
			`{user(username:"LiLei"){id}}`, unauthenticated, []string{"Get users LiLei i:name"}},
		{"ids of members: no rows are read",
			`{user(username:"LiLei"){following{edges{followedAt node{id username}}}}}`, unauthenticated,
			[]string{"Get following LiLei l [limit 21]", "Get users LiLei i:name"}},
		{"only selected columns are read",
			`{user(username:"LiLei"){age} role(code:"developer"){userCount department{code}}}`, unauthenticated,
			[]string{"Get roles developer i:name,i:department,i:userCount", "Get users LiLei i:name,i:age"}},
		{"twits are stored in their author's list",
			`{user(username:"小红"){twits{nodes{id content author{id}}}}}`, unauthenticated,
			[]string{"Get users 小红 i:name,t [limit 21]"}},
		{"totalCount alone reads no list",
			`{user(username:"LiLei"){followers{totalCount}}}`, unauthenticated, []string{"Get users LiLei i:name,i:followerCount"}},
		{"permissions of an unauthenticated client need no read",
			`{user(username:"LiLei"){email viewerFollows timeline{nodes{id}}}}`, unauthenticated,
			[]string{"Get users LiLei i:name,i:email"}},
		{"permissions of the owner need no read", `{viewer{email}}`, as("LiLei"), []string{"Get users LiLei i:name,i:email"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			recorder.Reset()
			f.check(t, test.viewer, test.query, nil)
			if diff := cmp.Diff(test.want, recorder.Reads()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
