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

// readLists also checks buckets.
func readLists(t testing.TB, store hbase.Store, d dataset, bound int) []string {
	t.Helper()
	var users, departments, roles, games, twits []string
	departments = append(departments, tables.Root)
	for schema, names := range map[string]*[]string{
		"users": &users, "departments": &departments, "roles": &roles, "games": &games,
	} {
		for _, row := range d[schema][1:] {
			*names = append(*names, row[0])
		}
	}
	for _, r := range d["twits"][1:] {
		twits = append(twits, (&tables.Twit{AuthorName: r[1], PostedAt: parsed(t, r[2]), Name: r[0]}).Key().String())
	}
	owners := map[*tables.AnyObject][]string{
		&tables.Users.AnyObject: users, &tables.Departments.AnyObject: departments,
		&tables.Roles.AnyObject: roles, &tables.Games.AnyObject: games, tables.PostedTwits: twits,
	}
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
	err := rebuild.BucketPages(context.Background(), store, l, owners, func(page *rebuild.BucketPage) error {
		for _, c := range page.Astray {
			t.Errorf("%s of %q: got %q in bucket %d, which does not cover it", l.Table, page.Owner, c.Qualifier, page.Bucket)
		}
		for _, c := range page.Cells {
			if c.Qualifier <= last[page.Owner] {
				t.Errorf("%s of %q: got %q after %q, want ascending positions", l.Table, page.Owner, c.Qualifier, last[page.Owner])
			}
			last[page.Owner] = c.Qualifier
			lines = append(lines, fmt.Sprintf("%s/%s %q %q @%d %q",
				l.Table, l.Family, page.Owner, c.Qualifier, c.Timestamp, c.Value))
		}
		bucket := fmt.Sprint(page.Owner, " ", page.Bucket)
		if held[bucket] += len(page.Cells); held[bucket] > bound {
			t.Errorf("%s of %q: got bucket %d with more than %d members", l.Table, page.Owner, page.Bucket, bound)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func objectLines(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !strings.Contains(line, ` i:"`) })
}

func longLists(t testing.TB) dataset { return longListsBy(seeded(t)) }

func longListsBy(r *rand.Rand) dataset {
	d := randomData(r, 120)
	star, twit := d["users"][1][0], d["twits"][1][0]
	for i, row := range d["users"][2:] {
		at := begin.AddDate(0, 0, i).Format("2006-01-02T15:04:05Z")
		d.once("follows", 2, row[0], star, at)
		d.once("follows", 2, star, row[0], "")
		d.once("plays", 3, row[0], d["games"][1][0], "2024-02-29", "1")
		d.once("user_roles", 2, row[0], d["roles"][1][0])
		d.add("twits", fmt.Sprint("star", i), star, at, "I am the star", "", "", "FOLLOWERS")
		d.add("comments", twit, row[0], at, "nice")
		d.add("departments", fmt.Sprint("sub", i), fmt.Sprint("Sub ", i%7), d["departments"][1][0])
	}
	return d
}

func TestLongListsAreSplit(t *testing.T) {
	d := longLists(t)
	const bound = 10
	wide, store := openStore(t), openStore(t)
	load(t, wide, d.files(), Options{})
	want := readLists(t, wide, d, tables.ListBound)
	load(t, store, d.files(), Options{ListBound: bound})
	check := func(t *testing.T, store hbase.Store) {
		t.Helper()
		if diff := cmp.Diff(want, readLists(t, store, d, bound)); diff != "" {
			t.Errorf("lists (-wide +in buckets):\n%s", diff)
		}
		if diff := cmp.Diff(objectLines(dump(t, wide)), objectLines(dump(t, store))); diff != "" {
			t.Errorf("objects (-wide +in buckets):\n%s", diff)
		}
	}

	t.Run("have the same members and lengths in buckets", func(t *testing.T) {
		check(t, store)
		named := 0
		for _, line := range dump(t, store) {
			if strings.Contains(line, `:"\xff`) {
				named++
			}
		}
		if named < 50 {
			t.Errorf("got %d named buckets, want at least 50", named)
		}
	})

	t.Run("are unchanged by another import", func(t *testing.T) {
		before := dump(t, store)
		load(t, store, d.files(), Options{ListBound: bound})
		if diff := cmp.Diff(before, dump(t, store)); diff != "" {
			t.Errorf("(-once +twice):\n%s", diff)
		}
	})

	t.Run("get later members in the buckets that cover them", func(t *testing.T) {
		store := openStore(t)
		load(t, store, d.files("users", "departments", "roles", "games"), Options{ListBound: bound})
		for _, schema := range []string{"follows", "twits", "plays", "user_roles"} {
			for piece := range 4 {
				load(t, store, d.part(schema, func(i int) bool { return i%4 == piece }), Options{ListBound: bound})
			}
		}
		load(t, store, d.part("comments", func(i int) bool { return i < 300 }), Options{ListBound: bound})
		load(t, store, d.files("comments"), Options{ListBound: bound})
		load(t, store, d.files(relationFiles()...), Options{ListBound: bound})
		check(t, store)
	})
}
