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

func TestHostileArguments(t *testing.T) {
	w := smallWorld(t)
	recorder := hbasetest.NewRecorder(w.store, hbasetest.Names{})
	w.gateway = newGateway("embedded", recorder)
	w.check(t, root, `{users(first:3){edges{cursor}} topDepartments{edges{cursor}} department(code:"ceo"){descendants{edges{cursor}} subDepartments{edges{cursor}}}
		role(code:"developer"){users{edges{cursor}}} game(code:"chess"){players{edges{cursor}}}
		user(username:"小红"){followers{edges{cursor}} following{edges{cursor}} twits{edges{cursor}} album{edges{cursor}} roles{edges{cursor}} games{edges{cursor}}}
		a:user(username:"LiLei"){timeline{edges{cursor}}} twits:user(username:"Lucy"){twits(first:100){nodes{comments{edges{cursor}}}}}}`, nil)

	t.Run("a name that nobody has is nothing, whatever it is made of", func(t *testing.T) {
		for _, name := range hostile {
			w.check(t, stranger, `query($n:String!){user(username:$n){id} role(code:$n){id} department(code:$n){id} game(code:$n){id}
				u:user(username:"LiLei"){isFollowing(username:$n) hasRole(code:$n) hasPlayed(code:$n)}}`, map[string]any{"n": name})
		}
	})
	t.Run("a malformed id is nothing, and costs no read", func(t *testing.T) {
		for _, id := range hostileIDs {
			recorder.Reset()
			w.check(t, root, `query($id:ID!){node(id:$id){id}}`, map[string]any{"id": id})
			w.check(t, root, `query($id:ID!){twit(id:$id){id}}`, map[string]any{"id": id})
			w.check(t, root, `query($ids:[ID!]!){nodes(ids:$ids){id}}`, map[string]any{"ids": []any{id}})
			if reads := recorder.Reads(); len(reads) > 0 {
				t.Errorf("the id %q costs the reads %q", id, reads)
			}
		}
	})
	t.Run("a cursor of another kind of list is refused, and costs no more than the way to it", func(t *testing.T) {
		for _, list := range []struct{ path, field, kind string }{
			{`user(username:"小红")`, "followers", "User.followers"}, {`user(username:"小红")`, "following", "User.following"},
			{`user(username:"小红")`, "twits", "User.twits"}, {`user(username:"小红")`, "album", "User.album"}, {`user(username:"小红")`, "roles", "User.roles"},
			{`user(username:"小红")`, "games", "User.games"}, {`user(username:"LiLei")`, "timeline", "User.timeline"}, {`role(code:"developer")`, "users", "Role.users"},
			{`game(code:"chess")`, "players", "Game.players"}, {`department(code:"ceo")`, "subDepartments", "Department.subDepartments"},
			{`department(code:"ceo")`, "descendants", "Department.descendants"}, {`department(code:"ceo")`, "roles", "Department.roles"}, {"", "users", "Query.User"},
			{"", "topDepartments", "Department.subDepartments"},
		} {
			for _, kind := range sortedKeys(w.opaque.Seen) {
				query := fmt.Sprintf(`query($c:String!){%s(after:$c){nodes{id}} b:%[1]s(last:1,before:$c){nodes{id}}}`, list.field)
				if list.path != "" {
					query = strings.Replace(query, "{", "{"+list.path+"{", 1) + "}"
				}
				// Where the kind fits the entry need not be one of this list: the place counts. Those of descendants count in their own list alone.
				cursor := w.opaque.Seen[kind][0]
				if list.kind == kind && kind == "Department.descendants" && cursor.Owner != "ceo" {
					continue
				}
				w.check(t, root, query, map[string]any{"c": cursor})
			}
			for _, cursor := range hostileCursors {
				query := fmt.Sprintf(`query($c:String!){%s(after:$c){nodes{id}}}`, list.field)
				if list.path != "" {
					query = strings.Replace(query, "{", "{"+list.path+"{", 1) + "}"
				}
				w.check(t, root, query, map[string]any{"c": cursor})
			}
		}
	})
	t.Run("what can't be a number of entries is refused", func(t *testing.T) {
		for _, arguments := range []string{"first:-1", "last:-1", "first:101", "last:101", "first:2147483647", "last:-2147483648", "first:1,last:1", "first:0", "last:0", "first:100"} {
			w.check(t, root, `{users(`+arguments+`){nodes{id}} user(username:"Lucy"){followers(`+arguments+`){nodes{id}} twits(`+arguments+`){nodes{id} pageInfo{hasNextPage}}}
				department(code:"ceo"){descendants(`+arguments+`){nodes{id} pageInfo{hasNextPage}}}}`, nil)
		}
		w.check(t, root, `{department(code:"ceo"){descendants(maxDepth:-1){nodes{id}}} game(code:"chess"){a:plays(from:"2014-12-31",to:"2014-12-25"){day}}}`, nil)
	})
	t.Run("more than a hundred ids are refused", func(t *testing.T) {
		ids := make([]any, 101)
		for i := range ids {
			ids[i] = ""
		}
		w.check(t, root, `query($ids:[ID!]!){nodes(ids:$ids){id}}`, map[string]any{"ids": ids})
		w.check(t, root, `query($ids:[ID!]!){nodes(ids:$ids){id}}`, map[string]any{"ids": ids[1:]})
	})
}

// TestBoundedPages holds a page of a list that the viewer sees a part of to four candidates an entry.
func TestBoundedPages(t *testing.T) {
	w := newWorld(t, generated(t, 1), transfer.Options{})
	recorder := hbasetest.NewRecorder(w.store, hbasetest.Names{})
	w.gateway = newGateway("embedded", recorder)
	name := `李雷_Ünï.٣`
	for _, test := range []struct {
		name, arguments string
		viewer          oracle.Viewer
		want            []int // the limits of the pages that are read
	}{
		{"none of the first candidates is seen: four times as many are looked at, and one that tells whether more follow", "first:2", stranger, []int{3, 7}},
		{"all are seen: the page alone is read", "first:2", as(name), []int{3}},
		{"an administrator sees all", "first:2", root, []int{3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			recorder.Reset()
			w.check(t, test.viewer, `{user(username:"`+name+`"){twits(`+test.arguments+`){nodes{id}}}}`, nil)
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
				t.Errorf("the limits of the reads %q (-want +got):\n%s", recorder.Reads(), diff)
			}
		})
	}
}
