package transfer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// lists reads every list of a world whole, and checks its buckets.
func readLists(t testing.TB, store hbase.Store, w world, bound int) []string {
	t.Helper()
	var users, departments, roles, games, twits []string
	departments = append(departments, tables.Root)
	for schema, names := range map[string]*[]string{"users": &users, "departments": &departments, "roles": &roles, "games": &games} {
		for _, row := range w[schema][1:] {
			*names = append(*names, row[0])
		}
	}
	for _, r := range w["twits"][1:] {
		twits = append(twits, (&tables.Twit{AuthorName: r[1], PostedAt: parsed(t, r[2]), Name: r[0]}).Key().String())
	}
	owners := map[*tables.AnyObject][]string{&tables.Users.AnyObject: users, &tables.Departments.AnyObject: departments,
		&tables.Roles.AnyObject: roles, &tables.Games.AnyObject: games, tables.PostedTwits: twits}
	var lines []string
	for _, l := range tables.Lists() {
		if !l.Trimmed {
			lines = append(lines, readList(t, store, l, owners[l.Owner], bound)...)
		}
	}
	return lines
}

func readList(t testing.TB, store hbase.Store, l *tables.AnyList, owners []string, bound int) []string {
	t.Helper()
	var lines []string
	held := map[string]int{}
	last := map[string]string{}
	err := rebuild.Spans(context.Background(), store, l, owners, func(span *rebuild.Span) error {
		for _, c := range span.Astray {
			t.Errorf("%s of %q: %q lies in bucket %d, which does not cover it", l.Table, span.Owner, c.Qualifier, span.Bucket)
		}
		for _, c := range span.Cells {
			if c.Qualifier <= last[span.Owner] {
				t.Errorf("%s of %q: %q comes after %q", l.Table, span.Owner, c.Qualifier, last[span.Owner])
			}
			last[span.Owner] = c.Qualifier
			lines = append(lines, fmt.Sprintf("%s/%s %q %q @%d %q", l.Table, l.Family, span.Owner, c.Qualifier, c.Timestamp, c.Value))
		}
		bucket := fmt.Sprint(span.Owner, " ", span.Bucket)
		if held[bucket] += len(span.Cells); held[bucket] > bound {
			t.Errorf("%s of %q: bucket %d holds more than %d members", l.Table, span.Owner, span.Bucket, bound)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// objectLines are those lines of a dump that are no lists.
func objectLines(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !strings.Contains(line, ` i:"`) })
}

// crowded is a world with some long lists of each l.
func crowded(t testing.TB) world { return crowdedBy(seeded(t)) }

func crowdedBy(r *rand.Rand) world {
	w := randomWorld(r, 120)
	star, twit := w["users"][1][0], w["twits"][1][0]
	for i, row := range w["users"][2:] {
		at := begin.AddDate(0, 0, i).Format("2006-01-02T15:04:05Z")
		w.once("follows", 2, row[0], star, at)
		w.once("follows", 2, star, row[0], "")
		w.once("plays", 3, row[0], w["games"][1][0], "2024-02-29", "1")
		w.once("user_roles", 2, row[0], w["roles"][1][0])
		w.add("twits", fmt.Sprint("star", i), star, at, "I am the star", "", "", "FOLLOWERS")
		w.add("comments", twit, row[0], at, "nice")
		w.add("departments", fmt.Sprint("sub", i), fmt.Sprint("Sub ", i%7), w["departments"][1][0])
	}
	return w
}

func TestLongLists(t *testing.T) {
	w := crowded(t)
	const bound = 10
	wide, store := openStore(t), openStore(t)
	load(t, wide, w.files(), Options{})
	want := readLists(t, wide, w, tables.ListBound)
	load(t, store, w.files(), Options{ListBound: bound})
	check := func(t *testing.T, store hbase.Store) {
		t.Helper()
		if diff := cmp.Diff(want, readLists(t, store, w, bound)); diff != "" {
			t.Errorf("lists (-wide +in buckets):\n%s", diff)
		}
		if diff := cmp.Diff(objectLines(dump(t, wide)), objectLines(dump(t, store))); diff != "" {
			t.Errorf("objects (-wide +in buckets):\n%s", diff)
		}
	}

	t.Run("go on in buckets that hold the same, and have the same lengths", func(t *testing.T) {
		check(t, store)
		sealed := 0
		for _, line := range dump(t, store) {
			if strings.Contains(line, `:"\xff`) {
				sealed++
			}
		}
		if sealed < 50 {
			t.Errorf("only %d buckets were sealed: the test tests nothing", sealed)
		}
	})

	t.Run("stay as they are when they are imported again", func(t *testing.T) {
		before := dump(t, store)
		load(t, store, w.files(), Options{ListBound: bound})
		if diff := cmp.Diff(before, dump(t, store)); diff != "" {
			t.Errorf("(-once +twice):\n%s", diff)
		}
	})

	t.Run("get later members in the buckets that cover them", func(t *testing.T) {
		store := openStore(t)
		load(t, store, w.files("users", "departments", "roles", "games"), Options{ListBound: bound})
		for _, schema := range []string{"follows", "twits", "plays", "user_roles"} {
			for piece := range 4 {
				load(t, store, w.part(schema, func(i int) bool { return i%4 == piece }), Options{ListBound: bound})
			}
		}
		// Equal comments are told apart by their order in one file.
		load(t, store, w.part("comments", func(i int) bool { return i < 300 }), Options{ListBound: bound})
		load(t, store, w.files("comments"), Options{ListBound: bound})
		load(t, store, w.files(relationFiles()...), Options{ListBound: bound})
		check(t, store)
	})
}
