package tables_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestJobsOfEveryKindAreReadWhole(t *testing.T) {
	for _, e := range []tables.Job{
		job,
		{ID: job.ID, Kind: tables.Deleted, At: 1, Author: "小红", Position: moment.Key().Position},
		{ID: job.ID, Kind: tables.Followed, At: 1, Author: "小红", Follower: "LiLei"},
		{ID: job.ID, Kind: tables.Unfollowed, At: 1, Author: "小红", Follower: "LiLei"},
		{ID: job.ID, Kind: tables.Returned, At: 1, Author: "小红"},
	} {
		put := tables.Jobs.Put(e)
		got, ok, err := tables.Jobs.Decode(put.Row, put.Cells)
		if diff := cmp.Diff(e, got); diff != "" || !ok || err != nil {
			t.Errorf("%s: found %v, error %v (-want +got):\n%s", e.Kind, ok, err, diff)
		}
	}
}

func TestAnJobWithAPartOfAnotherKindIsCorrupt(t *testing.T) {
	for _, e := range []tables.Job{
		{ID: job.ID, Kind: tables.Posted, At: 1, Author: "小红"},
		{ID: job.ID, Kind: tables.Posted, At: 1, Author: "小红", Position: job.Position, Follower: "LiLei"},
		{ID: job.ID, Kind: tables.Followed, At: 1, Author: "小红"},
		{ID: job.ID, Kind: tables.Followed, At: 1, Author: "小红", Follower: "LiLei", Position: job.Position},
		{ID: job.ID, Kind: tables.Returned, At: 1, Author: "小红", Follower: "LiLei"},
		{ID: job.ID, Kind: tables.Returned, At: 1},
		{ID: job.ID, Kind: "lost", At: 1, Author: "小红"},
	} {
		put := tables.Jobs.Put(e)
		if _, _, err := tables.Jobs.Decode(put.Row, put.Cells); !errors.Is(err, hbase.ErrCorrupt) {
			t.Errorf("%+v: error %v", e, err)
		}
	}
}

func TestARowWithoutAJobHasProgressAndALease(t *testing.T) {
	want := tables.Progress{Cursor: job.Position, Unverified: batch.Encode()}
	cells := append(want.Cells(), tables.NewLease("me", noon).Cell(0))
	if e, ok, err := tables.Jobs.Decode(tables.Jobs.Row(job.ID), cells); ok || err != nil {
		t.Errorf("%+v, error %v", e, err)
	}
	if diff := cmp.Diff(want, tables.Jobs.Progress(cells)); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	l := tables.LeaseOf(cells)
	if string(l.Value) != "1424174400000 me" || !l.Until.Equal(noon) || !l.HeldBy("me") || l.HeldBy("e") {
		t.Errorf("lease %q until %v", l.Value, l.Until)
	}
}

func TestALeaseThatCannotBeReadHasEnded(t *testing.T) {
	cell := tables.NewLease("me", noon).Cell(0)
	cell.Value = []byte("?")
	if l := tables.LeaseOf([]hbase.Cell{cell}); l.Until.After(time.UnixMilli(0)) {
		t.Errorf("the lease lasts until %v", l.Until)
	}
}

// A check of no lease would succeed on a row that was removed.
func TestANewJobHasALeaseThatHasEnded(t *testing.T) {
	l := tables.LeaseOf(tables.Jobs.Put(job).Cells)
	if len(l.Check().Value) == 0 || l.Until.After(time.UnixMilli(0)) {
		t.Errorf("%q is checked, of a lease until %v", l.Check().Value, l.Until)
	}
}

func TestShardsOfJobsAreApartAndCoverAll(t *testing.T) {
	for n := range 100 {
		id := tables.NewOp(noon, uint64(n))
		found := 0
		for shard := range tables.OutboxShards {
			scan := tables.Jobs.Scan(shard, noon.Add(-time.Second), time.Time{})
			if row := tables.Jobs.Row(id); scan.Start <= row && (scan.Stop == "" || row < scan.Stop) {
				found++
			}
			if later := tables.Jobs.Scan(shard, noon.Add(time.Second), time.Time{}); later.Start <= tables.Jobs.Row(id) && tables.Jobs.Row(id)[0] == later.Start[0] {
				t.Errorf("%s is found among what began later", id)
			}
		}
		if found != 1 {
			t.Errorf("%s is in %d shards", id, found)
		}
	}
}

func TestBroadcastersAreThoseOfWhomNotAllIsInTimelines(t *testing.T) {
	var cells []hbase.Cell
	for _, put := range []hbase.Put{tables.Broadcasters.Put("LiLei", tables.Merged, 1), tables.Broadcasters.Put("Lucy", tables.Pushed, 1),
		tables.Broadcasters.Put("小红", tables.Leaving(job.ID), 1)} {
		cells = append(cells, put.Cells...)
	}
	if got, err := tables.Broadcasters.Decode(cells); err != nil || !slices.Equal(got, []string{"LiLei", "小红"}) {
		t.Errorf("%q, error %v", got, err)
	}
	if state, stored, err := tables.Broadcasters.State(nil); state != tables.Pushed || stored || err != nil {
		t.Errorf("of whom nothing is stored is %q, stored %v, error %v", state, stored, err)
	}
}
