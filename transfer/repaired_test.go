package transfer

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/check"
)

// namesBucket reports whether a cell is one of the directory of a list.
func namesBucket(c hbase.Cell) bool { return strings.HasPrefix(c.Qualifier, tables.MembersEnd) }

// withoutTimes are lines without timestamps: what a deletion hides is written again, and is younger then.
func withoutTimes(lines []string) []string {
	for i, line := range lines {
		lines[i] = regexp.MustCompile(`@\d+`).ReplaceAllString(line, "")
	}
	return lines
}

// A repair takes away what an import that died had copied into buckets that nothing names. The next import makes the same buckets, and what was
// taken away of these rows would stay hidden there.
func TestAnImportGoesOnAfterARepairOfWhatADeadOneLeft(t *testing.T) {
	w, options := crowded(t), Options{ListBound: 10}
	whole, store := openStore(t), openStore(t)
	load(t, whole, w.files(), options)
	if _, err := ImportFiles(t.Context(), dyingAt{store, namesBucket}, w.files(), options); !errors.Is(err, errDead) {
		t.Fatal(err)
	}
	if _, err := (check.Checker{Store: store}).RepairAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	load(t, store, w.files(), options)
	if diff := cmp.Diff(withoutTimes(readLists(t, whole, w, 10)), withoutTimes(readLists(t, store, w, 10))); diff != "" {
		t.Errorf("(-at once +after a death and a repair):\n%s", diff)
	}
	if err := check.All(t.Context(), store, func(b check.Violation) { t.Error(b) }); err != nil {
		t.Error(err)
	}
}

// What follows from a row is written before it. A repair takes away what follows from nothing, and that must not keep it away.
func TestAnImportThatDiedAnywhereIsCompletedAfterARepair(t *testing.T) {
	r := seeded(t)
	w, options := crowdedBy(r), Options{ListBound: 10}
	// Whoever follows since some time followed before, and half of what was played is there.
	before := w.files("users", "departments", "roles", "games")
	follows := "follower,followee,followed_at\n"
	for _, row := range w["follows"][1:] {
		if row[2] != "" {
			follows += row[0] + "," + row[1] + ",2011-01-01T00:00:00Z\n"
		}
	}
	before["follows.csv"] = []byte(follows)
	maps.Copy(before, w.part("plays", func(i int) bool { return i%2 == 0 }))
	read := func(store hbase.Store) (lines []string) {
		lines = withoutTimes(readLists(t, store, w, 10))
		for _, row := range w["users"][1:] {
			lines = append(lines, fmt.Sprint(row[0], members(t, store, tables.Timelines, row[0]), members(t, store, tables.UserComments, row[0])))
		}
		return lines
	}
	whole := openStore(t)
	load(t, whole, before, options)
	load(t, whole, w.files(), options)
	want := read(whole)
	for range 2 {
		store, died := openStore(t), 0
		load(t, store, before, options)
		for left := r.IntN(2500); died < 3; left = r.IntN(2500) {
			died++
			_, err := ImportFiles(t.Context(), &mortal{Store: store, left: left, rand: r}, w.files(), options)
			if err != nil && !errors.Is(err, errDead) {
				t.Fatal(err)
			}
			if _, err := (check.Checker{Store: store}).RepairAll(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		load(t, store, w.part("plays", func(i int) bool { return i%3 == 0 }), options)
		load(t, store, w.files(), options)
		if diff := cmp.Diff(want, read(store)); diff != "" {
			t.Errorf("(-at once +after deaths and repairs):\n%.4000s", diff)
		}
		if err := check.All(t.Context(), store, func(b check.Violation) { t.Error(b) }); err != nil {
			t.Error(err)
		}
	}
}
