package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"twibase/e2e/oracle"
	"twibase/transfer"
)

type testQuery struct {
	name      string
	query     string
	variables map[string]any
	viewers   []oracle.Viewer
	// connection is the path of a connection that is read to its end, or its start if backward is
	// set, by the variable $cursor.
	connection []any
	backward   bool
}

const person = `fragment Person on User { id username name followerCount followingCount twitCount }`

const post = `fragment Post on Twit { id title content photoUrls visibility postedAt commentCount author { id username } }`

func exampleQueries(f *fixture) []testQuery {
	m := f.oracle.Model
	hub := largest(m.Users, func(u *oracle.User) int { return len(u.Followers()) })
	poster := largest(m.Users, func(u *oracle.User) int { return len(u.Twits()) })
	reader := largest(m.Users, func(u *oracle.User) int { return min(len(u.Timeline()), 500) })
	department := largest(m.Departments, func(d *oracle.Department) int { return len(d.Descendants()) })
	holder := largest(m.Users, func(u *oracle.User) int { return len(u.Roles()) })
	role := largest(m.Roles, func(r *oracle.Role) int { return len(r.Users()) })
	player := largest(m.Users, func(u *oracle.User) int { return len(u.Games()) })
	game := largest(m.Games, func(g *oracle.Game) int { return len(g.Players()) })
	twit := largest(m.Twits, func(t *oracle.Twit) int { return len(t.Comments) })
	commenter := twit.Comments[0].Author
	return []testQuery{
		{name: "1 two levels of followers with their twits", variables: map[string]any{"u": poster.Username},
			query: `query($u:String!) { user(username:$u) { ...Person isFollowing(username:"` + hub.Username + `")
				followers(first:10) { totalCount edges { cursor followedAt node { ...Person
					followers(first:10) { nodes { ...Person twits(first:3) { totalCount nodes { ...Post } } } pageInfo { hasNextPage endCursor } } } } } } }` + person + post},
		{name: "2 all followers, forwards", variables: map[string]any{"u": hub.Username},
			connection: []any{"user", "followers"},
			query: `query($u:String!,$cursor:String) { user(username:$u) { followers(first:100,after:$cursor) { totalCount nodes { ...Person }
				pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }` + person},
		{name: "3 all followers, backwards", variables: map[string]any{"u": hub.Username},
			connection: []any{"user", "followers"}, backward: true,
			query: `query($u:String!,$cursor:String) { user(username:$u) { followers(last:100,before:$cursor) { edges { cursor followedAt node { username } }
				pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`},
		{name: "4 a department's subtree with parents, roles and people", variables: map[string]any{"d": department.Code},
			connection: []any{"department", "descendants"},
			query: `query($d:String!,$cursor:String) { department(code:$d) { id code name parent { code } ancestors { code } roles { nodes { ...Holders } }
				subDepartments(first:5) { totalCount nodes { name } }
				descendants(first:30,after:$cursor) { edges { depth cursor node { id code name parent { code name } ancestors { name } roles(first:5) { nodes { ...Holders } } } }
					pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }
				fragment Holders on Role { code name userCount users(first:10) { totalCount nodes { username name } } }`},
		{name: "5 roles from both sides", variables: map[string]any{"u": holder.Username, "r": role.Code},
			connection: []any{"role", "users"},
			query: `query($u:String!,$r:String!,$cursor:String) { user(username:$u) { hasRole(code:$r) no:hasRole(code:"no such role")
					roles(first:100) { totalCount nodes { id code name userCount department { code ancestors { code } } users(first:5) { nodes { username hasRole(code:$r) } } } } }
				role(code:$r) { id name department { name } users(first:100,after:$cursor) { totalCount nodes { username roles(first:3) { nodes { code } } } pageInfo { hasNextPage endCursor } } } }`},
		{name: "6 games from both sides", variables: map[string]any{"u": player.Username, "g": game.Code},
			connection: []any{"game", "players"},
			query: `query($u:String!,$g:String!,$cursor:String) { user(username:$u) { hasPlayed(code:$g) no:hasPlayed(code:"no such game")
					games(first:50) { totalCount edges { day count node { id code name isPlayed playerCount players(first:3) { nodes { username hasPlayed(code:$g) } } } } } }
				game(code:$g) { name isPlayed playerCount plays(from:"1970-01-01",to:"9999-12-31") { day count } some:plays(from:"2014-12-10",to:"2014-12-12") { day count }
					players(first:100,after:$cursor) { totalCount nodes { username } pageInfo { hasNextPage endCursor } } } }`},
		{name: "7 an album", variables: map[string]any{"u": poster.Username}, viewers: viewersOf(m, poster),
			connection: []any{"user", "album"},
			query: `query($u:String!,$cursor:String) { user(username:$u) { email viewerFollows twitCount
				album(first:5,after:$cursor) { totalCount edges { cursor node { ...Post } } pageInfo { hasNextPage endCursor } } } }` + post},
		{name: "8 a timeline", variables: map[string]any{"u": reader.Username}, viewers: viewersOf(m, reader),
			connection: []any{"user", "timeline"},
			query: `query($u:String!,$cursor:String) { user(username:$u) { username
				timeline(first:50,after:$cursor) { totalCount edges { cursor node { ...Post } } pageInfo { hasNextPage endCursor } } } viewer { username } }` + post},
		{name: "9 a comment thread", viewers: slices.Concat(viewersOf(m, commenter),
			[]oracle.Viewer{as(twit.Author.Username)}),
			variables:  map[string]any{"id": oracle.Ref{Kind: "id", Owner: "Twit", Key: twit.ID}},
			connection: []any{"twit", "comments"},
			query: `query($id:ID!,$cursor:String) { twit(id:$id) { ...Post comments(first:100,after:$cursor) { totalCount
				nodes { id content postedAt author { username viewerFollows } twit { id } } pageInfo { hasNextPage hasPreviousPage endCursor } } } }` + post},
		{name: "12 the reference query",
			query: `{users(first:20){nodes{id name followers(first:20){nodes{id name twits(first:3){nodes{id content}}}}}}}`},
		{name: "12 the reference query of a user with many followers", variables: map[string]any{"u": hub.Username},
			query: `query($u:String!){user(username:$u){username name followers(first:20){username:nodes{username name followers(first:20){nodes{username name twits(first:3){nodes{id content}}}}}}}}`},
	}
}

func largest[T any](objects map[string]T, size func(T) int) (best T) {
	most := -1
	for _, key := range sortedKeys(objects) {
		if n := size(objects[key]); n > most {
			best, most = objects[key], n
		}
	}
	return best
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

func viewersOf(m *oracle.Model, user *oracle.User) []oracle.Viewer {
	all := []oracle.Viewer{as(user.Username), unauthenticated, root}
	if followers := user.Followers(); len(followers) > 0 {
		all = append(all, as(followers[len(followers)/2]))
	}
	for _, name := range sortedKeys(m.Users) {
		if name != user.Username && !m.Follows(name, user.Username) {
			return append(all, as(name))
		}
	}
	return all
}

func TestNestedQueriesMatchTheOracle(t *testing.T) {
	f := newFixture(t, dataFolder(t), transfer.Options{})
	f.learnExampleIDs(t)
	for _, q := range exampleQueries(f) {
		viewers := q.viewers
		if viewers == nil {
			viewers = []oracle.Viewer{unauthenticated}
		}
		t.Run(q.name, func(t *testing.T) {
			for _, viewer := range viewers {
				f.follow(t, viewer, q)
			}
		})
	}
	t.Run("10 objects of every noun by id", f.checkNodes)
	t.Run("11 root lists in both directions", f.checkRootLists)
	f.compareEngines(t)
}

func (f *fixture) follow(t *testing.T, viewer oracle.Viewer, q testQuery) {
	t.Helper()
	variables := map[string]any{}
	for name, value := range q.variables {
		variables[name] = value
	}
	if q.connection == nil {
		f.check(t, viewer, q.query, variables)
		return
	}
	more, cursor := "hasNextPage", "endCursor"
	if q.backward {
		more, cursor = "hasPreviousPage", "startCursor"
	}
	variables["cursor"] = nil
	for {
		want, got := f.check(t, viewer, q.query, variables)
		info := slices.Concat(q.connection, []any{"pageInfo"})
		if oracle.Get(oracle.Get(got, info...), more) != true {
			return
		}
		variables["cursor"] = oracle.Get(oracle.Get(want, info...), cursor)
	}
}

func (f *fixture) learnExampleIDs(t *testing.T) {
	t.Helper()
	twit := largest(f.oracle.Twits, func(t *oracle.Twit) int { return len(t.Comments) })
	f.follow(t, root, testQuery{variables: map[string]any{"u": twit.Author.Username}, connection: []any{"user", "twits"},
		query: `query($u:String!,$cursor:String){user(username:$u){twits(first:100,after:$cursor){nodes{id} pageInfo{hasNextPage endCursor}}}}`})
}

const nodeSelection = `{__typename id ...on User{username name} ...on Role{code name} ...on Department{code name} ...on Game{code name}
	...on Twit{content author{username}} ...on Comment{content author{username} twit{id}}}`

func (f *fixture) checkNodes(t *testing.T) {
	nouns := map[string]int{}
	var ids []any
	for _, ref := range f.opaque.Seen["id"] {
		if nouns[ref.Owner]++; nouns[ref.Owner] <= 14 {
			ids = append(ids, ref)
		}
	}
	for _, noun := range []string{"User", "Role", "Department", "Game", "Twit", "Comment"} {
		if nouns[noun] == 0 {
			t.Errorf("no earlier response had an id of a %s", noun)
		}
	}
	ids = append(ids, "", "?", "malformed", "VQ", strings.Repeat("A", 512))
	for _, viewer := range []oracle.Viewer{unauthenticated, root} {
		f.check(t, viewer, `query($ids:[ID!]!){nodes(ids:$ids)`+nodeSelection+`}`, map[string]any{"ids": ids})
		for _, id := range ids[len(ids)-8:] {
			f.check(t, viewer, `query($id:ID!){node(id:$id)`+nodeSelection+` twit(id:$id){id content}}`,
				map[string]any{"id": id})
		}
	}
}

// [fixture.learnRoots] has checked that each object occurs once.
func (f *fixture) checkRootLists(t *testing.T) {
	for _, field := range []string{"users", "roles", "games", "topDepartments"} {
		for _, size := range []int{100, 37} {
			f.follow(t, unauthenticated, testQuery{connection: []any{field}, query: fmt.Sprintf(
				`query($cursor:String){%s(first:%d,after:$cursor){totalCount edges{cursor node{id name}} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}`, field, size)})
			if field == "topDepartments" && f.options.ListBound > 0 {
				continue // the oracle does not know where a bucket ends, and shortens a page from the end
			}
			f.follow(t, unauthenticated, testQuery{connection: []any{field}, backward: true, query: fmt.Sprintf(
				`query($cursor:String){%s(last:%d,before:$cursor){nodes{id} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}`, field, size)})
		}
	}
}
