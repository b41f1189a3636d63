package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/oracle"
	"twibase/hbase/hbasetest"
	"twibase/transfer"
)

func TestHostileArgumentsAreRejectedOrFindNothing(t *testing.T) {
	f := smallFixture(t)
	recorder := hbasetest.NewRecorder(f.store, hbasetest.Names{})
	f.gateway = newGateway("embedded", recorder)
	f.check(t, root, `{users(first:3){edges{cursor}} topDepartments{edges{cursor}} department(code:"ceo"){descendants{edges{cursor}} subDepartments{edges{cursor}}}
		role(code:"developer"){users{edges{cursor}}} game(code:"chess"){players{edges{cursor}}}
		user(username:"小红"){followers{edges{cursor}} following{edges{cursor}} twits{edges{cursor}} album{edges{cursor}} roles{edges{cursor}} games{edges{cursor}}}
		a:user(username:"LiLei"){timeline{edges{cursor}}} twits:user(username:"Lucy"){twits(first:100){nodes{comments{edges{cursor}}}}}}`, nil)

	t.Run("an unknown name is null or false", func(t *testing.T) {
		for _, name := range hostileNames {
			f.check(t, unauthenticated, `query($n:String!){user(username:$n){id} role(code:$n){id} department(code:$n){id} game(code:$n){id}
				u:user(username:"LiLei"){isFollowing(username:$n) hasRole(code:$n) hasPlayed(code:$n)}}`, map[string]any{"n": name})
		}
	})
	t.Run("a malformed id is null without reads", func(t *testing.T) {
		for _, id := range hostileIDs {
			recorder.Reset()
			f.check(t, root, `query($id:ID!){node(id:$id){id}}`, map[string]any{"id": id})
			f.check(t, root, `query($id:ID!){twit(id:$id){id}}`, map[string]any{"id": id})
			f.check(t, root, `query($ids:[ID!]!){nodes(ids:$ids){id}}`, map[string]any{"ids": []any{id}})
			if reads := recorder.Reads(); len(reads) > 0 {
				t.Errorf("the id %q causes the reads %q", id, reads)
			}
		}
	})
	t.Run("a cursor of another kind of list is rejected", func(t *testing.T) {
		for _, list := range []struct{ path, field, kind string }{
			{`user(username:"小红")`, "followers", "User.followers"}, {`user(username:"小红")`, "following", "User.following"},
			{`user(username:"小红")`, "twits", "User.twits"}, {`user(username:"小红")`, "album", "User.album"},
			{`user(username:"小红")`, "roles", "User.roles"},
			{`user(username:"小红")`, "games", "User.games"}, {`user(username:"LiLei")`, "timeline", "User.timeline"},
			{`role(code:"developer")`, "users", "Role.users"},
			{`game(code:"chess")`, "players", "Game.players"},
			{`department(code:"ceo")`, "subDepartments", "Department.subDepartments"},
			{`department(code:"ceo")`, "descendants", "Department.descendants"},
			{`department(code:"ceo")`, "roles", "Department.roles"}, {"", "users", "Query.User"},
			{"", "topDepartments", "Department.subDepartments"},
		} {
			for _, kind := range sortedKeys(f.opaque.Seen) {
				query := fmt.Sprintf(`query($c:String!){%s(after:$c){nodes{id}} b:%[1]s(last:1,before:$c){nodes{id}}}`, list.field)
				if list.path != "" {
					query = strings.Replace(query, "{", "{"+list.path+"{", 1) + "}"
				}
				// A cursor of another list of the same kind is valid, except for descendants.
				cursor := f.opaque.Seen[kind][0]
				if list.kind == kind && kind == "Department.descendants" && cursor.Owner != "ceo" {
					continue
				}
				f.check(t, root, query, map[string]any{"c": cursor})
			}
			for _, cursor := range hostileCursors {
				query := fmt.Sprintf(`query($c:String!){%s(after:$c){nodes{id}}}`, list.field)
				if list.path != "" {
					query = strings.Replace(query, "{", "{"+list.path+"{", 1) + "}"
				}
				f.check(t, root, query, map[string]any{"c": cursor})
			}
		}
	})
	t.Run("an invalid page size is rejected", func(t *testing.T) {
		for _, arguments := range []string{
			"first:-1", "last:-1", "first:101", "last:101", "first:2147483647",
			"last:-2147483648", "first:1,last:1", "first:0", "last:0", "first:100",
		} {
			f.check(t, root, `{users(`+arguments+`){nodes{id}} user(username:"Lucy"){followers(`+arguments+`){nodes{id}} twits(`+arguments+`){nodes{id} pageInfo{hasNextPage}}}
				department(code:"ceo"){descendants(`+arguments+`){nodes{id} pageInfo{hasNextPage}}}}`, nil)
		}
		f.check(t, root, `{department(code:"ceo"){descendants(maxDepth:-1){nodes{id}}} game(code:"chess"){a:plays(from:"2014-12-31",to:"2014-12-25"){day}}}`, nil)
	})
	t.Run("more than a hundred ids are rejected", func(t *testing.T) {
		ids := make([]any, 101)
		for i := range ids {
			ids[i] = ""
		}
		f.check(t, root, `query($ids:[ID!]!){nodes(ids:$ids){id}}`, map[string]any{"ids": ids})
		f.check(t, root, `query($ids:[ID!]!){nodes(ids:$ids){id}}`, map[string]any{"ids": ids[1:]})
	})
}

// A page reads at most four candidates per entry.
func TestFilteredPagesAreBounded(t *testing.T) {
	f := newFixture(t, generated(t, 1), transfer.Options{})
	recorder := hbasetest.NewRecorder(f.store, hbasetest.Names{})
	f.gateway = newGateway("embedded", recorder)
	name := `李雷_Ünï.٣`
	for _, test := range []struct {
		name, arguments string
		viewer          oracle.Viewer
		want            []int
	}{
		{"no candidate is visible: 4 × 2 candidates are read, and one for hasNextPage", "first:2", unauthenticated, []int{3, 7}},
		{"all are visible: one read", "first:2", as(name), []int{3}},
		{"an administrator: one read", "first:2", root, []int{3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			recorder.Reset()
			f.check(t, test.viewer, `{user(username:"`+name+`"){twits(`+test.arguments+`){nodes{id}}}}`, nil)
			var limits []int
			for _, line := range recorder.Reads() {
				var limit int
				if i := strings.Index(line, "limit "); i > 0 {
					if _, err := fmt.Sscanf(line[i:], "limit %d", &limit); err != nil {
						t.Fatal(err)
					}
					limits = append(limits, limit)
				}
			}
			if diff := cmp.Diff(test.want, sortedInts(limits)); diff != "" {
				t.Errorf("limits of the reads %q (-want +got):\n%s", recorder.Reads(), diff)
			}
		})
	}
}
