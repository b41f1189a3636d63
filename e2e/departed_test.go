package e2e

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"twibase/graph/explain"
	"twibase/graph/report"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer"
	"twibase/writers"
)

// No plan can know of rows of a list that most members left, and a page goes through them to those who are there: by more of them in each round, so
// that the rounds are as many as the number of rows has digits.
func TestRowsThatTheirMembersLeftTakeFewRounds(t *testing.T) {
	const bound, members = 4, 100
	users, follows := []string{"username,name", "hub,H"}, []string{"follower,followee,followed_at"}
	for i := range members {
		users = append(users, fmt.Sprintf("f%02d,F", i))
		follows = append(follows, fmt.Sprintf("f%02d,hub,2014-05-01T00:%02d:00Z", i, i/2))
	}
	folder := folderOf(t, map[string]string{"users": strings.Join(users, "\n"), "follows": strings.Join(follows, "\n")})
	between := func(from, to int) func(int) bool { return func(i int) bool { return from <= i && i < to } }
	for _, those := range []struct {
		name string
		left func(int) bool // of whom the last is the first of the list
	}{
		{"nobody", between(0, 0)},
		{"the last 90", between(0, 90)},
		{"the first 90", between(10, members)},
		{"80 in the midst", between(10, 90)},
		{"three of four", func(i int) bool { return i%4 != 0 }},
		{"seven of eight", func(i int) bool { return i%8 != 0 }},
		{"nineteen of twenty", func(i int) bool { return i%20 != 0 }},
	} {
		store := inMemory(t)
		importInto(t, store, folder, transfer.Options{ListBound: bound})
		w := writers.New(store, writers.Options{ListBound: bound})
		defer w.Close(t.Context())
		for i := range members {
			if !those.left(i) {
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
		handler, most := explaining(store, bound), 0
		for _, page := range []string{"first: 1", "first: 11", "first: 30", "first: 100", "last: 1", "last: 3"} {
			r := request{query: `{ user(username: "hub") { followers(` + page + `) { nodes { username } } } }`}
			predicted, _, err := r.account(handler, explain.Header)
			if err != nil {
				t.Fatal(err)
			}
			told, body, err := r.account(handler, report.Header)
			if err != nil || !strings.Contains(string(body), `"username":"f`) {
				t.Errorf("when %s left, the page of %s has nobody: %v %s", those.name, page, err, body)
				continue
			}
			more := told.Extensions.Report.Rounds - int(predicted.Extensions.Plan.Rounds)
			if most = max(most, more); more > 2*bits.Len(uint(rows)) {
				t.Errorf("when %s left, a page of %s takes %d more rounds than its plan, of a list of %d rows", those.name, page, more, rows)
			}
		}
		if nobody := those.name == "nobody"; nobody != (most <= 0) {
			t.Errorf("when %s left, pages take %d more rounds than their plans", those.name, most)
		}
	}
}
