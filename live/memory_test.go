package live

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestObservationsAreSmall(t *testing.T) {
	const owners, seconds = 100, 3600
	p := New(nil, Options{})
	begun := time.Now()
	var all []*row
	for i := range owners {
		all = append(all, p.row(rowName{Timeline, fmt.Sprint("owner", i)}, begun))
	}
	before, took := heap(), time.Now()
	for second := range seconds {
		now := begun.Add(time.Duration(second) * time.Second)
		name := fmt.Sprintf("00000000000000%06d", second)
		twit := &tables.Twit{AuthorName: "author", PostedAt: now.Add(time.Millisecond), Name: name}
		for _, r := range all {
			read := r.newRead(time.Time{})
			read.add(hbase.Result{Cells: []hbase.Cell{tables.Timelines.Cell(twit.Key(), 1)}})
			at := elapsed(now.Sub(p.started))
			if read.err != nil || !r.observe(read.members[0], r, at) || r.observe(read.members[0], r, at) {
				t.Fatal(read.err)
			}
			r.endPoll(at, now, now.Add(-Overlap))
		}
	}
	kept := 2 * MaxReordering.Seconds() * owners
	each := float64(heap()-before) / kept
	t.Logf("%.0f bytes per twit of a timeline; %s per timeline and second", each, time.Since(took)/(owners*seconds))
	if each > 64 {
		t.Errorf("got %.0f bytes per twit of a timeline, want at most 64", each)
	}
	runtime.KeepAlive(all)
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
