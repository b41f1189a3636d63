package transfer

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/check"
	"twibase/transfer/rebuild"
)

func csvFiles(files map[string]string) map[string][]byte {
	contents := map[string][]byte{}
	for schema, text := range files {
		contents[schema+".csv"] = []byte(text)
	}
	return contents
}

func people(names ...string) string {
	var b strings.Builder
	b.WriteString("username,name\n")
	for _, name := range names {
		fmt.Fprintf(&b, "%s,%s\n", name, strings.ToUpper(name))
	}
	return b.String()
}

// members also checks the length.
func members[E any](t testing.TB, store hbase.Store, l *tables.List[E], owner string) []string {
	t.Helper()
	list := []string{}
	err := rebuild.BucketPages(t.Context(), store, &l.AnyList, []string{owner}, func(page *rebuild.BucketPage) error {
		members, _, err := l.Decode(owner, page.Cells)
		for _, member := range members {
			list = append(list, fmt.Sprint(member))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if l.Count == "" {
		return list
	}
	cells, err := hbase.GetAll(context.Background(), store, []hbase.Get{l.Length(owner)})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := tables.DecodeCount(cells[0]); err != nil || n != len(list) {
		t.Errorf("%s of %q: got length %d, error %v; want %d", l.Table, owner, n, err, len(list))
	}
	return list
}

func TestChangedDepartmentsAndRolesMoveInLists(t *testing.T) {
	store := openStore(t)
	type lists map[string][]string
	for _, step := range []struct {
		name  string
		files map[string]string
		want  lists
	}{
		{"first", map[string]string{
			"departments": "id,name,parent\nceo,CEO,\ndev,开发部,ceo\ndev1,开发1,dev\n",
			"roles":       "id,name,department\ncoder,Coder,dev\n"},
			lists{
				"": {"{CEO ceo}"}, "ceo": {"{开发部 dev}"}, "dev": {"{开发1 dev1}"},
				"dev roles": {"coder"}, "dev1 roles": {},
			}},
		{"renamed", map[string]string{"departments": "id,name,parent\ndev1,A-Team,dev\n"},
			lists{"dev": {"{A-Team dev1}"}}},
		{"named back", map[string]string{"departments": "id,name,parent\ndev1,开发1,dev\n"},
			lists{"dev": {"{开发1 dev1}"}}},
		{"moved to the top", map[string]string{"departments": "id,name,parent\ndev1,开发1,\n"},
			lists{"": {"{CEO ceo}", "{开发1 dev1}"}, "dev": {}}},
		{"moved back, and the role to another department", map[string]string{
			"departments": "id,name,parent\ndev1,开发1,dev\n", "roles": "id,name,department\ncoder,Coder,dev1\n"},
			lists{"": {"{CEO ceo}"}, "dev": {"{开发1 dev1}"}, "dev roles": {}, "dev1 roles": {"coder"}}},
		{"the role to no department", map[string]string{"roles": "id,name,department\ncoder,Coder,\n"},
			lists{"dev1 roles": {}}},
		{"and back", map[string]string{"roles": "id,name,department\ncoder,Coder,dev1\n"},
			lists{"dev1 roles": {"coder"}}},
		{"two rows in a file: the last one counts", map[string]string{"departments": "id,name,parent\ndev1,X,ceo\ndev1,Y,\n"},
			lists{"": {"{CEO ceo}", "{Y dev1}"}, "ceo": {"{开发部 dev}"}, "dev": {}}},
		{"two departments swap places", map[string]string{"departments": "id,name,parent\ndev,开发部,\nceo,CEO,dev\n"},
			lists{"": {"{Y dev1}", "{开发部 dev}"}, "ceo": {}, "dev": {"{CEO ceo}"}}},
	} {
		t.Run(step.name, func(t *testing.T) {
			for range 2 {
				load(t, store, csvFiles(step.files), Options{})
				for name, want := range step.want {
					var got []string
					if owner, is := strings.CutSuffix(name, " roles"); is {
						got = members(t, store, tables.DepartmentRoles, owner)
					} else {
						got = members(t, store, tables.Children, name)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%q (-want +got):\n%s", name, diff)
					}
				}
			}
		})
	}
}

func TestLatestTimeOfAFollowCounts(t *testing.T) {
	const late, early = "followed_at\na,b,2024-05-02T00:00:00Z\n", "followed_at\na,b,2024-05-01T00:00:00Z\n"
	want := []string{"{a 2024-05-02 00:00:00 +0000 UTC}"}
	for _, test := range []struct {
		name  string
		order []string
	}{
		{"early, late", []string{early, late}},
		{"late, early", []string{late, early}},
		{"no time, late, no time", []string{"followed_at\na,b,\n", late, "followed_at\na,b,\n"}},
		{"in one file", []string{"followed_at\na,b,2024-05-01T00:00:00Z\na,b,2024-05-02T00:00:00Z\na,b,\n"}},
	} {
		for name, before := range map[string][]hbase.Mutation{
			"": nil, " after a repair": {tables.Imports.PutRepaired()},
		} {
			t.Run(test.name+name, func(t *testing.T) {
				store := openStore(t)
				load(t, store, csvFiles(map[string]string{"users": people("a", "b")}), Options{})
				if err := hbase.MutateAll(t.Context(), store, before); err != nil {
					t.Fatal(err)
				}
				for _, rows := range test.order {
					load(t, store, csvFiles(map[string]string{"follows": "follower,followee," + rows}), Options{})
				}
				if diff := cmp.Diff(want, members(t, store, tables.Followers, "b")); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if n := len(members(t, store, tables.Following, "a")); n != 1 {
					t.Errorf("got %d follows of a, want 1", n)
				}
			})
		}
	}
}

func TestImportKeepsLaterChanges(t *testing.T) {
	store, ctx := openStore(t), context.Background()
	files := csvFiles(map[string]string{
		"users": people("a", "b"), "follows": "follower,followee\na,b\n",
		"games": "id,name\ng,Go\n", "plays": "username,game,day,count\na,g,2024-05-01,1\n",
	})
	load(t, store, files, Options{})
	now := time.Now().UnixMilli()
	remove := func(l *tables.List[tables.Follow], owner, other string) hbase.Mutation {
		cell := l.Cell(tables.Follow{Username: other, At: tables.UnknownTime}, now)
		return hbase.DeleteCells(l.Table, l.Row(owner, 0), cell)
	}
	name := "Renamed"
	err := hbase.MutateAll(ctx, store, []hbase.Mutation{
		tables.Follows.Put("a", "b", false, tables.UnknownTime, now),
		remove(tables.Following, "a", "b"), remove(tables.Followers, "b", "a"), // unfollow
		tables.Users.Put("a", &tables.User{Name: &name}, now),
		tables.Plays.Put("a", "g", tables.DayCount{Day: "2024-05-01", Count: 5}, now),
	})
	if err != nil {
		t.Fatal(err)
	}
	load(t, store, files, Options{})
	followers, following := members(t, store, tables.Followers, "b"), members(t, store, tables.Following, "a")
	if len(followers)+len(following) > 0 {
		t.Errorf("got followers %v, following %v, want none", followers, following)
	}
	cells, err := hbase.GetAll(ctx, store, []hbase.Get{
		tables.Users.Get("a", tables.Existence), tables.GameDays.Get("g", "2024-05-01", "2024-05-01"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(cells[0][0].Value); got != name {
		t.Errorf("got name %q, want %q", got, name)
	}
	if got := string(cells[1][0].Value); got != "5" {
		t.Errorf("got sum %q of the day, want 5", got)
	}
}

// Delete markers mask older cells.
func TestErasedPlaysCanBeImportedAgain(t *testing.T) {
	store, ctx := openStore(t), context.Background()
	files := csvFiles(map[string]string{
		"users": people("a"), "games": "id,name\ng,Go\n",
		"plays": "username,game,day,count\na,g,2024-05-01,1\na,g,2024-05-02,2\n",
	})
	load(t, store, files, Options{})
	now := time.Now().UnixMilli()
	days := []tables.DayCount{{Day: "2024-05-01"}, {Day: "2024-05-02"}}
	remove := func(l *tables.AnyList, owner, position string) hbase.Mutation {
		member := hbase.Cell{Family: l.Family, Qualifier: position, Timestamp: now}
		return hbase.DeleteCells(l.Table, l.Row(owner, 0), member)
	}
	commit := tables.Plays.Put("a", "g", days[0], now)
	op := []byte(tables.NewOp(time.UnixMilli(now), 1))
	commit.Cells = []hbase.Cell{{Family: "d", Qualifier: tables.CommitColumn, Timestamp: now, Value: op}}
	sums := []hbase.Cell{tables.GameDays.Cell(days[0], now), tables.GameDays.Cell(days[1], now)}
	err := hbase.MutateAll(ctx, store, []hbase.Mutation{
		commit, tables.Plays.Delete("a", "g", days, now),
		remove(&tables.UserGames.AnyList, "a", "g"), remove(&tables.Players.AnyList, "g", "a"),
		tables.Users.Put("a", &tables.User{GameCount: new(int)}, now),
		tables.Games.Put("g", &tables.Game{PlayerCount: new(int)}, now),
		hbase.Put{Table: tables.Games.Table, Row: tables.RowKey("g"), Cells: sums},
	})
	if err != nil {
		t.Fatal(err)
	}
	load(t, store, files, Options{})
	if diff := cmp.Diff([]string{"{g 3 2024-05-02}"}, members(t, store, tables.UserGames, "a")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	err = check.All(ctx, store, func(v check.Violation) { t.Error(v) })
	if err != nil {
		t.Fatal(err)
	}
}

// HBase has purged the delete markers of the comment, but its deletion is committed.
func TestDeletedCommentsAreNotRestored(t *testing.T) {
	store := openStore(t)
	load(t, store, csvFiles(map[string]string{"users": people("a", "b"), "twits": base["twits"]}), Options{})
	twit := (&tables.Twit{AuthorName: "a", PostedAt: parsed(t, "2024-05-01T00:00:00Z"), Name: "t"}).Key()
	c := comment{author: "b", postedAt: parsed(t, "2024-05-02T00:00:00Z"), content: "hi"}.stored(twit.String())
	removed := tables.Commenters.RemovedCell(c.Key().Position, time.Now().UnixMilli())
	commit := hbase.PutCells(tables.Commenters.Table, tables.Commenters.Row(twit, "b"), removed)
	if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{commit}); err != nil {
		t.Fatal(err)
	}
	load(t, store, csvFiles(map[string]string{"comments": "twit,author,posted_at,content\n" +
		"t,b,2024-05-02T00:00:00Z,hi\nt,b,2024-05-02T00:00:00Z,other\n"}), Options{})
	if got := members(t, store, tables.Comments, twit.String()); len(got) != 1 || !strings.Contains(got[0], "other") {
		t.Errorf("got comments %q, want only the other one", got)
	}
	if err := check.All(t.Context(), store, func(v check.Violation) { t.Error(v) }); err != nil {
		t.Error(err)
	}
}

func TestRowsOfDeletedObjectsAreSkipped(t *testing.T) {
	store, ctx := openStore(t), context.Background()
	files := map[string]string{
		"users": people("a"), "games": "id,name\ng,Go\n", "plays": "username,game,day,count\na,g,2024-05-01,1\n",
	}
	err := hbase.MutateAll(ctx, store, []hbase.Mutation{hbase.Put{Table: tables.Games.Table, Row: tables.RowKey("g"),
		Cells: []hbase.Cell{tables.Without("name", time.Now().UnixMilli())}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = ImportFiles(ctx, store, csvFiles(files), Options{})
	if want := "rows that name missing objects were skipped: 1"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestTimelinesKeepTheirNewestEntries(t *testing.T) {
	store := openStore(t)
	twits := "id,author,posted_at,content,photo_urls\n"
	for i := range 30 {
		twits += fmt.Sprintf("t%02d,b,2024-05-01T00:00:%02dZ,text,\n", i, i)
	}
	files := map[string]string{"users": people("a", "b"), "follows": "follower,followee\na,b\n", "twits": twits}
	load(t, store, csvFiles(files), Options{})
	rebuilder := rebuild.New(store)
	rebuilder.TimelineBound = 7
	for range 2 {
		if err := rebuilder.Timelines(context.Background(), []string{"a", "b"}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, entry := range members(t, store, tables.Timelines, "a") {
			entry = strings.TrimSuffix(entry, "}")
			got = append(got, entry[len(entry)-3:])
		}
		if diff := cmp.Diff([]string{"t29", "t28", "t27", "t26", "t25", "t24", "t23"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for owner, want := range map[string]string{"a": "2024-05-01T00:00:22Z", "b": ""} {
			cells, err := hbase.GetAll(context.Background(), store, []hbase.Get{tables.TimelineSince(owner)})
			if err != nil {
				t.Fatal(err)
			}
			at, trimmed, err := tables.DecodeTimelineSince(cells[0])
			if err != nil || trimmed != (want != "") || trimmed && at.Format(time.RFC3339) != want {
				t.Errorf("%s: got timelineSince %v (%t), error %v; want %q", owner, at, trimmed, err, want)
			}
		}
	}
}
