package budget

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const (
	before = `query Home { user(username: "x") { followers(first: 20) { nodes { name twits(first: 3) { nodes { id } } } } } }`
	after  = `query Home { user(username: "x") { followers(first: 60) { nodes { name twits(first: 3) { nodes { id } }
		following(first: 2) { nodes { name } } } } } }`
)

func TestReportComparesWithItsBaseline(t *testing.T) {
	checker := newChecker(nil)
	baseline := checker.Operations(t.Context(), read(t, map[string]string{"home.graphql": before,
		"old.graphql": "query Old { __typename }", "same.graphql": "query Same { __typename }",
		"less.graphql": `query Less { users(first: 9) { nodes { id } } }`}))
	now := checker.Operations(t.Context(), read(t, map[string]string{"home.graphql": after,
		"bad.graphql": "query Bad { nothing }", "same.graphql": "query Same { __typename }",
		"less.graphql": `query Less { users(first: 2) { nodes { id } } }`,
		"new.graphql":  `query New { user(username: "x") { name } }`}))
	for _, test := range []struct {
		name, want string
		report     *Report
		write      func(*Report, *strings.Builder) error
	}{
		{"a table with a baseline", `operation    rounds     RPCs        rows     objects
query Bad         —        —           —           —
query Home        4   5 (+1)  364 (+300)  361 (+280)
query Less        1        1      3 (−7)      2 (−7)
query New   1 (new)  1 (new)     1 (new)     1 (new)
query Same        0        0           0           0

2 of 5 operations are rejected, or cost more than allowed
Old was removed since the baseline

Bad of app/bad.graphql is rejected
  1:13: Cannot query field "nothing" on type "Query".

Home of app/home.graphql costs more than allowed
  RPCs ≤ 5, was ≤ 4
  rows ≤ 364, was ≤ 64
  Home.user.followers: objects ≤ 60, was ≤ 20
  Home.user.followers.nodes.twits: rows ≤ 183, was ≤ 63
  Home.user.followers.nodes.following: rows ≤ 180, new
`, Compare(now, baseline, nil), func(r *Report, b *strings.Builder) error { return r.Table(b) }},
		{"Markdown with a baseline and a maximum", `### Cost of GraphQL operations

**2 of 5 operations are rejected, or cost more than allowed.**

- ¬Bad¬ of ¬app/bad.graphql¬ is rejected
  - ¬1:13: Cannot query field "nothing" on type "Query".¬

- ¬Home¬ of ¬app/home.graphql¬ costs more than allowed
  - rows ≤ 364, was ≤ 64, allowed ≤ 200
  - ¬Home.user.followers¬: objects ≤ 60, was ≤ 20
  - ¬Home.user.followers.nodes.twits¬: rows ≤ 183, was ≤ 63
  - ¬Home.user.followers.nodes.following¬: rows ≤ 180, new

| operation | rounds | RPCs | rows | objects |
|---|--:|--:|--:|--:|
| ¬Bad¬ | — | — | — | — |
| ¬Home¬ | 4 | 5 (+1) | 364 (+300) | 361 (+280) |
| ¬Less¬ | 1 | 1 | 3 (−7) | 2 (−7) |
| ¬New¬ | 1 (new) | 1 (new) | 1 (new) | 1 (new) |

1 operation unchanged, 1 operation removed.

Upper bounds for one execution. Variables without a fixed value count with their most expensive value.
`, Compare(now, baseline, Maximums{"rows": 200}), func(r *Report, b *strings.Builder) error { return r.Markdown(b) }},
		{"a table with a maximum", `operation   rounds  RPCs  rows  objects
query Home       4     5   364      361

1 of 1 operation is rejected, or costs more than allowed

Home of app/home.graphql costs more than allowed
  rows ≤ 364, allowed ≤ 300
  Home.user.followers: rows ≤ 1
  Home.user.followers.nodes.twits: rows ≤ 183
  Home.user.followers.nodes.following: rows ≤ 180
`, Compare(now[1:2], nil, Maximums{"rows": 300}), func(r *Report, b *strings.Builder) error { return r.Table(b) }},
		{"Markdown of operations within limits", `### Cost of GraphQL operations

**1 operation: valid and within limits.**

| operation | rounds | RPCs | rows | objects |
|---|--:|--:|--:|--:|
| ¬Home¬ | 4 | 5 | 364 | 361 |

Upper bounds for one execution. Variables without a fixed value count with their most expensive value.
`, Compare(now[1:2], nil, nil), func(r *Report, b *strings.Builder) error { return r.Markdown(b) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			if err := test.write(test.report, &b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(test.want, "¬", "`"), b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReportNamesTheCausesOfLargerFigures(t *testing.T) {
	for _, test := range []struct {
		name, before, after string
		want                string
	}{
		{"a cursor takes more rounds", `query Q { user(username: "x") { followers(first: 5) { nodes { name } } } }`,
			`query Q($c: String) { user(username: "x") { followers(first: 5, after: $c) { nodes { name } } } }`,
			"rounds ≤ 3, was ≤ 2\nRPCs ≤ 3, was ≤ 2\nrows ≤ 10, was ≤ 6\n" +
				"Q.user: rows ≤ 1, was ≤ 0\nQ.user.followers: rows ≤ 9, was ≤ 6; rounds ≤ 3, was ≤ 2"},
		{"arguments that bound nothing", `query Q { department(code: "x") { descendants(first: 5) { nodes { name } } } }`,
			`query Q { department(code: "x") { descendants(last: 5) { nodes { name } } } }`,
			"rounds ≤ 65, was ≤ 7\nRPCs ≤ 68, was ≤ 7\nrows ≤ 1,006, was ≤ 11\n" +
				"Q.department.descendants: rows ≤ 1,006, was ≤ 11; rounds ≤ 65, was ≤ 7, " +
				"an assumption: all levels of the subtree are read down to the page"},
		{"nine new fields: the eight with the most rows",
			`query Q { __typename }`, `query Q { a: user(username: "a") { name } ` + aliases(8) + `}`,
			"rounds ≤ 2, was ≤ 0\nRPCs ≤ 2, was ≤ 0\nrows ≤ 41, was ≤ 0\n" + lines(8) + "\nand 9 further fields"},
		{"a document without a name", `{ __typename }`, `{ user(username: "x") { name } }`,
			"rounds ≤ 1, was ≤ 0\nRPCs ≤ 1, was ≤ 0\nrows ≤ 1, was ≤ 0\nuser: rows ≤ 1; rounds ≤ 1, new"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := Compare(operations(t, test.after, nil), operations(t, test.before, nil), nil)
			got := strings.Join(r.Operations[0].reasons(func(s string) string { return s }), "\n")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, got)
			}
		})
	}
}

func aliases(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("u%d: user(username: \"%d\") { followers(first: 4) { nodes { name } } } ", i, i)
	}
	return text
}

func lines(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("Q.u%d.followers: rows ≤ 5; rounds ≤ 2, new", i))
	}
	return strings.Join(all, "\n")
}

func TestBaselineIsJSONOfAReport(t *testing.T) {
	all := operations(t, before, nil)
	var b strings.Builder
	if err := Compare(all, operations(t, after, nil), Maximums{"rows": 1}).JSON(&b); err != nil {
		t.Fatal(err)
	}
	got, err := ReadBaseline([]byte(b.String()))
	if diff := cmp.Diff(all, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, text := range []string{"", "{}", `{"operations":null}`, `{"operations":1}`, `[]`} {
		if got, err := ReadBaseline([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
	if got, err := ReadBaseline([]byte(`{"operations":[]}`)); err != nil || got == nil {
		t.Errorf("an empty baseline is read as %v, %v", got, err)
	}
}

func TestMarkdownFitsIntoAComment(t *testing.T) {
	many := map[string]string{}
	for i := range 2000 {
		many[fmt.Sprint(i)] = fmt.Sprintf("query ANameOfUsualLength%d { nothing user(username: \"|`@everyone\") { name } }", i)
	}
	all := newChecker(nil).Operations(t.Context(), read(t, map[string]string{"a.json": manifest(many)}))
	var b strings.Builder
	if err := Compare(all, nil, nil).Markdown(&b); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 65_536 || b.Len() < 50_000 || !strings.Contains(b.String(), " not listed.\n") {
		t.Errorf("the comment has %d bytes, and ends with %q", b.Len(), b.String()[b.Len()-200:])
	}
}

func TestCodeIsOneCell(t *testing.T) {
	if got, want := code("a`|\n@b"), "`a'\\| @b`"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestJSONHasCostsAndExceededFigures(t *testing.T) {
	var b strings.Builder
	if err := Compare(operations(t, `query Q { user(username: "x") { name } }`, nil), nil, Maximums{"rows": 0}).JSON(&b); err != nil {
		t.Fatal(err)
	}
	var compact strings.Builder
	for line := range strings.Lines(b.String()) {
		compact.WriteString(strings.TrimSpace(line))
	}
	const want = `{"operations": [{"name": "Q","kind": "query","hash": "1","file": "app/a.json",` +
		`"rounds": 1,"rpcs": 1,"gets": 1,"scans": 0,"rows": 1,"objects": 1,"resolved": 1,` +
		`"fields": [{"path": "user","round": 1,"rows": 1,"objects": 1}],` +
		`"exceeds": [{"figure": "rows","bound": 1,"most": 0}]}]}`
	if diff := cmp.Diff(want, compact.String()); diff != "" || !json.Valid([]byte(b.String())) {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
