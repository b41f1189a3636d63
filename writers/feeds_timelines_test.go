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

// visibleTwits reads a timeline in two rounds, like a resolver.
func visibleTwits(ctx context.Context, store hbase.Store, owner string) (map[string]bool, error) {
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
	cells, err = read(tables.Follows.Get(owner, feedAuthor),
		tables.Twits.Get(feedAuthor, 0, hbase.Page{Stop: tables.MembersEnd}))
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	if follows, _, err := tables.Follows.Decode(cells[0]); err != nil || !follows {
		return seen, err
	}
	twits, _, err := tables.Twits.Decode(feedAuthor, cells[1])
	for _, twit := range twits {
		if len(merged) > 0 || positions[tables.Timelines.Position(twit.Key())] {
			seen[twit.Content] = true
		}
	}
	return seen, err
}

func vanishedTwits(reads []timelineRead, calls []callResult) (violations []string) {
	for i, early := range reads {
		for _, later := range reads[i+1:] {
			for key := range early.twits {
				deleted := slices.ContainsFunc(calls, func(m callResult) bool {
					return m.text == "delete "+key && m.began <= later.end
				})
				if !later.twits[key] && !deleted {
					violations = append(violations, fmt.Sprintf("%s was read at %d–%d and not at %d–%d",
						key, early.began, early.end, later.began, later.end))
				}
			}
		}
	}
	return violations
}

func timelineViolations(t *testing.T, store hbase.Store) (violations []string) {
	ctx := t.Context()
	twits, err := membersOf(ctx, store, tables.Twits, feedAuthor)
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
	for _, owner := range append(userNames, followerNames...) {
		seen, err := visibleTwits(ctx, store, owner)
		if err != nil {
			t.Fatal(err)
		}
		cells, err := cellsOf(ctx, store, tables.Follows.Get(owner, feedAuthor))
		if err != nil {
			t.Fatal(err)
		}
		follows, _, _ := tables.Follows.Decode(cells)
		want, entries := []string{}, map[string]bool{}
		for _, twit := range twits {
			if follows {
				want = append(want, twit.Content)
				entries[tables.Timelines.Position(twit.Key())] = true
			}
		}
		if len(seen) != len(want) || slices.ContainsFunc(want, func(key string) bool { return !seen[key] }) {
			violations = append(violations, fmt.Sprintf("%s sees %v, want %q", owner, seen, want))
		}
		if cells, err = cellsOf(ctx, store, tables.Timelines.Get(owner, 0, hbase.Page{})); err != nil {
			t.Fatal(err)
		}
		for _, c := range cells {
			if !entries[c.Qualifier] {
				violations = append(violations, fmt.Sprintf("the timeline of %s has unexpected %q", owner, c.Qualifier))
			}
		}
		if len(merged) == 0 && len(cells) != len(entries) {
			violations = append(violations,
				fmt.Sprintf("the timeline of %s has %d entries, want %d", owner, len(cells), len(entries)))
		}
	}
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Jobs.Table, Columns: tables.Attributes}) {
		if err != nil {
			t.Fatal(err)
		}
		violations = append(violations, fmt.Sprintf("a job is left: %q", fmt.Sprint(row)))
	}
	return violations
}

func TestEveryCrashPointOfFeedsIsSafe(t *testing.T) {
	seed := firstSeed(t)
	reached, histories := map[point][]feedHistory{}, 0
	tries := 2
	if thorough {
		tries = 6
	}
	run := func(h feedHistory) historyResult {
		histories++
		return h.mustPass(t)
	}
	for i := range 40 {
		h := newFeedHistory(history{seed: seed + uint64(i), clients: 2 + i%2, calls: 6}, []int{1, 2, 1000}[i%3])
		for p := range run(h).scheduler.reached {
			if p.opType == "feeds" {
				reached[p] = append(reached[p], h)
			}
		}
	}
	done := 0
	for _, p := range slices.SortedFunc(maps.Keys(reached), point.compare) {
		for m := noFault + 1; m < faultCount; m++ {
			hit := false
			for i, h := range reached[p] {
				if i >= tries && hit {
					break
				}
				nth := i % tries
				h.planned, h.fault, h.nth, h.held = p, m, nth/2*(1-nth%2), nth%2 == 1
				hit = run(h).scheduler.failed[p][m] || hit
			}
			if done++; !hit {
				t.Errorf("%v: no history has the fault %q there", p, m)
			}
		}
	}
	t.Logf("%d crash points in %d histories: %d points, %d faults at each", done, histories, len(reached), faultCount-1)
	for _, purpose := range []string{"check errands", "check broadcasters", "hbase.Put timelines",
		"hbase.Delete timelines", "hbase.Put errands", "hbase.Delete errands"} {
		if len(reached[point{"feeds", purpose}]) == 0 {
			t.Errorf("no history reaches %q", purpose)
		}
	}
}
