package writers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// visible is what somebody sees in a timeline: entries and what broadcasters posted, as far as it is there and its author followed. It reads in
// two rounds, and the parts of each in any order, as resolvers do.
func visible(ctx context.Context, store hbase.Store, owner string) (map[string]bool, error) {
	type answer struct {
		cells []hbase.Cell
		err   error
	}
	read := func(gets ...hbase.Get) ([][]hbase.Cell, error) {
		answers, out := make([]chan answer, len(gets)), make([][]hbase.Cell, len(gets))
		for i, get := range gets {
			answers[i] = make(chan answer, 1)
			go func() {
				cells, err := cellsOf(ctx, store, get)
				answers[i] <- answer{cells, err}
			}()
		}
		var failed error
		for i := range gets {
			a := <-answers[i]
			if out[i] = a.cells; a.err != nil {
				failed = a.err
			}
		}
		return out, failed
	}
	cells, err := read(tables.Timelines.Get(owner, 0, hbase.Page{}), tables.Broadcasters.Get())
	if err != nil {
		return nil, err
	}
	merged, err := tables.Broadcasters.Decode(cells[1])
	if err != nil {
		return nil, err
	}
	positions := map[string]bool{}
	for _, c := range cells[0] {
		positions[c.Qualifier] = true
	}
	cells, err = read(tables.Follows.Get(owner, idol), tables.Twits.Get(idol, 0, hbase.Page{Stop: tables.MembersEnd}))
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	if follows, _, err := tables.Follows.Decode(cells[0]); err != nil || !follows {
		return seen, err
	}
	twits, _, _, err := tables.Twits.Decode(idol, cells[1])
	for _, twit := range twits {
		if len(merged) > 0 || positions[tables.Timelines.Position(twit.Key())] {
			seen[twit.Content] = true
		}
	}
	return seen, err
}

// holes are twits that the reader saw, and later did not, though nobody had begun to delete them.
func holes(reads []timelineRead, calls []made) (breaches []string) {
	for i, early := range reads {
		for _, later := range reads[i+1:] {
			for key := range early.twits {
				deleted := slices.ContainsFunc(calls, func(m made) bool { return m.text == "delete "+key && m.began <= later.end })
				if !later.twits[key] && !deleted {
					breaches = append(breaches, fmt.Sprintf("%s was seen at %d–%d and not at %d–%d", key, early.began, early.end, later.began, later.end))
				}
			}
		}
	}
	return breaches
}

// wrongTimelines says what is wrong with a store in which all jobs are done: each timeline has what it should, none what it should not.
func wrongTimelines(t *testing.T, store hbase.Store) (breaches []string) {
	ctx := t.Context()
	twits, err := membersOf(ctx, store, tables.Twits, idol)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := cellsOf(ctx, store, tables.Broadcasters.Get())
	if err != nil {
		t.Fatal(err)
	}
	merged, err := tables.Broadcasters.Decode(cells)
	if err != nil {
		t.Fatal(err)
	}
	for _, owner := range append(people, fans...) {
		seen, err := visible(ctx, store, owner)
		if err != nil {
			t.Fatal(err)
		}
		cells, err := cellsOf(ctx, store, tables.Follows.Get(owner, idol))
		if err != nil {
			t.Fatal(err)
		}
		follows, _, _ := tables.Follows.Decode(cells)
		want, should := []string{}, map[string]bool{}
		for _, twit := range twits {
			if follows {
				want = append(want, twit.Content)
				should[tables.Timelines.Position(twit.Key())] = true
			}
		}
		if len(seen) != len(want) || slices.ContainsFunc(want, func(key string) bool { return !seen[key] }) {
			breaches = append(breaches, fmt.Sprintf("%s sees %v, and should see %q", owner, seen, want))
		}
		if cells, err = cellsOf(ctx, store, tables.Timelines.Get(owner, 0, hbase.Page{})); err != nil {
			t.Fatal(err)
		}
		for _, c := range cells {
			if !should[c.Qualifier] {
				breaches = append(breaches, fmt.Sprintf("the timeline of %s has %q, and should not", owner, c.Qualifier))
			}
		}
		if len(merged) == 0 && len(cells) != len(should) {
			breaches = append(breaches, fmt.Sprintf("the timeline of %s has %d entries, and should have %d", owner, len(cells), len(should)))
		}
	}
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Jobs.Table, Columns: tables.Attributes}) {
		if err != nil {
			t.Fatal(err)
		}
		breaches = append(breaches, fmt.Sprintf("a job is left over: %q", fmt.Sprint(row)))
	}
	return breaches
}

// At each call of the store that feeds make, everything that can go wrong does so once.
func TestEveryCrashPointOfFeedsIsSafe(t *testing.T) {
	seed := firstSeed(t)
	reached, histories := map[point][]feedHistory{}, 0
	tries := 2
	if long {
		tries = 6
	}
	must := func(h feedHistory) ran {
		histories++
		return h.must(t)
	}
	for i := range 40 {
		h := newFeedHistory(history{seed: seed + uint64(i), clients: 2 + i%2, calls: 6}, []int{1, 2, 1000}[i%3])
		for p := range must(h).turns.reached {
			if p.kind == "feeds" {
				reached[p] = append(reached[p], h)
			}
		}
	}
	done := 0
	for _, p := range slices.SortedFunc(maps.Keys(reached), point.compare) {
		for m := none + 1; m < mishaps; m++ {
			hit := false
			for i, h := range reached[p] {
				if i >= tries && hit {
					break
				}
				nth := i % tries
				h.planned, h.mishap, h.nth, h.held = p, m, nth/2*(1-nth%2), nth%2 == 1
				hit = must(h).turns.failed[p][m] || hit
			}
			if done++; !hit {
				t.Errorf("%v: no history had a %q there", p, m)
			}
		}
	}
	t.Logf("%d crash points in %d histories: %d points in feeds, %d mishaps at each", done, histories, len(reached), mishaps-1)
	for _, what := range []string{"check errands", "check broadcasters", "hbase.Put timelines", "hbase.Delete timelines", "hbase.Put errands", "hbase.Delete errands"} {
		if len(reached[point{"feeds", what}]) == 0 {
			t.Errorf("no history comes to %q", what)
		}
	}
}
