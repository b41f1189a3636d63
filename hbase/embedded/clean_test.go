package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"twibase/hbase"
)

// fixture has a clock, and families i (one version) and v (three).
type fixture struct {
	*Store
	t       *testing.T
	present time.Time
}

func newFixture(t *testing.T) *fixture {
	d := &fixture{Store: mustOpen(t, ""), t: t, present: time.UnixMilli(1e12)}
	t.Cleanup(func() { d.Close() })
	d.cleaner.stop()
	d.clock = func() time.Time { return d.present }
	d.empty()
	return d
}

func (d *fixture) empty() {
	d.t.Helper()
	if err := d.DropTable(context.Background(), "t"); err != nil && !errors.Is(err, hbase.ErrTableNotFound) {
		d.t.Fatal(err)
	}
	table := hbase.Table{Name: "t", Families: []hbase.FamilySchema{{Name: "i"}, {Name: "v", Versions: 3}}}
	if err := d.CreateTable(context.Background(), table); err != nil {
		d.t.Fatal(err)
	}
}

func (d *fixture) write(m hbase.Mutation) {
	d.t.Helper()
	if errs, err := d.Mutate(context.Background(), []hbase.Mutation{m}); errs != nil || err != nil {
		d.t.Fatal(errs, err)
	}
}

func (d *fixture) put(column string, timestamp int64) {
	d.t.Helper()
	value := fmt.Append(nil, timestamp)
	cell := hbase.Cell{Family: column[:1], Qualifier: column[2:], Timestamp: timestamp, Value: value}
	d.write(hbase.Put{Table: "t", Row: "r", Cells: []hbase.Cell{cell}})
}

func (d *fixture) remove(kind hbase.Kind, column string, timestamp int64) {
	d.t.Helper()
	deletion := hbase.Deletion{Kind: kind, Family: column[:1], Qualifier: column[2:], Timestamp: timestamp}
	d.write(hbase.Delete{Table: "t", Row: "r", Columns: []hbase.Deletion{deletion}})
}

func (d *fixture) read() (list []string) {
	d.t.Helper()
	results, err := d.Get(context.Background(), []hbase.Get{{Table: "t", Row: "r", Versions: 100}})
	if err != nil || results[0].Err != nil {
		d.t.Fatal(results, err)
	}
	for _, c := range results[0].Cells {
		list = append(list, fmt.Sprintf("%s:%s@%d", c.Family, c.Qualifier, c.Timestamp))
	}
	return list
}

func (d *fixture) entries() (n int) {
	d.t.Helper()
	r, err := d.reader(nil)
	if err != nil {
		d.t.Fatal(err)
	}
	defer r.close()
	row := appendRow(nil, d.tables["t"].id, "r")
	for r.seek(row); r.in(row); r.next() {
		n++
	}
	return n
}

func (d *fixture) cleanQueued() error {
	for len(d.cleaner.queue) > 0 {
		if err := d.Store.clean(context.Background(), []byte(<-d.cleaner.queue)); err != nil {
			return err
		}
	}
	return nil
}

func (d *fixture) clean(entries int) {
	d.t.Helper()
	before := d.read()
	if err := d.cleanQueued(); err != nil {
		d.t.Fatal(err)
	}
	if diff := cmp.Diff(before, d.read()); diff != "" {
		d.t.Errorf("cleaning changed an answer (-before +after):\n%s", diff)
	}
	if got := d.entries(); got != entries {
		d.t.Errorf("got %d entries, want %d", got, entries)
	}
}

func (d *fixture) expect(want ...string) {
	d.t.Helper()
	if diff := cmp.Diff(want, d.read()); diff != "" {
		d.t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCleaningRemovesVersionsThatNoReadReturns(t *testing.T) {
	const many = 10_000
	t.Run("the newest version of a cell stays", func(t *testing.T) {
		d := newFixture(t)
		d.put("i:other", 1)
		for n := range many {
			d.put("i:n", int64(n+1))
		}
		d.expect(fmt.Sprintf("i:n@%d", many), "i:other@1")
		d.clean(2)
	})
	t.Run("each kind of read queues the row", func(t *testing.T) {
		for name, change := range map[string]func(d *fixture, n int64) error{
			"CheckAndPut": func(d *fixture, n int64) error {
				check := hbase.Check{Family: "i", Qualifier: "n"}
				if n > 0 {
					check.Value = fmt.Append(nil, n-1)
				}
				cell := hbase.Cell{Family: "i", Qualifier: "n", Timestamp: n + 1, Value: fmt.Append(nil, n)}
				put := hbase.Put{Table: "t", Row: "r", Cells: []hbase.Cell{cell}}
				_, err := d.CheckAndPut(context.Background(), check, put)
				return err
			},
			"Get": func(d *fixture, n int64) error {
				d.put("i:n", n+1)
				_, err := d.Get(context.Background(), []hbase.Get{{Table: "t", Row: "r", Columns: "i:n"}})
				return err
			},
		} {
			t.Run(name, func(t *testing.T) {
				d := newFixture(t)
				for n := range int64(200) {
					if err := change(d, n); err != nil {
						t.Fatal(err)
					}
				}
				if len(d.cleaner.queue) == 0 {
					t.Error("the row is not queued")
				}
				d.clean(1)
			})
		}
	})
	t.Run("VERSIONS versions of a cell stay", func(t *testing.T) {
		d := newFixture(t)
		for n := range 200 {
			d.put("v:n", int64(n+1))
		}
		d.clean(3)
		d.expect("v:n@200", "v:n@199", "v:n@198")
	})
	t.Run("a read of the newest version finds garbage beyond many VERSIONS", func(t *testing.T) {
		d := newFixture(t)
		table := hbase.Table{Name: "t", Families: []hbase.FamilySchema{{Name: "w", Versions: 70}}}
		if err := errors.Join(d.DropTable(t.Context(), "t"), d.CreateTable(t.Context(), table)); err != nil {
			t.Fatal(err)
		}
		for n := range 200 {
			d.put("w:n", int64(n+1))
		}
		if _, err := d.Get(context.Background(), []hbase.Get{{Table: "t", Row: "r", Columns: "w:n"}}); err != nil {
			t.Fatal(err)
		}
		if err := d.cleanQueued(); err != nil {
			t.Fatal(err)
		}
		if got := d.entries(); got != 70 {
			t.Errorf("got %d entries, want 70", got)
		}
	})
	t.Run("a few superseded versions stay", func(t *testing.T) {
		d := newFixture(t)
		for n := range tolerated {
			d.put("i:n", int64(n+1))
		}
		d.clean(tolerated)
	})
	t.Run("masked versions are removed before their marker", func(t *testing.T) {
		for kind, column := range map[hbase.Kind]string{hbase.Family: "i:", hbase.AllVersions: "i:n"} {
			d := newFixture(t)
			for n := range 50 {
				d.put("i:n", int64(n+1))
			}
			d.put("i:n", 500)
			d.put("v:x", 1)
			d.remove(kind, column, 100)
			d.clean(3)
			d.expect("i:n@500", "v:x@1")
		}
	})
	t.Run("a late put is masked after the cleaning", func(t *testing.T) {
		d := newFixture(t)
		d.put("i:n", 5)
		d.remove(hbase.Family, "i:", 100)
		d.expect()
		d.clean(1)
		d.put("i:n", 50)
		d.expect()
		d.put("i:n", 101)
		d.expect("i:n@101")
	})
	t.Run("an expired marker is removed with its versions", func(t *testing.T) {
		for _, timestamp := range []int64{100, 0} {
			d := newFixture(t)
			d.put("i:n", 5)
			d.put("v:n", 5)
			d.write(hbase.Delete{Table: "t", Row: "r", Timestamp: timestamp})
			d.remove(hbase.AllVersions, "i:n", 7)
			d.clean(3)
			d.present = d.present.Add(hbase.TimeToPurgeDeletes)
			d.clean(3)
			d.present = d.present.Add(time.Millisecond)
			d.clean(0)
			d.expect()
		}
	})
	t.Run("a younger marker stays", func(t *testing.T) {
		d := newFixture(t)
		d.put("i:n", 5)
		d.remove(hbase.Family, "i:", 10)
		d.present = d.present.Add(2 * hbase.TimeToPurgeDeletes)
		d.remove(hbase.AllVersions, "i:n", 20)
		d.clean(1)
		d.put("i:n", 15)
		d.expect()
	})
	t.Run("a scan queues deleted rows", func(t *testing.T) {
		d := newFixture(t)
		for n := range 100 {
			row := fmt.Sprint("intent", n)
			d.write(hbase.Put{Table: "t", Row: row, Cells: []hbase.Cell{{Family: "i", Qualifier: "q", Timestamp: 1}}})
			d.write(hbase.Delete{Table: "t", Row: row, Timestamp: 2})
		}
		d.present = d.present.Add(2 * hbase.TimeToPurgeDeletes)
		for range d.Scan(context.Background(), hbase.Scan{Table: "t"}) {
		}
		if queued := len(d.cleaner.queue); queued != 100 {
			t.Errorf("%d rows are queued, want 100", queued)
		}
		d.clean(0)
		r, err := d.reader(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.close()
		if prefix := appendTable(nil, d.tables["t"].id); r.it.SeekGE(prefix) {
			t.Errorf("%q is left", r.it.Key())
		}
	})
	t.Run("a row of a dropped table is skipped", func(t *testing.T) {
		d := newFixture(t)
		d.put("i:n", 1)
		d.remove(hbase.Family, "i:", 2)
		d.expect()
		if err := d.DropTable(context.Background(), "t"); err != nil {
			t.Fatal(err)
		}
		if queued := len(d.cleaner.queue); queued != 1 {
			t.Errorf("%d rows are queued", queued)
		}
		if err := d.cleanQueued(); err != nil {
			t.Error(err)
		}
	})
	t.Run("the cleaner runs in the background", func(t *testing.T) {
		s := mustOpen(t, "")
		defer s.Close()
		d := &fixture{Store: s, t: t}
		createTable(t, s, "t")
		for n := range 1000 {
			d.put("i:n", int64(n+1))
		}
		for deadline := time.Now().Add(time.Minute); d.entries() != 1; time.Sleep(time.Millisecond) {
			d.expect("i:n@1000")
			if time.Now().After(deadline) {
				t.Fatalf("%d entries are left", d.entries())
			}
		}
	})
}

func TestCleanChangesNoRead(t *testing.T) {
	cleaned, left := newFixture(t), newFixture(t)
	rapid.Check(t, func(rt *rapid.T) {
		cleaned.empty()
		left.empty()
		columns := rapid.SampledFrom([]string{"i:a", "i:b", "i:", "v:a"})
		for range rapid.IntRange(1, 40).Draw(rt, "writes") {
			column := columns.Draw(rt, "column")
			timestamp := rapid.Int64Range(1, 9).Draw(rt, "timestamp")
			kind := rapid.SampledFrom([]hbase.Kind{hbase.Family, hbase.AllVersions}).Draw(rt, "kind")
			isPut := rapid.IntRange(0, 3).Draw(rt, "put") > 0
			for _, d := range []*fixture{cleaned, left} {
				if isPut {
					d.put(column, timestamp)
				} else {
					d.remove(kind, column, timestamp)
				}
			}
			if err := cleaned.Store.clean(context.Background(), appendRow(nil, cleaned.tables["t"].id, "r")); err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(left.read(), cleaned.read()); diff != "" {
				rt.Fatalf("(-never cleaned +cleaned):\n%s", diff)
			}
		}
	})
}

func (d *fixture) allEntries() (n int) {
	d.t.Helper()
	r, err := d.reader(nil)
	if err != nil {
		d.t.Fatal(err)
	}
	defer r.close()
	for r.seek(appendTable(nil, 1)); r.valid; r.next() {
		n++
	}
	return n
}

func TestExpiredCellsAreRemoved(t *testing.T) {
	d := newFixture(t)
	create := func(name string, ttl time.Duration) {
		t.Helper()
		definition := hbase.Table{Name: name, Families: []hbase.FamilySchema{{Name: "i"}, {Name: "e", TTL: ttl}}}
		if err := d.CreateTable(context.Background(), definition); err != nil {
			t.Fatal(err)
		}
		for _, row := range []string{"a", "b", "c"} {
			for i, age := range []time.Duration{0, time.Minute, time.Hour, 2 * time.Hour} {
				at := d.present.Add(-age).UnixMilli()
				for _, family := range []string{"i", "e"} {
					d.write(hbase.Put{Table: name, Row: row, Cells: []hbase.Cell{
						{Family: family, Qualifier: fmt.Sprint(i), Timestamp: at, Value: []byte("v")}}})
				}
			}
		}
	}
	create("never", 0)
	create("hour", time.Hour)
	create("minutes", 5*time.Minute)
	before := d.allEntries()
	d.present = d.present.Add(time.Second)
	d.cleaner.expire(context.Background())
	if removed := before - d.allEntries(); removed != 3*2+3*2 {
		t.Errorf("removed %d entries, want 12: per row, two of the table with an hour, two of the other", removed)
	}
	d.present = d.present.Add(24 * time.Hour)
	d.cleaner.expire(context.Background())
	if removed := before - d.allEntries(); removed != 2*3*4 {
		t.Errorf("removed %d entries after a day, want 24", removed)
	}
}

func TestCleaningAClosedStoreLogsNothing(t *testing.T) {
	d := newFixture(t)
	var log bytes.Buffer
	d.log = slog.New(slog.NewTextHandler(&log, nil))
	d.Close()
	if d.cleaner.expire(context.Background()); log.Len() > 0 {
		t.Errorf("logged %s", &log)
	}
}
