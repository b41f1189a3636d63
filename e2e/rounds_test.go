package e2e

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"twibase/graph/auth"
	costs "twibase/graph/report"
	"twibase/hbase/tables"
)

// The further rounds of docs/EXPLAIN.md, "How many rounds". C is the cursor of a list's first
// entry.
func TestRootsAndCursorsTakeTheirDocumentedRounds(t *testing.T) {
	const twit = `"VEx1Y3kAf__-ahlKpH9sdWN5LTM"`
	handler := newExplainHandler(sampleStore(t), tables.ListBound)
	for _, test := range []struct {
		query                string
		hops                 int64
		further, withViewers int64
	}{
		{`users{nodes{name}}`, 0, 0, 0},
		{`users{nodes{followers{nodes{name}}}}`, 1, 1, 1},
		{`topDepartments{nodes{name}}`, 0, 1, 1},
		{`twit(id:` + twit + `){content}`, 0, 2, 3},
		{`node(id:` + twit + `){id}`, 0, 2, 3},
		{`nodes(ids:[` + twit + `]){id}`, 0, 2, 3},
		{`user(username:"LiLei"){twitCount}`, 0, 0, 1},
		{`user(username:"LiLei"){twits{nodes{id}}}`, 1, 0, 1},
		{`user(username:"LiLei"){twits(after:"C"){nodes{id}}}`, 1, 2, 3},
		{`user(username:"LiLei"){twits(until:"2024-01-01T00:00:00Z"){nodes{id}}}`, 1, 2, 3},
		{`user(username:"LiLei"){twits(last:5){nodes{id}}}`, 1, 1, 2},
		{`user(username:"LiLei"){twits(orderBy:OLDEST_FIRST){nodes{id}}}`, 1, 1, 2},
		{`user(username:"LiLei"){twits(last:5,before:"C"){nodes{id}}}`, 1, 4, 5},
		{`user(username:"LiLei"){twits(orderBy:OLDEST_FIRST,since:"2024-01-01T00:00:00Z"){nodes{id}}}`, 1, 4, 5},
		{`user(username:"LiLei"){twits(last:5,since:"2024-01-01T00:00:00Z"){nodes{id}}}`, 1, 4, 5},
		{`user(username:"LiLei"){twits{nodes{comments{nodes{twit{content}}}}}}`, 3, 2, 5},
		{`users{nodes{followers{nodes{name}}}}roles{nodes{users{nodes{name}}}}`, 1, 4, 4},
		{`user(username:"LiLei"){timeline{nodes{id}}}`, 1, -1, 11},
		{`user(username:"LiLei"){timeline(after:"C"){nodes{id}}}`, 1, -1, 13},
		{`user(username:"LiLei"){timeline(last:5){nodes{id}}}`, 1, -1, 18},
		{`user(username:"LiLei"){timeline(last:5,before:"C"){nodes{id}}}`, 1, -1, 21},
		{`user(username:"LiLei"){likedTwits{nodes{id}}}`, 1, 6, 8},
		{`user(username:"LiLei"){likedTwits(after:"C"){nodes{id}}}`, 1, 8, 10},
	} {
		query := "{" + test.query + "}"
		if strings.Contains(query, `"C"`) {
			query = strings.ReplaceAll(query, `"C"`, firstCursor(t, handler, query))
		}
		for _, viewer := range []struct {
			auth.Viewer
			further int64
		}{{further: test.further}, {auth.Viewer{Username: "LiLei"}, test.withViewers}} {
			p := planOf(t, handler, request{query: query, viewer: viewer.Viewer})
			if further := p.Rounds - test.hops - 1; further != viewer.further {
				t.Errorf("viewer %q: got %d further rounds, want %d: %s", viewer.Username, further, viewer.further, query)
			}
		}
	}
}

func firstCursor(t *testing.T, handler http.Handler, query string) string {
	t.Helper()
	list := regexp.MustCompile(`^{user\(username:"LiLei"\){(\w+)`).FindStringSubmatch(query)[1]
	_, body, err := request{query: `{user(username:"LiLei"){` + list + `(first:1){pageInfo{endCursor}}}}`,
		viewer: auth.Viewer{Username: "LiLei"}}.costs(handler, costs.Header)
	cursor := regexp.MustCompile(`"endCursor":("[^"]+")`).FindSubmatch(body)
	if err != nil || cursor == nil {
		t.Fatal(err, string(body))
	}
	return string(cursor[1])
}
