package transfer

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/check"
)

func inDirectory(c hbase.Cell) bool { return strings.HasPrefix(c.Qualifier, tables.MembersEnd) }

// withoutTimes ignores the later timestamps of rewritten cells.
func withoutTimes(lines []string) []string {
	for i, line := range lines {
		lines[i] = regexp.MustCompile(`@\d+`).ReplaceAllString(line, "")
	}
	return lines
}

// The delete markers of the repair mask the next import's cells.
func TestImportCompletesAfterARepairOfUnnamedBuckets(t *testing.T) {
	d, options := longLists(t), Options{ListBound: 10}
	whole, store := openStore(t), openStore(t)
	load(t, whole, d.files(), options)
	if _, err := ImportFiles(t.Context(), failingPuts{store, inDirectory}, d.files(), options); !errors.Is(err, errDead) {
		t.Fatal(err)
	}
	if _, err := (check.Checker{Store: store}).RepairAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	load(t, store, d.files(), options)
	want, got := withoutTimes(readLists(t, whole, d, 10)), withoutTimes(readLists(t, store, d, 10))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-uninterrupted +after the repair):\n%s", diff)
	}
	if err := check.All(t.Context(), store, func(v check.Violation) { t.Error(v) }); err != nil {
		t.Error(err)
	}
}

// The repair deletes derived cells whose sources the interrupted import has not written.
func TestImportCompletesAfterInterruptionsAndRepairs(t *testing.T) {
	r := seeded(t)
	d, options := longListsBy(r), Options{ListBound: 10}
	before := d.files("users", "departments", "roles", "games")
	follows := "follower,followee,followed_at\n"
	for _, row := range d["follows"][1:] {
		if row[2] != "" {
			follows += row[0] + "," + row[1] + ",2011-01-01T00:00:00Z\n"
		}
	}
	before["follows.csv"] = []byte(follows)
	maps.Copy(before, d.part("plays", func(i int) bool { return i%2 == 0 }))
	read := func(store hbase.Store) (lines []string) {
		lines = withoutTimes(readLists(t, store, d, 10))
		for _, row := range d["users"][1:] {
			timeline, comments := members(t, store, tables.Timelines, row[0]), members(t, store, tables.UserComments, row[0])
			lines = append(lines, fmt.Sprint(row[0], timeline, comments))
		}
		return lines
	}
	whole := openStore(t)
	load(t, whole, before, options)
	load(t, whole, d.files(), options)
	want := read(whole)
	for range 2 {
		store, died := openStore(t), 0
		load(t, store, before, options)
		for left := r.IntN(2500); died < 3; left = r.IntN(2500) {
			died++
			_, err := ImportFiles(t.Context(), &dyingStore{Store: store, left: left, rand: r}, d.files(), options)
			if err != nil && !errors.Is(err, errDead) {
				t.Fatal(err)
			}
			if _, err := (check.Checker{Store: store}).RepairAll(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		load(t, store, d.part("plays", func(i int) bool { return i%3 == 0 }), options)
		load(t, store, d.files(), options)
		if diff := cmp.Diff(want, read(store)); diff != "" {
			t.Errorf("(-uninterrupted +after repairs):\n%.4000s", diff)
		}
		if err := check.All(t.Context(), store, func(v check.Violation) { t.Error(v) }); err != nil {
			t.Error(err)
		}
	}
}

// The repair deletes a comment because a restored backup lacks its author. The import adds both.
func TestImportRestoresACommentAfterARepair(t *testing.T) {
	store := openStore(t)
	load(t, store, csvFiles(map[string]string{"users": people("a"), "twits": base["twits"]}), Options{})
	twit := (&tables.Twit{AuthorName: "a", PostedAt: parsed(t, "2024-05-01T00:00:00Z"), Name: "t"}).Key().String()
	c := comment{author: "b", postedAt: parsed(t, "2024-05-02T00:00:00Z"), content: "hi"}.stored(twit)
	put := hbase.PutCells(tables.Comments.Table, tables.Comments.Row(twit, 0), tables.Comments.Cell(c, stamp(c.PostedAt)))
	if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{put}); err != nil {
		t.Fatal(err)
	}
	if _, err := (check.Checker{Store: store}).RepairAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	load(t, store, csvFiles(map[string]string{
		"users": people("b"), "comments": "twit,author,posted_at,content\nt,b,2024-05-02T00:00:00Z,hi\n",
	}), Options{})
	if got := members(t, store, tables.Comments, twit); len(got) != 1 {
		t.Errorf("got comments %q, want one", got)
	}
	if err := check.All(t.Context(), store, func(v check.Violation) { t.Error(v) }); err != nil {
		t.Error(err)
	}
}

func TestImportRestoresPlaysAfterARepair(t *testing.T) {
	store := openStore(t)
	load(t, store, csvFiles(map[string]string{"users": people("a"), "games": base["games"]}), Options{})
	write := func(plays ...tables.DayCount) {
		t.Helper()
		for _, p := range plays {
			put := tables.Plays.Put("b", "g", p, time.Now().UnixMilli())
			if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{put}); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(tables.DayCount{Day: "2024-05-01", Count: 3}, tables.DayCount{Day: "2024-05-02", Count: 1})
	if _, err := (check.Checker{Store: store}).RepairAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	files := csvFiles(map[string]string{
		"users": people("b"), "plays": "username,game,day,count\nb,g,2024-05-01,3\n",
	})
	expect := func(name string, want ...tables.DayCount) {
		t.Helper()
		cells, err := hbase.GetOne(t.Context(), store, tables.Plays.Get("b", "g"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := tables.Plays.Decode(cells)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
		if err := check.All(t.Context(), store, func(v check.Violation) { t.Error(v) }); err != nil {
			t.Error(err)
		}
	}
	load(t, store, files, Options{})
	expect("after the import", tables.DayCount{Day: "2024-05-01", Count: 3})
	load(t, store, files, Options{})
	expect("after a second import", tables.DayCount{Day: "2024-05-01", Count: 3})
	time.Sleep(2 * time.Millisecond)
	write(tables.DayCount{Day: "2024-05-01", Count: 5})
	files["plays.csv"] = append(files["plays.csv"], "b,g,2024-05-02,1\n"...)
	load(t, store, files, Options{})
	expect("after a later count",
		tables.DayCount{Day: "2024-05-01", Count: 5}, tables.DayCount{Day: "2024-05-02", Count: 1})
}
