package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/dataset"
	"twibase/e2e/oracle"
	"twibase/transfer"
)

func sortedInts(list []int) []int { return slices.Sorted(slices.Values(list)) }

// TestBuckets pages through lists of many buckets both ways. Backwards a page may be short, at the edge of a bucket: what
// counts is that all pages together are the list.
func TestBuckets(t *testing.T) {
	w := newWorld(t, generated(t, 1), transfer.Options{ListBound: 7})
	m := w.oracle.Model
	hub := m.Users[dataset.Hub]
	busiest := greatest(m.Users, func(u *oracle.User) int { return len(u.Timeline()) })
	role := greatest(m.Roles, func(r *oracle.Role) int { return len(r.Users()) })
	game := greatest(m.Games, func(g *oracle.Game) int { return len(g.Players()) })
	department := greatest(m.Departments, func(d *oracle.Department) int { return len(d.Children) })
	twit := greatest(m.Twits, func(t *oracle.Twit) int { return len(t.Comments) })
	author := greatest(m.Users, func(u *oracle.User) int { return len(u.Twits()) })
	for _, list := range []struct {
		name, root, argument, field, key string
		want                             []string
	}{
		{"followers", "user(username:$key)", hub.Username, "followers", "username", hub.Followers()},
		{"twits", "user(username:$key)", author.Username, "twits", "content", contents(author.Twits())},
		{"a timeline", "user(username:$key)", busiest.Username, "timeline", "content", contents(busiest.Timeline())},
		{"users of a role", "role(code:$key)", role.Code, "users", "username", names(role.Users())},
		{"players", "game(code:$key)", game.Code, "players", "username", names(game.Players())},
		{"sub-departments", "department(code:$key)", department.Code, "subDepartments", "code", codes(department.Children)},
		{"comments", "twit(id:$key)", w.twitID(t, twit), "comments", "content", remarks(twit)},
	} {
		t.Run(list.name, func(t *testing.T) {
			if len(list.want) < 20 {
				t.Fatalf("it has %d members: too few for several buckets", len(list.want))
			}
			for _, size := range []string{"5", "100"} {
				forward := w.collect(t, list.root, list.argument, list.field, list.key, size, false)
				if diff := cmp.Diff(list.want, forward); diff != "" {
					t.Errorf("forwards by %s (-want +got):\n%s", size, diff)
				}
				backward := w.collect(t, list.root, list.argument, list.field, list.key, size, true)
				if diff := cmp.Diff(list.want, backward); diff != "" {
					t.Errorf("backwards by %s (-want +got):\n%s", size, diff)
				}
			}
		})
	}
}

// collect returns what all pages of a list have together.
func (g *gateway) collect(t *testing.T, noun, argument, field, key, size string, backward bool) []string {
	t.Helper()
	parent, _, _ := strings.Cut(noun, "(")
	typ := map[bool]string{true: "ID!", false: "String!"}[parent == "twit"]
	arguments, more, cursor := "first:"+size+",after:$cursor", "hasNextPage", "endCursor"
	if backward {
		arguments, more, cursor = "last:"+size+",before:$cursor", "hasPreviousPage", "startCursor"
	}
	query := `query($key:` + typ + `,$cursor:String){` + noun + `{` + field + `(` + arguments + `){nodes{` + key + `} pageInfo{more:` + more + ` cursor:` + cursor + `}}}}`
	variables := map[string]any{"key": argument, "cursor": nil}
	var all []string
	for {
		got, err := answer(g.ask(t, query, variables, root))
		if err != nil || got.Errors != nil {
			t.Fatal(err, got.Errors)
		}
		connection := oracle.Get(got.Data, parent, field)
		var page []string
		for _, node := range oracle.Get(connection, "nodes").(oracle.List) {
			page = append(page, oracle.Get(node, key).(string))
		}
		if backward {
			all = append(page, all...)
		} else {
			all = append(all, page...)
		}
		if oracle.Get(connection, "pageInfo", "more") != true {
			return all
		}
		if variables["cursor"] = oracle.Get(connection, "pageInfo", "cursor"); variables["cursor"] == nil {
			t.Fatalf("more is said to come, and no cursor leads there: %v", connection)
		}
	}
}

func contents(twits []*oracle.Twit) (list []string) {
	for _, t := range twits {
		list = append(list, t.Content)
	}
	return list
}

func remarks(t *oracle.Twit) (list []string) {
	for _, c := range t.Comments {
		list = append(list, c.Content)
	}
	return list
}

func names(users []*oracle.User) (list []string) {
	for _, u := range users {
		list = append(list, u.Username)
	}
	return list
}

func codes(departments []*oracle.Department) (list []string) {
	for _, d := range departments {
		list = append(list, d.Code)
	}
	return list
}
