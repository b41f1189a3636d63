package e2e

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/e2e/dataset"
	"twibase/e2e/oracle"
	"twibase/graph/explain"
	"twibase/graph/report"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer"
	"twibase/writers"
)

func sortedInts(list []int) []int { return slices.Sorted(slices.Values(list)) }

// A page from the end may be short where a bucket ends.
func TestPagesOfListsInBucketsMatchTheOracle(t *testing.T) {
	w := newFixture(t, generated(t, 1), transfer.Options{ListBound: 7})
	m := w.oracle.Model
	hub := m.Users[dataset.Hub]
	busiest := largest(m.Users, func(u *oracle.User) int { return len(u.Timeline()) })
	role := largest(m.Roles, func(r *oracle.Role) int { return len(r.Users()) })
	game := largest(m.Games, func(g *oracle.Game) int { return len(g.Players()) })
	department := largest(m.Departments, func(d *oracle.Department) int { return len(d.Children) })
	twit := largest(m.Twits, func(t *oracle.Twit) int { return len(t.Comments) })
	author := largest(m.Users, func(u *oracle.User) int { return len(u.Twits()) })
	for _, list := range []struct {
		name, root, argument, field, key string
		want                             []string
	}{
		{"followers", "user(username:$key)", hub.Username, "followers", "username", hub.Followers()},
		{"twits", "user(username:$key)", author.Username, "twits", "content", twitContents(author.Twits())},
		{"a timeline", "user(username:$key)", busiest.Username, "timeline", "content", twitContents(busiest.Timeline())},
		{"users of a role", "role(code:$key)", role.Code, "users", "username", usernames(role.Users())},
		{"players", "game(code:$key)", game.Code, "players", "username", usernames(game.Players())},
		{"sub-departments", "department(code:$key)", department.Code, "subDepartments", "code",
			departmentCodes(department.Children)},
		{"comments", "twit(id:$key)", w.twitID(t, twit), "comments", "content", commentContents(twit)},
	} {
		t.Run(list.name, func(t *testing.T) {
			if len(list.want) < 20 {
				t.Fatalf("%d members are too few for several buckets", len(list.want))
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

func (g *gateway) collect(t *testing.T, noun, argument, field, key, size string, backward bool) []string {
	t.Helper()
	parent, _, _ := strings.Cut(noun, "(")
	typ := map[bool]string{true: "ID!", false: "String!"}[parent == "twit"]
	arguments, more, cursor := "first:"+size+",after:$cursor", "hasNextPage", "endCursor"
	if backward {
		arguments, more, cursor = "last:"+size+",before:$cursor", "hasPreviousPage", "startCursor"
	}
	query := `query($key:` + typ + `,$cursor:String){` + noun + `{` + field + `(` + arguments + `){nodes{` + key +
		`} pageInfo{more:` + more + ` cursor:` + cursor + `}}}}`
	variables := map[string]any{"key": argument, "cursor": nil}
	var all []string
	for {
		got, err := decodeAnswer(g.ask(t, query, variables, root))
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
			t.Fatalf("there is a next page, but no cursor: %v", connection)
		}
	}
}

func twitContents(twits []*oracle.Twit) (list []string) {
	for _, t := range twits {
		list = append(list, t.Content)
	}
	return list
}

func commentContents(t *oracle.Twit) (list []string) {
	for _, c := range t.Comments {
		list = append(list, c.Content)
	}
	return list
}

func usernames(users []*oracle.User) (list []string) {
	for _, u := range users {
		list = append(list, u.Username)
	}
	return list
}

func departmentCodes(departments []*oracle.Department) (list []string) {
	for _, d := range departments {
		list = append(list, d.Code)
	}
	return list
}

// Rounds grow with the logarithm of the number of emptied buckets.
func TestEmptiedBucketsTakeFewRounds(t *testing.T) {
	const bound, members = 4, 100
	users, follows := []string{"username,name", "hub,H"}, []string{"follower,followee,followed_at"}
	for i := range members {
		users = append(users, fmt.Sprintf("f%02d,F", i))
		follows = append(follows, fmt.Sprintf("f%02d,hub,2014-05-01T00:%02d:00Z", i, i/2))
	}
	folder := folderOf(t, map[string]string{"users": strings.Join(users, "\n"), "follows": strings.Join(follows, "\n")})
	between := func(from, to int) func(int) bool { return func(i int) bool { return from <= i && i < to } }
	for _, test := range []struct {
		left   string
		leaves func(int) bool
	}{
		{"none", between(0, 0)},
		{"the last 90", between(0, 90)},
		{"the first 90", between(10, members)},
		{"the middle 80", between(10, 90)},
		{"three of four", func(i int) bool { return i%4 != 0 }},
		{"seven of eight", func(i int) bool { return i%8 != 0 }},
		{"nineteen of twenty", func(i int) bool { return i%20 != 0 }},
	} {
		store := inMemory(t)
		importInto(t, store, folder, transfer.Options{ListBound: bound})
		w := writers.New(store, writers.Options{ListBound: bound})
		defer w.Close(t.Context())
		for i := range members {
			if !test.leaves(i) {
				continue
			}
			if err := w.Unrelate(t.Context(), tables.Follows, fmt.Sprintf("f%02d", i), "hub"); err != nil {
				t.Fatal(err)
			}
		}
		directory, err := store.Get(t.Context(), []hbase.Get{tables.Followers.Directories("hub")})
		if err != nil {
			t.Fatal(err)
		}
		rows := 1 + len(directory[0].Cells)
		handler, most := newExplainHandler(store, bound), 0
		for _, page := range []string{"first: 1", "first: 11", "first: 30", "first: 100", "last: 1", "last: 3"} {
			r := request{query: `{ user(username: "hub") { followers(` + page + `) { nodes { username } } } }`}
			predicted, _, err := r.costs(handler, explain.Header)
			if err != nil {
				t.Fatal(err)
			}
			actual, body, err := r.costs(handler, report.Header)
			if err != nil || !strings.Contains(string(body), `"username":"f`) {
				t.Errorf("after %s left, the page %s is empty: %v %s", test.left, page, err, body)
				continue
			}
			more := actual.Extensions.Report.Rounds - int(predicted.Extensions.Plan.Rounds)
			if most = max(most, more); more > 2*bits.Len(uint(rows)) {
				t.Errorf("after %s left, the page %s takes %d more rounds than its plan; the list has %d rows",
					test.left, page, more, rows)
			}
		}
		if none := test.left == "none"; none != (most <= 0) {
			t.Errorf("after %s left, pages take %d more rounds than their plans", test.left, most)
		}
	}
}
