package embedded

import (
	"testing"

	"twibase/hbase"
)

func TestMemosLiveAsLongAsTheirCell(t *testing.T) {
	d := newFixture(t)
	d.put("v:b", 7)
	read := func() *hbase.Memo {
		t.Helper()
		results, _ := d.answer(hbase.Get{Table: "t", Row: "r", Columns: "v"})
		if len(results[0].Cells) != 1 {
			t.Fatal(results)
		}
		return results[0].Cells[0].Memo
	}
	for range 2 {
		for range 2 {
			if read() != nil {
				t.Error("a cell that is not cached has a memo")
			}
		}
		if read().Made() != nil {
			t.Error("the new cell has the old one's value")
		}
		if read().Remember("made", 1); read().Made() != "made" {
			t.Error("the memo has no value")
		}
		d.put("v:b", 8)
	}
}

func TestMemosCountForTheCacheSize(t *testing.T) {
	d := newFixture(t)
	d.cache = newRowCache(256 << 10)
	taken := func(row string) (room, shard int) {
		for i := range d.cache.shards {
			s := &d.cache.shards[i]
			for _, cached := range s.rows.Values() {
				if cached.key.row == row {
					return cached.size, s.size
				}
			}
		}
		return 0, 0
	}
	memo := func(row string) *hbase.Memo {
		results, _ := d.answer(hbase.Get{Table: "t", Row: row, Columns: "v"})
		return results[0].Cells[0].Memo
	}
	cells := []hbase.Cell{{Family: "v", Qualifier: "a"}, {Family: "v", Qualifier: "b"}}
	d.write(hbase.Put{Table: "t", Row: "row", Cells: cells})
	memo("row")
	memo("row")
	before, shard := taken("row")
	memo("row").Remember("made", 1000)
	if after, all := taken("row"); after != before+1016 || all != shard+1016 {
		t.Errorf("row of %d bytes in a shard of %d, before %d in %d", after, all, before, shard)
	}
	results, _ := d.answer(hbase.Get{Table: "t", Row: "row", Columns: "v"})
	other := results[0].Cells[1].Memo
	other.Remember("large", 7<<10)
	if room, all := taken("row"); other.Made() != nil || room != before+1016 || all != shard+1016 {
		t.Errorf("one row has more than half of the shard: %d bytes of %d", room, all)
	}
	cells = []hbase.Cell{{Family: "v", Qualifier: "a", Value: []byte("new")}}
	d.write(hbase.Put{Table: "t", Row: "row", Cells: cells})
	memo("row")
	memo("row")
	if after, all := taken("row"); after != before+3 || all != shard+3 {
		t.Errorf("new row of %d bytes in a shard of %d, old one %d in %d", after, all, before, shard)
	}
	other.Remember("late", 1)
	if after, all := taken("row"); other.Made() != nil || after != before+3 || all != shard+3 {
		t.Errorf("the memo of an evicted row takes room: %d of %d", after, all)
	}
}
