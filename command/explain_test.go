package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func document(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "q.graphql")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// chain has 2ⁿ fields: n fragments spread the next one twice.
func chain(n int) string {
	text := "{ ...f0 }"
	for i := range n {
		text += fmt.Sprintf(" fragment f%d on Query { ...f%[2]d ...f%[2]d }", i, i+1)
	}
	return text + fmt.Sprintf(" fragment f%d on Query { __typename }", n)
}

func TestExplainPrintsThePlanOfADocument(t *testing.T) {
	const followers = `query F($n: Int = 2) { user(username: "LiLei") { name followers(first: $n) { totalCount nodes { name twits { nodes { id } } } } } } query G { __typename }`
	const want = `at most     3 rounds, 21 Gets, 3 RPCs, 21 rows, 211 objects
ordinarily  2 rounds, 11 Gets, 2 RPCs, 11 rows, 211 objects

query F
└─ user(username: "LiLei") → 1
   │  1: in Gets of others, users (i:name), for users
   └─ followers(first: $n) → 10
      │  1: in Gets of others, users (i:followerCount), for followersLength
      │  1: 1 × users (f), the first 11, for followers
      │  2: in Gets of others, users (i:name), for users
      └─ nodes.twits → 200
            2: in Gets of others, users (i:name), for users
            2: 10 × users (t), the first 21, for twits
            3: 10 × users (t), the first 81, for twits, if entries of the page are hidden from the viewer

level 1: 1 Get, 1 RPC, 1 row
levels 2–3, each: 10 Gets, 1 RPC, 10 rows
`
	for _, test := range []struct {
		name, document string
		args           []string
		status         int
		stdout, stderr string
	}{
		{"tree", followers, []string{"--operation", "F", "--variables", `{"n": 10}`}, 0, want, ""},
		{"@defer and @stream have no effect",
			strings.NewReplacer("name f", "name ... @defer { f", "totalCount", "... @defer(label: \"c\") { totalCount }",
				"nodes { name", "nodes @stream(initialCount: 1) { name", "} query G", "} } query G").Replace(followers),
			[]string{"--operation", "F", "--variables", `{"n": 10}`}, 0, want, ""},
		{"no reads", followers, []string{"--operation", "G"}, 0,
			"at most     nothing is read\nordinarily  nothing is read\n\nquery G\n\n", ""},
		{"unknown operation name", followers, []string{"--operation", "H"}, statusFailed, "",
			"twibase: FILE: operationName must name one of the document's operations\n"},
		{"several operations, no name", followers, nil, statusFailed, "",
			"twibase: FILE: operationName must name one of the document's operations\n"},
		{"syntax error", "{ user(", nil, statusFailed, "", "twibase: FILE:1:8: Expected Name, found <EOF>\n"},
		{"unknown fields and arguments", "{ nothing\n user(username: 1) { id } }", nil, statusFailed, "",
			"twibase: FILE:1:3: Cannot query field \"nothing\" on type \"Query\".\nFILE:2:17: expected a value of the type String!, found 1: it must be a string\n"},
		{"missing variable", "query($n: Int!) { users(first: $n) { nodes { id } } }", nil, statusFailed, "",
			"twibase: FILE:1:7: $n: a value of the type Int! is required\n"},
		{"variable of the wrong type", "query($n: Int!) { users(first: $n) { nodes { id } } }",
			[]string{"--variables", `{"n": "x"}`}, statusFailed, "",
			"twibase: FILE:1:7: $n: it must be a whole number from -2147483648 to 2147483647\n"},
		{"variables that are not an object", "{ __typename }", []string{"--variables", "n=1"}, statusFailed, "",
			"twibase: --variables: invalid JSON after byte 0; write a JSON object, such as {\"first\": 5}\n"},
		{"two objects of variables", "{ __typename }", []string{"--variables", "{} {}"}, statusFailed, "",
			"twibase: --variables: something follows it; write a JSON object, such as {\"first\": 5}\n"},
		{"too long document", strings.Repeat("{", 51), nil, statusFailed, "",
			"twibase: FILE: the depth of selections, values or types, with fragments expanded, is limited to 50, and this is 51\n"},
		{"too many errors", "{ a b c d e f }", nil, statusFailed, "",
			"twibase: FILE:1:3: Cannot query field \"a\" on type \"Query\".\n" +
				"FILE:1:5: Cannot query field \"b\" on type \"Query\".\nFILE:1:7: Cannot query field \"c\" on type \"Query\".\n" +
				"FILE: the number of errors in an answer is limited to 4, and this is 6\n"},
		{"exponential fragments", chain(30), nil, statusFailed, "",
			"twibase: FILE: the number of fields, with fragments expanded, is limited to 1000, and this is "},
		{"too long variables", "query($n: [ID!]!) { nodes(ids: $n) { id } }",
			[]string{"--variables", `{"n": [` + strings.Repeat(`"x",`, 100) + `"x"]}`}, statusFailed, "",
			"twibase: FILE: the length of a list or an input object is limited to 100, and this is 101\n"},
		{"--limit", "{ a: __typename b: __typename }", []string{"--limit", "aliases=1"}, statusFailed, "",
			"twibase: FILE: the number of aliases, with fragments expanded, is limited to 1, and this is 2\n"},
		{"unknown limit", "{ __typename }", []string{"--limit", "alias=1"}, statusFailed, "",
			"twibase: there is no limit \"alias\"; there are "},
		{"invalid --as", "{ __typename }", []string{"--as", "Li Lei"}, statusFailed, "", "twibase: --as: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := document(t, test.document)
			status, stdout, stderr := command(t, append([]string{"explain", file}, test.args...)...)
			stderr = strings.ReplaceAll(stderr, file, "FILE")
			if status != test.status || !strings.HasPrefix(stderr, test.stderr) || test.stderr == "" && stderr != "" {
				t.Errorf("status %d: %s", status, stderr)
			}
			if diff := cmp.Diff(test.stdout, stdout); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("an operation above the limit is reported and rejected", func(t *testing.T) {
		file := document(t, "{ users(first: 100) { nodes { followers(first: 100) { nodes { followers(first: 100) { nodes { id } } } } } } }")
		status, stdout, stderr := command(t, "explain", file)
		if status != statusFailed || !strings.HasPrefix(stdout, "at most ") ||
			!strings.HasPrefix(stderr,
				"twibase: "+file+": the number of objects that may be returned is limited to 100000, and this is ") {
			t.Error(status, stdout, stderr)
		}
		if status, _, stderr := command(t, "explain", file, "--limit", "objects=0,resolved=0,rpcs=0,rows=0"); status != 0 {
			t.Error(status, stderr)
		}
	})
	t.Run("a page above the maximum is reported with its line", func(t *testing.T) {
		file := document(t, "{ users(first: 101) { totalCount } }")
		if status, _, stderr := command(t, "explain", file); status != statusFailed ||
			stderr != "twibase: "+file+":1:3: a page's number of entries is limited to 100, and this is 101\n" {
			t.Error(status, stderr)
		}
	})
	t.Run("the plan for a viewer also reads the follows of the viewer", func(t *testing.T) {
		_, stdout, _ := command(t, "explain", document(t, `{ user(username: "Lucy") { twitCount } }`), "--as", "LiLei")
		if !strings.Contains(stdout, "1 × follows (i:state), for related") {
			t.Error(stdout)
		}
	})
	t.Run("- is the standard input", func(t *testing.T) {
		in, err := os.Open(document(t, "{ __typename }"))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		defer func(old *os.File) { os.Stdin = old }(os.Stdin)
		os.Stdin = in
		if status, stdout, stderr := command(t, "explain", "-"); status != 0 || !strings.Contains(stdout, "nothing is read") {
			t.Error(status, stdout, stderr)
		}
	})
	t.Run("a missing file is an error", func(t *testing.T) {
		if status, _, stderr := command(t, "explain", "/nowhere.graphql"); status != statusFailed ||
			!strings.Contains(stderr, "/nowhere.graphql: no such file") {
			t.Error(status, stderr)
		}
	})
}

func TestExplainExampleInTheDocsIsWhatItPrints(t *testing.T) {
	page, err := os.ReadFile("../docs/EXPLAIN.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)\n[$] echo '([^']+)' [|] twibase explain -\n(.+?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("docs/EXPLAIN.md has no example")
	}
	_, stdout, stderr := command(t, "explain", document(t, string(example[1])))
	if diff := cmp.Diff(string(example[2]), stdout); diff != "" || stderr != "" {
		t.Errorf("(-page +printed):\n%s%s", diff, stderr)
	}
}
