package check_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/check"
	"twibase/writers"
)

func checkLive(
	t *testing.T, store hbase.Store, grace time.Duration, before func(run int),
) (lines, changing []string) {
	t.Helper()
	run := 0
	unjudged, err := check.Checker{
		Store:   store,
		Grace:   grace,
		Report:  func(v check.Violation) { lines = append(lines, v.String()) },
		Waiting: func(int) { run++; before(run) },
	}.RunLive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range unjudged {
		changing = append(changing, v.String())
	}
	return lines, changing
}

func TestRunLiveReportsTheSameViolations(t *testing.T) {
	for _, test := range violations() {
		t.Run(test.name, func(t *testing.T) {
			store := open(t)
			write(t, store, test.broken...)
			damaged := dump(t, store)
			got, changing := checkLive(t, store, 0, func(int) {})
			slices.Sort(got)
			slices.Sort(test.lines)
			if diff := cmp.Diff(test.lines, got); diff != "" || len(changing) > 0 {
				t.Errorf("violations (-want +got):\n%s; changing: %q", diff, changing)
			}
			if diff := cmp.Diff(damaged, dump(t, store)); diff != "" {
				t.Errorf("a check changed the store (-before +after):\n%s", diff)
			}
		})
	}
}

func TestRunLiveDistinguishesViolationsFromWrites(t *testing.T) {
	right := attribute("users", "a", "followerCount", "4")
	wrong := func(count int) hbase.Mutation { return attribute("users", "a", "followerCount", fmt.Sprint(count)) }
	for _, test := range []struct {
		name            string
		runs            [3]hbase.Mutation // before each run
		lines, changing []string
	}{
		{"an operation in progress", [3]hbase.Mutation{wrong(3), right, wrong(3)}, nil, nil},
		{"two operations in progress", [3]hbase.Mutation{wrong(3), wrong(3), right}, nil, nil},
		{"a count of a list that changes", [3]hbase.Mutation{wrong(3), wrong(2), wrong(1)},
			nil, []string{wrongCount("users", "a", "followerCount", 1, 4, "users:f")}},
		{"a value that returns", [3]hbase.Mutation{wrong(3), wrong(2), wrong(3)},
			nil, []string{wrongCount("users", "a", "followerCount", 3, 4, "users:f")}},
		{"a violation", [3]hbase.Mutation{wrong(3), wrong(3), wrong(3)},
			[]string{wrongCount("users", "a", "followerCount", 3, 4, "users:f")}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := open(t)
			lines, changing := checkLive(t, store, 0, func(run int) { write(t, store, test.runs[run-1]) })
			if diff := cmp.Diff(test.lines, lines); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.changing, changing); diff != "" {
				t.Errorf("changing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunLiveWithConcurrentWriters(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	store := open(t)
	write(t, store, out(tables.RoleUsers, "boss", "a"))
	w := writers.New(store, writers.Options{Log: slog.New(slog.DiscardHandler)})
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	var writes [4]int
	for i := range writes {
		work.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for ctx.Err() == nil {
				writeAny(ctx, w, random)
				writes[i]++
			}
		})
	}
	lines, changing := checkLive(t, store, time.Second/2, func(int) {})
	stop()
	work.Wait()
	w.Close(t.Context())
	if want := []string{missing(tables.RoleUsers, "boss", "a", "a has the role boss")}; !slices.Equal(lines, want) {
		t.Errorf("violations: got %q, want %q", lines, want)
	}
	for _, line := range changing { // sums over changing rows
		if !strings.Contains(line, "Count: ") && !strings.Contains(line, " d:2020-01-01: ") {
			t.Errorf("cannot judge %s", line)
		}
	}
	t.Logf("%d writes; %d columns were changing", writes[0]+writes[1]+writes[2]+writes[3], len(changing))
}

// writeAny may fail if another operation excludes it.
func writeAny(ctx context.Context, w *writers.Writers, random *rand.Rand) {
	users := []string{"a", "b", "c", "d", "e"}
	user := func() string { return users[random.IntN(len(users))] }
	switch random.IntN(5) {
	case 0, 1:
		w.Relate(ctx, tables.Follows, user(), user())
	case 2:
		w.Unrelate(ctx, tables.Follows, user(), user())
	case 3:
		w.PostTwit(ctx, user(), writers.NewTwit{Content: "live"})
	case 4:
		w.RecordPlay(ctx, user(), writers.NewPlay{Game: "go", Day: &playDay, Count: 1})
	}
}

var playDay = "2020-01-01"
