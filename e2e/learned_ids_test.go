package e2e

import (
	"fmt"
	"testing"

	"twibase/e2e/oracle"
)

func sprint(values ...any) string { return fmt.Sprint(values...) }

// The query has a variable $cursor.
func (g *gateway) pages(t testing.TB, query string, variables map[string]any, path []any, each func(connection any)) {
	t.Helper()
	all := map[string]any{"cursor": nil}
	for name, value := range variables {
		all[name] = value
	}
	for range 10_000 {
		got, err := decodeAnswer(g.ask(t, query, all, root))
		if err != nil || got.Errors != nil {
			t.Fatal(query, err, got.Errors)
		}
		connection := oracle.Get(got.Data, path...)
		each(connection)
		if oracle.Get(connection, "pageInfo", "hasNextPage") != true {
			return
		}
		all["cursor"] = oracle.Get(connection, "pageInfo", "endCursor")
	}
	t.Fatal("more than 10,000 pages: ", query)
}

func (f *fixture) learnRoots(t testing.TB) {
	t.Helper()
	for _, noun := range []struct{ name, field, key string }{
		{"User", "users", "username"},
		{"Role", "roles", "code"},
		{"Game", "games", "code"},
	} {
		var keys []string
		query := fmt.Sprintf(`query($cursor:String){%s(first:100,after:$cursor){nodes{%s} pageInfo{hasNextPage endCursor}}}`,
			noun.field, noun.key)
		f.pages(t, query, nil, []any{noun.field}, func(connection any) {
			for _, node := range oracle.Get(connection, "nodes").(oracle.List) {
				keys = append(keys, oracle.Get(node, noun.key).(string))
			}
		})
		if err := f.oracle.LearnRoot(noun.name, keys); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *fixture) learnComments(t testing.TB) {
	t.Helper()
	for _, twit := range f.oracle.Ambiguous() {
		id := f.twitID(t, twit)
		var contents []string
		f.pages(t, `query($id:ID!,$cursor:String){twit(id:$id){comments(first:100,after:$cursor){nodes{content} pageInfo{hasNextPage endCursor}}}}`,
			map[string]any{"id": id}, []any{"twit", "comments"}, func(connection any) {
				for _, node := range oracle.Get(connection, "nodes").(oracle.List) {
					contents = append(contents, oracle.Get(node, "content").(string))
				}
			})
		if err := f.oracle.LearnComments(twit.ID, contents); err != nil {
			t.Fatal(err)
		}
	}
}

func (g *gateway) twitID(t testing.TB, twit *oracle.Twit) (id string) {
	t.Helper()
	at := -1
	for i, other := range twit.Author.Twits() {
		if other == twit {
			at = i
		}
	}
	n := 0
	g.pages(t, `query($username:String!,$cursor:String){user(username:$username){twits(first:100,after:$cursor){nodes{id} pageInfo{hasNextPage endCursor}}}}`,
		map[string]any{"username": twit.Author.Username}, []any{"user", "twits"}, func(connection any) {
			for _, node := range oracle.Get(connection, "nodes").(oracle.List) {
				if n == at {
					id = oracle.Get(node, "id").(string)
				}
				n++
			}
		})
	if id == "" {
		t.Fatalf("twit %s is missing from the list of %s", twit.ID, twit.Author.Username)
	}
	return id
}
