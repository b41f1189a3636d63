package embedded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
)

func (d *fixture) answer(gets ...hbase.Get) (results []hbase.Result, cost string) {
	d.t.Helper()
	var stats hbase.Stats
	results, err := d.Get(hbase.WithStats(context.Background(), &stats), gets)
	if err != nil {
		d.t.Fatal(err)
	}
	return results, fmt.Sprintf("%d RPCs, %d Gets, %d rows, %d bytes",
		stats.RPCs.Load(), stats.Gets.Load(), stats.Rows.Load(), stats.Bytes.Load())
}

func cacheCounts(s *Store) (hits, misses int64) { return s.hits.Load(), s.misses.Load() }

func (d *fixture) hits(gets ...hbase.Get) int64 {
	d.t.Helper()
	before, _ := cacheCounts(d.Store)
	d.answer(gets...)
	after, _ := cacheCounts(d.Store)
	return after - before
}

func (d *fixture) uncached(gets ...hbase.Get) (results []hbase.Result, cost string) {
	d.t.Helper()
	cache := d.cache
	d.cache = nil
	defer func() { d.cache = cache }()
	return d.answer(gets...)
}

func TestRowsThatWereReadTwiceAreCached(t *testing.T) {
	d := newFixture(t)
	for i := range 3 {
		cells := []hbase.Cell{{Family: "i", Qualifier: "a", Value: []byte("A")}, {Family: "v", Qualifier: "b"}}
		d.write(hbase.Put{Table: "t", Row: fmt.Sprint("row", i), Cells: cells})
	}
	gets := []hbase.Get{
		{Table: "t", Row: "row1"},
		{Table: "t", Row: "none"},
		{Table: "t", Row: "row0"},
		{Table: "t", Row: "row2", Columns: "i:a v:b"},
		{Table: "t", Row: "row1", Columns: "v", Page: hbase.Page{Start: hbase.Next("a"), Limit: 3}},
		{Table: "t", Row: "row1"},
		{Table: "t", Row: "row1", Columns: "nothing"},
	}
	want, cost := d.answer(gets...)
	if again, once := d.answer(gets...); once != cost || !cmp.Equal(want[:6], again[:6]) {
		t.Errorf("second read: %s, %v\nfirst read: %s, %v", once, again, cost, want)
	}
	db := d.db
	d.db = nil // an iterator would panic
	got, warm := d.answer(gets...)
	d.db = db
	if diff := cmp.Diff(want[:6], got[:6]); diff != "" || warm != cost || got[6].Err == nil {
		t.Errorf("cached read: %s, want %s; error %v\n%s", warm, cost, got[6].Err, diff)
	}
}

func TestRowCacheOfSizeZeroKeepsNothing(t *testing.T) {
	s, err := Open("", WithRowCache(0))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := &fixture{Store: s, t: t}
	d.empty()
	d.put("i:a", 1)
	for range 4 {
		d.answer(hbase.Get{Table: "t", Row: "r"})
	}
	if hits, misses := cacheCounts(s); hits != 0 || misses != 0 {
		t.Errorf("%d hits, %d misses", hits, misses)
	}
}

func TestSelectionsAndPagesAreCachedSeparately(t *testing.T) {
	d := newFixture(t)
	for _, q := range []string{"a", "b", "c", "d"} {
		d.put("i:"+q, 7)
		d.put("v:"+q, 7)
		d.put("v:"+q, 8)
	}
	gets := []hbase.Get{
		{}, {Columns: "i"}, {Columns: "v"}, {Columns: "i:a"}, {Columns: "i:a v:b"},
		{Versions: 1}, {Versions: 2},
		{Page: hbase.Page{Limit: 1}}, {Page: hbase.Page{Limit: 2}}, {Columns: "v", Page: hbase.Page{Limit: 1}},
	}
	for _, start := range []string{"", "a", "b"} {
		for _, stop := range []string{"", "b", "bc", "c"} {
			for limit := range 3 {
				gets = append(gets, hbase.Get{Columns: "v", Page: hbase.Page{Start: start, Stop: stop, Limit: limit}})
			}
		}
	}
	for i := range gets {
		gets[i].Table, gets[i].Row = "t", "r"
	}
	want, _ := d.uncached(gets...)
	for range 4 {
		got, _ := d.answer(gets...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestSelectionsBeyondTheCacheAreReadCorrectly(t *testing.T) {
	d := newFixture(t)
	d.put("i:a", 1)
	for n := range hbase.MaxCachedColumns + 200 {
		columns := fmt.Sprintf("i:a i:q%d", n)
		if got, _ := d.answer(hbase.Get{Table: "t", Row: "r", Columns: columns}); len(got[0].Cells) != 1 {
			t.Fatal(columns, got)
		}
		if got, _ := d.answer(hbase.Get{Table: "t", Row: "r", Columns: fmt.Sprintf("i:q%d", n)}); len(got[0].Cells) != 0 {
			t.Fatal(n, got)
		}
	}
}

func TestRowsAreNotCachedDuringAWrite(t *testing.T) {
	d := newFixture(t)
	d.put("i:a", 1)
	get := hbase.Get{Table: "t", Row: "r"}
	unlock := d.rows.alone(d.tables["t"].id, "r")
	for range 4 {
		if d.hits(get) != 0 {
			t.Fatal("a row was cached during a write")
		}
	}
	unlock()
	if first, second, third := d.hits(get), d.hits(get), d.hits(get); first != 0 || second != 0 || third != 1 {
		t.Errorf("%d, %d and %d hits after the write, want 0, 0 and 1", first, second, third)
	}
	unlock = d.rows.alone(d.tables["t"].id, "r")
	if d.hits(get) != 0 {
		t.Error("a hit during a write")
	}
	unlock()
	if d.hits(get) != 0 {
		t.Error("a hit after a write")
	}
}

func TestRowsThatChangeDuringACallAreReadAgain(t *testing.T) {
	d := newFixture(t)
	d.put("i:a", 1)
	gets := []hbase.Get{{Table: "t", Row: "r"}, {Table: "t", Row: "other"}}
	for range 3 {
		d.answer(gets...)
	}
	lookups := make([]lookup, 2)
	d.prepare(gets, lookups, make([]hbase.Result, 2))
	if _, missing := d.cache.find(&d.rows, lookups); missing != 0 {
		t.Fatalf("%d rows are not cached", missing)
	}
	if !d.allCurrent(lookups) {
		t.Error("a row is not current before any change")
	}
	d.put("i:a", 2)
	if d.allCurrent(lookups) || lookups[0].cached != nil || lookups[1].cached == nil {
		t.Errorf("want row r dropped and row other current, got %v", lookups)
	}
	d.cache.again(lookups[0].hash)
	if d.cache.offer(&lookups[0], nil, 0); d.hits(gets[0]) != 0 {
		t.Error("a row that changed during the call was cached")
	}
}

func TestARecreatedTableHasNoCachedRows(t *testing.T) {
	d := newFixture(t)
	for n := range 5 {
		d.expect()
		get := hbase.Get{Table: "t", Row: "r"}
		d.put("i:a", int64(n+1))
		for range 3 {
			if got, _ := d.answer(get); len(got[0].Cells) != 1 || got[0].Cells[0].Timestamp != int64(n+1) {
				t.Fatal(n, got)
			}
		}
		d.empty()
		for range 3 {
			if got, _ := d.answer(get); len(got[0].Cells) != 0 {
				t.Fatal(n, got)
			}
		}
	}
}

func TestAFullCacheKeepsFrequentRows(t *testing.T) {
	d := newFixture(t)
	const room = 256 << 10
	d.cache = newRowCache(room)
	get := func(i int) hbase.Get { return hbase.Get{Table: "t", Row: fmt.Sprint(i)} }
	put := func(i, size int) {
		cell := hbase.Cell{Family: "i", Qualifier: "a", Value: make([]byte, size)}
		d.write(hbase.Put{Table: "t", Row: fmt.Sprint(i), Cells: []hbase.Cell{cell}})
	}
	for i := range 2000 {
		put(i, 300)
	}
	for i := range 2000 {
		d.answer(get(i), get(0))
		d.answer(get(i), get(0))
		if i%20 > 0 {
			continue
		}
		taken := 0
		for j := range d.cache.shards {
			s := &d.cache.shards[j]
			sum := 0
			for _, k := range s.rows.Values() {
				sum += k.size
			}
			if sum != s.size {
				t.Fatalf("shard size is %d, sum of its rows %d", s.size, sum)
			}
			taken += sum
		}
		if taken > room {
			t.Fatalf("cache has %d bytes, limit %d", taken, room)
		}
	}
	if d.hits(get(0)) != 1 || d.hits(get(1)) != 0 || d.hits(get(1999)) != 1 {
		t.Error("want hits of rows 0 and 1999 only")
	}
	put(2000, maxCached)
	for range 4 {
		if d.hits(get(2000)) != 0 {
			t.Fatal("a row above maxCached was cached")
		}
	}
}

func TestCachedRowsEqualPebbles(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	d := newFixture(t)
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	ctx := context.Background()
	change := func() error {
		row, column, timestamp := pick("a", "b", "c"), pick("p", "q"), int64(random.IntN(20))
		family := pick("i", "v")
		value := fmt.Append(nil, random.IntN(100))
		cells := []hbase.Cell{{Family: family, Qualifier: column, Timestamp: timestamp, Value: value}}
		switch random.IntN(7) {
		case 0:
			check := hbase.Check{Family: family, Qualifier: column}
			now, _ := d.answer(hbase.Get{Table: "t", Row: row, Columns: family + ":" + column})
			if len(now[0].Cells) > 0 {
				check.Value = now[0].Cells[0].Value
			}
			_, err := d.CheckAndPut(ctx, check, hbase.Put{Table: "t", Row: row, Cells: cells})
			return err
		case 1:
			d.write(hbase.Delete{Table: "t", Row: row, Timestamp: timestamp})
		case 2:
			kind := []hbase.Kind{hbase.Family, hbase.AllVersions}[random.IntN(2)]
			if kind == hbase.Family {
				column = ""
			}
			deletion := hbase.Deletion{Kind: kind, Family: family, Qualifier: column, Timestamp: timestamp}
			d.write(hbase.Delete{Table: "t", Row: row, Columns: []hbase.Deletion{deletion}})
		case 3:
			d.present = d.present.Add(time.Hour)
			return d.cleanQueued()
		default:
			errs, err := d.Mutate(ctx, []hbase.Mutation{
				hbase.Put{Table: "t", Row: row, Cells: cells},
				hbase.Put{Table: "t", Row: "c", Cells: cells},
			})
			if errs != nil {
				return errs[0]
			}
			return err
		}
		return nil
	}
	for range 4000 {
		if random.IntN(3) == 0 {
			if err := change(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		var gets []hbase.Get
		for range 1 + random.IntN(3) {
			g := hbase.Get{Table: "t", Row: pick("a", "b", "c"), Columns: pick("", "i", "v", "i:p v:q")}
			if !strings.Contains(g.Columns, ":") {
				g.Page.Limit = random.IntN(2)
			}
			gets = append(gets, g)
		}
		got, cost := d.answer(gets...)
		want, uncached := d.uncached(gets...)
		if diff := cmp.Diff(want, got); diff != "" || cost != uncached {
			t.Fatalf("got %s, want %s (-Pebble +cache)\n%s", cost, uncached, diff)
		}
	}
	if hits, misses := cacheCounts(d.Store); hits < 200 {
		t.Errorf("%d hits and %d misses, want at least 200 hits", hits, misses)
	}
}

func TestKeysThatShareASlotAreCached(t *testing.T) {
	c := &rowCache{seenOnce: make([]atomic.Uint32, 1)}
	kept := map[string]bool{}
	for range 100 { // neither is kept with probability 2^-99
		for _, key := range []string{"a", "b"} {
			kept[key] = kept[key] || c.again(rowHash(0, key))
		}
	}
	if !kept["a"] || !kept["b"] {
		t.Errorf("got %v, want a and b", kept)
	}
}

func TestKeysWithEqualHashesAreNotMixedUp(t *testing.T) {
	d := newFixture(t)
	d.put("i:a", 1)
	gets := []hbase.Get{{Table: "t", Row: "r", Columns: "i:a"}}
	for range 2 {
		d.answer(gets...)
	}
	lookups := make([]lookup, 1)
	d.prepare(gets, lookups, make([]hbase.Result, 1))
	if s := d.cache.shard(&lookups[0]); s.get(&lookups[0]) == nil {
		t.Fatal("the row is not cached")
	} else if lookups[0].key.row = "other"; s.get(&lookups[0]) != nil {
		t.Error("another row with the same hash was found")
	}
}
