package budget

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/graph/documents"
)

func TestOperationsHaveTheCostOfOpenVariables(t *testing.T) {
	for _, test := range []struct {
		name, document string
		variables      map[string]any
		want           string
	}{
		{"literals", `query Q { user(username: "LiLei") { followers(first: 5) { nodes { name } } } }`, nil,
			"query Q: 2 rounds, 6 rows, 6 objects"},
		{"an open page is the largest in spite of its default",
			`query Q($n: Int = 5) { user(username: "LiLei") { followers(first: $n) { nodes { name } } } }`, nil,
			"query Q: 2 rounds, 101 rows, 101 objects"},
		{"a given page",
			`query Q($n: Int = 50) { user(username: "LiLei") { followers(first: $n) { nodes { name } } } }`,
			map[string]any{"n": json.Number("5")}, "query Q: 2 rounds, 6 rows, 6 objects"},
		{"a variable that another operation declares is given", `query Q { user(username: "x") { name } }`,
			map[string]any{"n": json.Number("5")}, "query Q: 1 rounds, 1 rows, 1 objects"},
		{"a given value of another type", `query Q($n: Int) { user(username: "x") { followers(first: $n) { nodes { name } } } }`,
			map[string]any{"n": "five"},
			"query Q: 0 rounds, 0 rows, 0 objects; 1:9: $n: it must be a whole number from -2147483648 to 2147483647"},
		{"an open cursor may be far from the beginning",
			`query Q($c: String) { user(username: "LiLei") { followers(first: 5, after: $c) { nodes { name } } } }`, nil,
			"query Q: 3 rounds, 10 rows, 6 objects"},
		{"a given cursor", `query Q($c: String) { user(username: "LiLei") { followers(first: 5, after: $c) { nodes { name } } } }`,
			map[string]any{"c": nil}, "query Q: 2 rounds, 6 rows, 6 objects"},
		{"an open direction costs both",
			`query Q($f: Int, $l: Int) { user(username: "LiLei") { followers(first: $f, last: $l) { nodes { name } } } }`, nil,
			"query Q: 3 rounds, 104 rows, 101 objects"},
		{"an open page from the end", `query Q($l: Int!) { user(username: "LiLei") { followers(last: $l) { nodes { name } } } }`, nil,
			"query Q: 3 rounds, 104 rows, 101 objects"},
		{"a fixed page and an open one that can't be passed",
			`query Q($l: Int) { user(username: "LiLei") { followers(first: 5, last: $l) { nodes { name } } } }`, nil,
			"query Q: 2 rounds, 6 rows, 6 objects"},
		{"open conditions include their fields",
			`query Q($a: Boolean!) { user(username: "x") { name @skip(if: $a) ...F @include(if: $a) ... @skip(if: $a) { followers(first: 5) { nodes { name } } } } } fragment F on User { following(first: 5) { nodes { name @include(if: $a) } } }`,
			nil, "query Q: 2 rounds, 12 rows, 11 objects"},
		{"given conditions",
			`query Q($a: Boolean!) { user(username: "x") { name followers(first: 5) @include(if: $a) { nodes { name } } } }`,
			map[string]any{"a": false}, "query Q: 1 rounds, 1 rows, 1 objects"},
		{"names that variables leave open differ",
			`query Q($a: String!, $b: String!) { user(username: "x") { a: isFollowing(username: $a) b: isFollowing(username: $b) } }`, nil,
			"query Q: 1 rounds, 5 rows, 1 objects"},
		{"pages whose open sizes may differ",
			`query Q($a: Int, $b: Int) { user(username: "x") { a: followers(first: $a) { pageInfo { endCursor } } b: followers(first: $b) { pageInfo { endCursor } } } }`, nil,
			"query Q: 1 rounds, 2 rows, 201 objects"},
		{"pages with the same open size",
			`query Q($a: Int) { user(username: "x") { a: followers(first: $a) { pageInfo { endCursor } } b: followers(first: $a) { pageInfo { endCursor } } } }`, nil,
			"query Q: 1 rounds, 1 rows, 201 objects"},
		{"an id of any type", `query Q($id: ID!) { node(id: $id) { ... on User { followers(first: 5) { nodes { name } } } } }`, nil,
			"query Q: 4 rounds, 23 rows, 11 objects"},
		{"open days", `query Q($day: Date!) { game(code: "x") { plays(from: $day, to: "1999-12-31") { count } } }`, nil,
			"query Q: 1 rounds, 2 rows, 1 objects"},
		{"a mutation with an open input", `mutation M($in: PostTwitInput!) { postTwit(input: $in) { twit { id } } }`, nil,
			"mutation M: 5 rounds, 8 rows, 1 objects"},
		{"an event of a subscription", `subscription S($u: String!) { twitPosted(username: $u) { author { name } } }`, nil,
			"subscription S: 1 rounds, 1 rows, 2 objects"},
		{"several operations, sorted", `query B { user(username: "x") { name } } query A { __typename }`, nil,
			"query A: 0 rounds, 0 rows, 0 objects\nquery B: 1 rounds, 1 rows, 1 objects"},
		{"an unknown field", `query Q { user(username: "x") { nme } } query R { __typename }`, nil,
			`query Q: 0 rounds, 0 rows, 0 objects; 1:33: Cannot query field "nme" on type "User". Did you mean "name" or "age"?` + "\n" +
				`query R: 0 rounds, 0 rows, 0 objects; 1:33: Cannot query field "nme" on type "User". Did you mean "name" or "age"?`},
		{"no GraphQL", `query {`, nil, ": 0 rounds, 0 rows, 0 objects; 1:8: Expected Name, found <EOF>"},
		{"fragments only", `fragment F on User { name }`, nil,
			`: 0 rounds, 0 rows, 0 objects; The document has no operation.`},
		{"a page that is too large", `query Q { users(first: 101) { nodes { id } } }`, nil,
			"query Q: 0 rounds, 0 rows, 0 objects; 1:11: a page's number of entries is limited to 100, and this is 101"},
		{"more than a limit", `query Q($n: Int) { users(first: $n) { nodes { followers(first: $n) { nodes { followers(first: $n) { nodes { id } } } } } } }`,
			nil, "query Q: 3 rounds, 10201 rows, 1010100 objects; the number of objects that may be returned is limited to 100000, and this is 1010100"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, costs(operations(t, test.document, test.variables))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A condition may skip mutations, so payloads must not share reads with other fields.
func TestConditionsChangeTheOrderOfMutations(t *testing.T) {
	const document = `mutation M($a: Boolean!) {
		... @include(if: $a) { unfollow(input: {username: "x"}) { viewer { viewerFollows } } }
		addComment(input: {twitId: "VWEAYg", content: "x"}) { clientMutationId }
		unfollow(input: {username: "x"}) { viewer { viewerFollows } }
	}`
	open := operations(t, document, nil)[0]
	for _, a := range []bool{false, true} {
		given := operations(t, document, map[string]any{"a": a})[0]
		if given.Rows > open.Rows || given.Rounds > open.Rounds {
			t.Errorf("with $a = %t, the document has %d rows in %d rounds; its bound is %d in %d",
				a, given.Rows, given.Rounds, open.Rows, open.Rounds)
		}
	}
}

func TestADocumentWithSeveralHashesCountsOnce(t *testing.T) {
	const document = "query Q { __typename }"
	all := newChecker(nil).Operations(t.Context(), read(t, map[string]string{
		"b.json": manifest(map[string]string{"md5": document}), "a.graphql": document,
	}))
	if len(all) != 1 || all[0].File != "app/a.graphql" {
		t.Errorf("the operations are %+v", all)
	}
}

func TestReportsDoNotDependOnTheOrderOfFiles(t *testing.T) {
	documents := map[string]string{}
	for i := range 20 {
		name := []string{"A", "B", ""}[i%3]
		documents[fmt.Sprintf("hash%d", i)] = fmt.Sprintf("query %s { user(username: %q) { name%s } }", name, fmt.Sprint(i),
			[]string{"", "", " nothing"}[i%7%3])
	}
	var want string
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 1))
		files := []map[string]string{{}, {}, {}}
		for hash, text := range documents {
			files[random.IntN(3)][hash] = text
			files[random.IntN(3)][hash] = text
		}
		var names []string
		dir := t.TempDir()
		for i, file := range files {
			names = append(names, filepath.Join(dir, fmt.Sprint(i)))
			if err := os.WriteFile(names[i], []byte(manifest(file)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		random.Shuffle(3, func(i, j int) { names[i], names[j] = names[j], names[i] })
		if got := reports(t, dir, names); want == "" {
			want = got
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-first +this):\n%s", seed, diff)
		}
	}
}

func reports(t *testing.T, dir string, files []string) string {
	t.Helper()
	trusted, err := documents.Read(files...)
	if err != nil {
		t.Fatal(err)
	}
	all := newChecker(nil).Operations(t.Context(), trusted)
	r := Compare(all, all[:5], Maximums{"rows": 0})
	var b strings.Builder
	for _, err := range []error{r.Table(&b), r.Markdown(&b), r.JSON(&b)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	text := b.String()
	for i := range files {
		text = strings.ReplaceAll(text, filepath.Join(dir, fmt.Sprint(i)), "FILE")
	}
	return text
}

func generated(n int) map[string]string {
	random := rand.New(rand.NewPCG(1, 2))
	lists := []string{"followers", "following", "twits", "album", "timeline", "likedTwits", "games", "roles"}
	all := map[string]string{}
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, "query Screen%d($username: String!, $count: Int = 20, $cursor: String, $more: Boolean!) {\n"+
			"  user(username: $username) {\n    ...Profile\n", i)
		for j := range 1 + random.IntN(4) {
			fmt.Fprintf(&b, "    list%d: %s(first: $count, after: $cursor) { totalCount nodes { id __typename } "+
				"pageInfo { hasNextPage endCursor } }\n", j, lists[random.IntN(len(lists))])
		}
		fmt.Fprintf(&b, "    followers(first: %d) { edges { cursor node { ...Profile twits(first: %d) @include(if: $more) { "+
			"nodes { id content author { name } comments(first: 3) { nodes { content author { name } } } } } } } }\n  }\n}\n",
			1+random.IntN(20), 1+random.IntN(5))
		b.WriteString("fragment Profile on User { id username name avatarUrl followerCount viewerFollows: isFollowing(username: $username) }\n")
		all[fmt.Sprintf("hash%04d", i)] = b.String()
	}
	return all
}

func TestEachOfAThousandDocumentsIsChecked(t *testing.T) {
	trusted := read(t, map[string]string{"a.json": manifest(generated(1000))})
	begin := time.Now()
	all := newChecker(nil).Operations(t.Context(), trusted)
	t.Logf("1,000 documents were checked in %s", time.Since(begin).Round(time.Millisecond))
	if len(all) != 1000 {
		t.Errorf("there are %d operations", len(all))
	}
	for _, o := range all {
		if len(o.Rejected) > 0 || o.Rows == 0 {
			t.Fatalf("%s: %d rows; %v", o.Name, o.Rows, o.Rejected)
		}
	}
}

func BenchmarkThousandDocuments(b *testing.B) {
	trusted := read(b, map[string]string{"a.json": manifest(generated(1000))})
	for b.Loop() {
		newChecker(nil).Operations(b.Context(), trusted)
	}
}
