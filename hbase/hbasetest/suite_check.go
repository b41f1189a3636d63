package hbasetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"twibase/hbase"
)

func (s *suite) testCheckAndPut(t *testing.T) {
	ten := put1("i:q", 10, "old")
	for _, c := range []struct {
		name     string
		before   []write
		column   string
		expected string
		want     bool
	}{
		{"the expected value matches", []write{ten}, "i:q", "old", true},
		{"another value does not match", []write{ten}, "i:q", "other", false},
		{"a part of the value does not match", []write{ten}, "i:q", "ol", false},
		{"more than the value does not match", []write{ten}, "i:q", "old\x00", false},
		{"a check without a value matches an absent cell", nil, "i:q", "", true},
		{"a check without a value matches an absent cell of an existing row", []write{ten}, "i:r", "", true},
		{"a check without a value matches an empty cell", []write{put1("i:q", 10, "")}, "i:q", "", true},
		{"a check without a value does not match a value", []write{ten}, "i:q", "", false},
		{"an expected value does not match an absent cell", nil, "i:q", "old", false},
		{"an expected value does not match an empty cell", []write{put1("i:q", 10, "")}, "i:q", "old", false},
		{"a deleted cell is absent", []write{ten, remove(hbase.AllVersions, "i:q", 20)}, "i:q", "", true},
		{"a deleted cell does not have its value", []write{ten, remove(hbase.AllVersions, "i:q", 20)}, "i:q", "old", false},
		{"the newest version is checked", []write{put1("v:q", 10, "old"), put1("v:q", 20, "new")}, "v:q", "new", true},
		{"an older version is not checked", []write{put1("v:q", 10, "old"), put1("v:q", 20, "new")}, "v:q", "old", false},
		{"the empty qualifier is checked", []write{put1("i:", 10, "old")}, "i:", "old", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			key := row(t, "")
			s.write(t, s.table, key, c.before...)
			checked := cell(c.column, 0, "")
			check := hbase.Check{Family: checked.Family, Qualifier: checked.Qualifier, Value: []byte(c.expected)}
			done, err := s.store.CheckAndPut(s.ctx, check,
				hbase.Put{Table: s.table, Row: key, Cells: []hbase.Cell{cell("f:a", 30, "a"), cell("f:b", 30, "b")}})
			if err != nil || done != c.want {
				t.Fatalf("got %v, %v", done, err)
			}
			if c.want {
				s.expect(t, hbase.Get{Row: key, Columns: "f"}, "f:a@30=a", "f:b@30=b")
			} else {
				s.expect(t, hbase.Get{Row: key, Columns: "f"})
			}
		})
	}
	t.Run("a put without a timestamp is not older than the checked version", func(t *testing.T) {
		key, future := row(t, ""), time.Now().Add(24*time.Hour).UnixMilli()
		s.write(t, s.table, key, put1("i:q", future, "old"))
		done, err := s.store.CheckAndPut(s.ctx, hbase.Check{Family: "i", Qualifier: "q", Value: []byte("old")},
			hbase.Put{Table: s.table, Row: key, Cells: []hbase.Cell{cell("i:q", 0, "new")}})
		if !done || err != nil {
			t.Fatal(done, err)
		}
		s.expect(t, hbase.Get{Row: key}, fmt.Sprintf("i:q@%d=new", future))
	})
	t.Run("a put with an older timestamp than the checked version is an older version", func(t *testing.T) {
		key := row(t, "")
		s.write(t, s.table, key, put1("v:q", 20, "old"))
		done, err := s.store.CheckAndPut(s.ctx, hbase.Check{Family: "v", Qualifier: "q", Value: []byte("old")},
			hbase.Put{Table: s.table, Row: key, Cells: []hbase.Cell{cell("v:q", 15, "new")}})
		if !done || err != nil {
			t.Fatal(done, err)
		}
		s.expect(t, hbase.Get{Row: key, Versions: 2}, "v:q@20=old", "v:q@15=new")
	})
	t.Run("exactly one of many concurrent checks succeeds", func(t *testing.T) {
		for round := range 5 {
			s.race(t, row(t, fmt.Sprint(round)))
		}
	})
	t.Run("concurrent updates are not lost", func(t *testing.T) {
		key := row(t, "")
		s.each(t, 4, func(worker int) error {
			for range 10 {
				if err := s.addByCheck(key); err != nil {
					return err
				}
			}
			return nil
		})
		s.expectValues(t, []hbase.Get{{Table: s.table, Row: key}}, []string{"40"})
	})
}

func (s *suite) race(t *testing.T, key string) {
	var wins atomic.Int32
	var winner atomic.Value
	s.each(t, 16, func(worker int) error {
		me := fmt.Sprint("worker ", worker)
		done, err := s.store.CheckAndPut(s.ctx, hbase.Check{Family: "i", Qualifier: "owner"},
			hbase.Put{Table: s.table, Row: key, Cells: []hbase.Cell{cell("i:owner", 10, me)}})
		if done {
			wins.Add(1)
			winner.Store(me)
		}
		return err
	})
	if wins.Load() != 1 {
		t.Fatalf("%d checks succeeded, want 1", wins.Load())
	}
	s.expect(t, hbase.Get{Row: key}, "i:owner@10="+winner.Load().(string))
}

func (s *suite) addByCheck(key string) error {
	for {
		results, err := s.store.Get(s.ctx, []hbase.Get{{Table: s.table, Row: key}})
		if err != nil || results[0].Err != nil {
			return errors.Join(err, results[0].Err)
		}
		n, old := 0, []byte(nil)
		if cells := results[0].Cells; len(cells) > 0 {
			old = cells[0].Value
			fmt.Sscan(string(old), &n)
		}
		done, err := s.store.CheckAndPut(s.ctx, hbase.Check{Family: "i", Qualifier: "n", Value: old},
			hbase.Put{Table: s.table, Row: key, Cells: []hbase.Cell{cell("i:n", 0, fmt.Sprint(n+1))}})
		if done || err != nil {
			return err
		}
	}
}

func (s *suite) each(t *testing.T, workers int, work func(worker int) error) {
	t.Helper()
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			if err := work(worker); err != nil {
				t.Errorf("worker %d: %v", worker, err)
			}
		})
	}
	group.Wait()
}
