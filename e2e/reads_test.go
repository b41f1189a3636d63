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
	"twibase/sample"
	"twibase/transfer"
)

var rewrite = flag.Bool("rewrite", false, "write the reads that queries make into testdata, instead of comparing them")

// people renders keys for people: a row without its hash, what is about two ids as "a → b", and an inverted time as the time.
var people = hbasetest.Names{
	Row: func(_, row string) string {
		owner, rest, several := strings.Cut(row[2:], "\x00")
		if !several {
			return word(owner)
		}
		return word(owner) + " → " + place(rest)
	},
	Qualifier: func(_, _, qualifier string) string {
		if end, ok := strings.CutPrefix(qualifier, "\xff"); ok {
			return strings.TrimSpace("directory " + place(end))
		}
		return place(qualifier)
	},
}

// place renders a position of a list.
func place(position string) string {
	if len(position) < 8 || position[0] != 0x7f {
		return word(position)
	}
	at := time.UnixMilli(math.MaxInt64 - int64(binary.BigEndian.Uint64([]byte(position)))).UTC()
	return at.Format(time.RFC3339Nano) + " " + word(position[8:])
}

// word quotes what is not legible.
func word(s string) string {
	if quoted := strconv.Quote(s); s == "" || quoted != `"`+s+`"` || strings.Contains(s, " ") {
		return quoted
	}
	return s
}

// TestReads holds each query to exactly the reads that testdata/reads says, however they are grouped. Rewrite the files with
// -rewrite, and read the difference.
func TestReads(t *testing.T) {
	t.Run("examples", func(t *testing.T) {
		store := inMemory(t)
		if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
			t.Fatal(err)
		}
		if err := sample.Load(t.Context(), store); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob("../graph/playground/examples/*.graphql")
		if err != nil || len(files) == 0 {
			t.Fatalf("no example is there: %v", err)
		}
		for _, file := range files {
			query, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimSuffix(filepath.Base(file), ".graphql")
			t.Run(name, func(t *testing.T) { reads(t, store, "example-"+name, string(query), nil, as("LiLei")) })
		}
	})
	t.Run("nested queries", func(t *testing.T) {
		w := newWorld(t, generated(t, 1), transfer.Options{})
		w.introduce(t)
		w.check(t, root, `{users(first:2){nodes{id}} roles(first:2){nodes{id}} games(first:2){nodes{id}} topDepartments(first:2){nodes{id}}
			user(username:"`+dataset.Hub+`"){twits(first:2){nodes{comments(first:1){nodes{id}}}}}}`, nil)
		for _, q := range append(twelve(w), inquiry{name: "10 nodes of several nouns", viewers: []oracle.Viewer{as(dataset.Hub)},
			variables: map[string]any{"ids": w.someIDs()}, query: "query($ids:[ID!]!){nodes(ids:$ids)" + things + "}"},
			inquiry{name: "11 all things of each noun",
				query: "{\n  users(first:5){nodes{name}}\n  roles(last:5){nodes{name}}\n  games(first:5){nodes{name}}\n  topDepartments(first:5){nodes{name}}\n}"}) {
			viewer := stranger
			if q.viewers != nil {
				viewer = q.viewers[0]
			}
			name := regexp.MustCompile(`\W+`).ReplaceAllString(q.name, "-")
			t.Run(name, func(t *testing.T) {
				reads(t, w.store, "nested-"+name, q.query, w.opaque.Variables(q.variables), viewer)
			})
		}
	})
}

// someIDs are some ids of every noun that answers had, and one that names nothing.
func (w *world) someIDs() (ids []any) {
	nouns := map[string]int{}
	for _, ref := range w.opaque.Seen["id"] {
		if nouns[ref.Owner]++; nouns[ref.Owner] <= 2 {
			ids = append(ids, ref)
		}
	}
	return append(ids, "malformed")
}

// reads compares the reads of a query with those in its file.
func reads(t *testing.T, store hbase.Store, name, query string, variables map[string]any, viewer oracle.Viewer) {
	t.Helper()
	recorder := hbasetest.NewRecorder(store, people)
	got, err := answer(newGateway("recorded", recorder).ask(t, query, variables, viewer))
	if err != nil || got.Errors != nil {
		t.Fatalf("the answer has errors: %v %q", err, got.Errors)
	}
	lines := inColumnOrder(recorder.Reads())
	sound(t, query, lines)
	text := "# who asks: " + cmpOr(viewer.Username, "a stranger") + "\n" + strings.TrimSpace(query) + "\n"
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
		t.Errorf("the reads differ from %s; if they should, run go test ./e2e -run Reads -rewrite (-want +got):\n%s", file, diff)
	}
}

func cmpOr(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// columns are the selection of a read.
var columns = regexp.MustCompile(`\b[a-z]\b[a-zA-Z:,]*( \[limit|$)`)

// inColumnOrder sorts the columns of each read: in which order they were asked for says nothing.
func inColumnOrder(lines []string) []string {
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

// wholeLists counts the fields of the root that list all things of a noun.
func wholeLists(t *testing.T, query string) (n int) {
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

// sound reports what no list of reads may have: a read twice, and a scan but for a list of all things.
func sound(t *testing.T, query string, lines []string) {
	t.Helper()
	scans := 0
	for i, line := range lines {
		if i > 0 && line == lines[i-1] {
			t.Errorf("this is read twice: %s", line)
		}
		if strings.HasPrefix(line, "Scan ") {
			scans++
		}
	}
	if want := wholeLists(t, query); scans != want {
		t.Errorf("there are %d scans, and should be %d", scans, want)
	}
}

// TestFewReads has queries whose reads are few for a reason.
func TestFewReads(t *testing.T) {
	w := smallWorld(t)
	recorder := hbasetest.NewRecorder(w.store, people)
	w.gateway = newGateway("recorded", recorder)
	for _, test := range []struct {
		name, query string
		viewer      oracle.Viewer
		want        []string
	}{
		{"who has not been read and is asked for by name is looked for",
			`{user(username:"LiLei"){id}}`, stranger, []string{"Get users LiLei i:name"}},
		{"a list whose members tell their ids brings no rows",
			`{user(username:"LiLei"){following{edges{followedAt node{id username}}}}}`, stranger,
			[]string{"Get following LiLei l [limit 21]", "Get users LiLei i:name"}},
		{"only the columns that are asked for are read",
			`{user(username:"LiLei"){age} role(code:"developer"){userCount department{code}}}`, stranger,
			[]string{"Get roles developer i:name,i:department,i:userCount", "Get users LiLei i:name,i:age"}},
		{"twits lie whole in a list in their author's row",
			`{user(username:"小红"){twits{nodes{id content author{id}}}}}`, stranger,
			[]string{"Get users 小红 i:name,t [limit 21]"}},
		{"a total alone reads no list",
			`{user(username:"LiLei"){followers{totalCount}}}`, stranger, []string{"Get users LiLei i:name,i:followerCount"}},
		{"a stranger's question whether to see a thing costs no read",
			`{user(username:"LiLei"){email viewerFollows timeline{nodes{id}}}}`, stranger, []string{"Get users LiLei i:name,i:email"}},
		{"a user asks for what is the user's own without a question", `{viewer{email}}`, as("LiLei"), []string{"Get users LiLei i:name,i:email"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			recorder.Reset()
			w.check(t, test.viewer, test.query, nil)
			if diff := cmp.Diff(test.want, recorder.Reads()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
