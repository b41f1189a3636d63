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

func TestJobsRoundTrip(t *testing.T) {
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
			t.Errorf("%s: ok %v, error %v (-want +got):\n%s", e.Kind, ok, err, diff)
		}
	}
}

func TestJobWithWrongAttributesIsCorrupt(t *testing.T) {
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
			t.Errorf("%+v: got error %v, want %v", e, err, hbase.ErrCorrupt)
		}
	}
}

func TestRowWithOnlyLeaseAndProgressHasNoJob(t *testing.T) {
	want := tables.Progress{Cursor: job.Position, Unverified: batch.Encode()}
	cells := append(want.Cells(), tables.NewLease("me", noon).Cell(0))
	if e, ok, err := tables.Jobs.Decode(tables.Jobs.Row(job.ID), cells); ok || err != nil {
		t.Errorf("got job %+v, error %v, want none", e, err)
	}
	if diff := cmp.Diff(want, tables.Jobs.Progress(cells)); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	l := tables.LeaseOf(cells)
	if string(l.Value) != "1424174400000 me" || !l.Until.Equal(noon) || !l.HeldBy("me") || l.HeldBy("e") {
		t.Errorf("got lease %q until %v", l.Value, l.Until)
	}
}

func TestUnreadableLeaseHasEnded(t *testing.T) {
	cell := tables.NewLease("me", noon).Cell(0)
	cell.Value = []byte("?")
	if l := tables.LeaseOf([]hbase.Cell{cell}); l.Until.After(time.UnixMilli(0)) {
		t.Errorf("got a lease until %v, want 1970", l.Until)
	}
}

// A check for no lease would succeed on a removed row.
func TestNewJobHasEndedLease(t *testing.T) {
	l := tables.LeaseOf(tables.Jobs.Put(job).Cells)
	if len(l.Check().Value) == 0 || l.Until.After(time.UnixMilli(0)) {
		t.Errorf("got lease %q until %v, want one until 1970", l.Check().Value, l.Until)
	}
}

func TestShardsPartitionJobs(t *testing.T) {
	for n := range 100 {
		id := tables.NewOp(noon, uint64(n))
		found := 0
		for shard := range tables.OutboxShards {
			scan := tables.Jobs.Scan(shard, noon.Add(-time.Second), time.Time{})
			if row := tables.Jobs.Row(id); scan.Start <= row && (scan.Stop == "" || row < scan.Stop) {
				found++
			}
			later := tables.Jobs.Scan(shard, noon.Add(time.Second), time.Time{})
			if row := tables.Jobs.Row(id); later.Start <= row && row[0] == later.Start[0] {
				t.Errorf("%s is in the range of later jobs", id)
			}
		}
		if found != 1 {
			t.Errorf("%s is in %d shards, want 1", id, found)
		}
	}
}

func TestBroadcastersAreNotPushed(t *testing.T) {
	var cells []hbase.Cell
	for _, put := range []hbase.Put{
		tables.Broadcasters.Put("LiLei", tables.Merged, 1),
		tables.Broadcasters.Put("Lucy", tables.Pushed, 1),
		tables.Broadcasters.Put("小红", tables.Leaving(job.ID), 1),
	} {
		cells = append(cells, put.Cells...)
	}
	want := []string{"LiLei", "小红"}
	if got, err := tables.Broadcasters.Decode(cells); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, error %v, want %q", got, err, want)
	}
	if state, stored, err := tables.Broadcasters.State(nil); state != tables.Pushed || stored || err != nil {
		t.Errorf("without a stored state: got %q, stored %v, error %v", state, stored, err)
	}
}
