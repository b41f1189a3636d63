package e2e

import (
	"cmp"
	"slices"
	"testing"

	"twibase/e2e/oracle"
	"twibase/transfer"
)

// inquiry is a query and those who ask it.
type inquiry struct {
	name      string
	query     string
	variables map[string]any
	viewers   []oracle.Viewer // the stranger if there are none
	// paged leads to the connection that is followed to its end; the query has a variable $cursor then. Backward follows it from the
	// end to its beginning.
	paged    []any
	backward bool
}

const person = `fragment Person on User { id username name followerCount followingCount twitCount }`

const post = `fragment Post on Twit { id title content photoUrls visibility postedAt commentCount author { id username } }`

// twelve are the questions that every data set is asked, about those of whom it has most to say.
func twelve(w *world) []inquiry {
	m := w.oracle.Model
	hub := greatest(m.Users, func(u *oracle.User) int { return len(u.Followers()) })
	poster := greatest(m.Users, func(u *oracle.User) int { return len(u.Twits()) })
	reader := greatest(m.Users, func(u *oracle.User) int { return min(len(u.Timeline()), 500) })
	department := greatest(m.Departments, func(d *oracle.Department) int { return len(d.Descendants()) })
	holder := greatest(m.Users, func(u *oracle.User) int { return len(u.Roles()) })
	role := greatest(m.Roles, func(r *oracle.Role) int { return len(r.Users()) })
	player := greatest(m.Users, func(u *oracle.User) int { return len(u.Games()) })
	game := greatest(m.Games, func(g *oracle.Game) int { return len(g.Players()) })
	twit := greatest(m.Twits, func(t *oracle.Twit) int { return len(t.Comments) })
	commenter := twit.Comments[0].Author
	return []inquiry{
		{name: "1 two levels of followers with their twits", variables: map[string]any{"u": poster.Username},
			query: `query($u:String!) { user(username:$u) { ...Person isFollowing(username:"` + hub.Username + `")
				followers(first:10) { totalCount edges { cursor followedAt node { ...Person
					followers(first:10) { nodes { ...Person twits(first:3) { totalCount nodes { ...Post } } } pageInfo { hasNextPage endCursor } } } } } } }` + person + post},
		{name: "2 all followers, forwards", variables: map[string]any{"u": hub.Username}, paged: []any{"user", "followers"},
			query: `query($u:String!,$cursor:String) { user(username:$u) { followers(first:100,after:$cursor) { totalCount nodes { ...Person }
				pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }` + person},
		{name: "3 all followers, backwards", variables: map[string]any{"u": hub.Username}, paged: []any{"user", "followers"}, backward: true,
			query: `query($u:String!,$cursor:String) { user(username:$u) { followers(last:100,before:$cursor) { edges { cursor followedAt node { username } }
				pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`},
		{name: "4 a department's subtree with parents, roles and people", variables: map[string]any{"d": department.Code}, paged: []any{"department", "descendants"},
			query: `query($d:String!,$cursor:String) { department(code:$d) { id code name parent { code } ancestors { code } roles { nodes { ...Holders } }
				subDepartments(first:5) { totalCount nodes { name } }
				descendants(first:30,after:$cursor) { edges { depth cursor node { id code name parent { code name } ancestors { name } roles(first:5) { nodes { ...Holders } } } }
					pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }
				fragment Holders on Role { code name userCount users(first:10) { totalCount nodes { username name } } }`},
		{name: "5 roles from both sides", variables: map[string]any{"u": holder.Username, "r": role.Code}, paged: []any{"role", "users"},
			query: `query($u:String!,$r:String!,$cursor:String) { user(username:$u) { hasRole(code:$r) no:hasRole(code:"no such role")
					roles(first:100) { totalCount nodes { id code name userCount department { code ancestors { code } } users(first:5) { nodes { username hasRole(code:$r) } } } } }
				role(code:$r) { id name department { name } users(first:100,after:$cursor) { totalCount nodes { username roles(first:3) { nodes { code } } } pageInfo { hasNextPage endCursor } } } }`},
		{name: "6 games from both sides", variables: map[string]any{"u": player.Username, "g": game.Code}, paged: []any{"game", "players"},
			query: `query($u:String!,$g:String!,$cursor:String) { user(username:$u) { hasPlayed(code:$g) no:hasPlayed(code:"no such game")
					games(first:50) { totalCount edges { day count node { id code name isPlayed playerCount players(first:3) { nodes { username hasPlayed(code:$g) } } } } } }
				game(code:$g) { name isPlayed playerCount plays(from:"1970-01-01",to:"9999-12-31") { day count } some:plays(from:"2014-12-10",to:"2014-12-12") { day count }
					players(first:100,after:$cursor) { totalCount nodes { username } pageInfo { hasNextPage endCursor } } } }`},
		{name: "7 an album", variables: map[string]any{"u": poster.Username}, viewers: beholders(m, poster), paged: []any{"user", "album"},
			query: `query($u:String!,$cursor:String) { user(username:$u) { email viewerFollows twitCount
				album(first:5,after:$cursor) { totalCount edges { cursor node { ...Post } } pageInfo { hasNextPage endCursor } } } }` + post},
		{name: "8 a timeline", variables: map[string]any{"u": reader.Username}, viewers: beholders(m, reader), paged: []any{"user", "timeline"},
			query: `query($u:String!,$cursor:String) { user(username:$u) { username
				timeline(first:50,after:$cursor) { totalCount edges { cursor node { ...Post } } pageInfo { hasNextPage endCursor } } } viewer { username } }` + post},
		{name: "9 a comment thread", viewers: slices.Concat(beholders(m, commenter), []oracle.Viewer{as(twit.Author.Username)}),
			variables: map[string]any{"id": oracle.Ref{Kind: "id", Owner: "Twit", Key: twit.ID}}, paged: []any{"twit", "comments"},
			query: `query($id:ID!,$cursor:String) { twit(id:$id) { ...Post comments(first:100,after:$cursor) { totalCount
				nodes { id content postedAt author { username viewerFollows } twit { id } } pageInfo { hasNextPage hasPreviousPage endCursor } } } }` + post},
		{name: "12 the reference query",
			query: `{users(first:20){nodes{id name followers(first:20){nodes{id name twits(first:3){nodes{id content}}}}}}}`},
		{name: "12 the same of one who has many followers", variables: map[string]any{"u": hub.Username},
			query: `query($u:String!){user(username:$u){username name followers(first:20){username:nodes{username name followers(first:20){nodes{username name twits(first:3){nodes{id content}}}}}}}}`},
	}
}

// greatest is the thing that has most, the first of them by its key.
func greatest[T any](things map[string]T, size func(T) int) (best T) {
	most := -1
	for _, key := range sortedKeys(things) {
		if n := size(things[key]); n > most {
			best, most = things[key], n
		}
	}
	return best
}

func sortedKeys[T any](things map[string]T) []string {
	keys := make([]string, 0, len(things))
	for key := range things {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, cmp.Compare[string])
	return keys
}

// beholders are the user, a follower, somebody who is none, a stranger, and an administrator.
func beholders(m *oracle.Model, user *oracle.User) []oracle.Viewer {
	all := []oracle.Viewer{as(user.Username), stranger, root}
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

func TestNestedQueries(t *testing.T) {
	w := newWorld(t, given(t), transfer.Options{})
	w.introduce(t)
	for _, q := range twelve(w) {
		viewers := q.viewers
		if viewers == nil {
			viewers = []oracle.Viewer{stranger}
		}
		t.Run(q.name, func(t *testing.T) {
			for _, viewer := range viewers {
				w.follow(t, viewer, q)
			}
		})
	}
	t.Run("10 every noun by its id", w.byID)
	t.Run("11 all things of a noun, each once, both ways", w.wholeRoots)
	w.onBothEngines(t)
}

// follow asks the inquiry and, if it has pages, all of them.
func (w *world) follow(t *testing.T, viewer oracle.Viewer, q inquiry) {
	t.Helper()
	variables := map[string]any{}
	for name, value := range q.variables {
		variables[name] = value
	}
	if q.paged == nil {
		w.check(t, viewer, q.query, variables)
		return
	}
	more, cursor := "hasNextPage", "endCursor"
	if q.backward {
		more, cursor = "hasPreviousPage", "startCursor"
	}
	variables["cursor"] = nil
	for {
		want, got := w.check(t, viewer, q.query, variables)
		info := slices.Concat(q.paged, []any{"pageInfo"})
		if oracle.Get(oracle.Get(got, info...), more) != true {
			return
		}
		variables["cursor"] = oracle.Get(oracle.Get(want, info...), cursor)
	}
}
