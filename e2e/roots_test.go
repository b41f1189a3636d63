package e2e

import (
	"fmt"
	"strings"
	"testing"

	"twibase/e2e/oracle"
)

// introduce asks for what the inquiries name by its id.
func (w *world) introduce(t *testing.T) {
	t.Helper()
	twit := greatest(w.oracle.Twits, func(t *oracle.Twit) int { return len(t.Comments) })
	w.follow(t, root, inquiry{variables: map[string]any{"u": twit.Author.Username}, paged: []any{"user", "twits"},
		query: `query($u:String!,$cursor:String){user(username:$u){twits(first:100,after:$cursor){nodes{id} pageInfo{hasNextPage endCursor}}}}`})
}

// things is what is asked of anything that an id names.
const things = `{__typename id ...on User{username name} ...on Role{code name} ...on Department{code name} ...on Game{code name}
	...on Twit{content author{username}} ...on Comment{content author{username} twit{id}}}`

// byID asks for things of every noun by ids that earlier answers had, for a stranger and for one who may see all.
func (w *world) byID(t *testing.T) {
	nouns := map[string]int{}
	var ids []any
	for _, ref := range w.opaque.Seen["id"] {
		if nouns[ref.Owner]++; nouns[ref.Owner] <= 14 {
			ids = append(ids, ref)
		}
	}
	for _, noun := range []string{"User", "Role", "Department", "Game", "Twit", "Comment"} {
		if nouns[noun] == 0 {
			t.Errorf("no answer before had an id of noun %s", noun)
		}
	}
	ids = append(ids, "", "?", "malformed", "VQ", strings.Repeat("A", 512))
	for _, viewer := range []oracle.Viewer{stranger, root} {
		w.check(t, viewer, `query($ids:[ID!]!){nodes(ids:$ids)`+things+`}`, map[string]any{"ids": ids})
		for _, id := range ids[len(ids)-8:] {
			w.check(t, viewer, `query($id:ID!){node(id:$id)`+things+` twit(id:$id){id content}}`, map[string]any{"id": id})
		}
	}
}

// wholeRoots follows the lists of all things of a noun to their ends. That nothing is missing or there twice was seen when the oracle was
// told the order.
func (w *world) wholeRoots(t *testing.T) {
	for _, field := range []string{"users", "roles", "games", "topDepartments"} {
		for _, size := range []int{100, 37} {
			w.follow(t, stranger, inquiry{paged: []any{field}, query: fmt.Sprintf(
				`query($cursor:String){%s(first:%d,after:$cursor){totalCount edges{cursor node{id name}} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}`, field, size)})
			if field == "topDepartments" && w.options.ListBound > 0 {
				continue // a page from the end is short at the edge of a bucket: the oracle knows no buckets
			}
			w.follow(t, stranger, inquiry{paged: []any{field}, backward: true, query: fmt.Sprintf(
				`query($cursor:String){%s(last:%d,before:$cursor){nodes{id} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}`, field, size)})
		}
	}
}
