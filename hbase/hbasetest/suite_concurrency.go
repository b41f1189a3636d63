package hbasetest

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"twibase/hbase"
)

func (s *suite) testConcurrency(t *testing.T) {
	t.Run("a put of a row is atomic", s.testAtomicRow)
	t.Run("a read returns an acknowledged write", func(t *testing.T) {
		s.each(t, 8, func(worker int) error {
			key := row(t, fmt.Sprint(worker))
			for i := range 25 {
				value := fmt.Sprint(i)
				mutations := []hbase.Mutation{put1("i:q", int64(i+1), value)(s.table, key)}
				if errs, err := s.store.Mutate(s.ctx, mutations); err != nil || errs != nil {
					return errors.Join(append(errs, err)...)
				}
				results, err := s.store.Get(s.ctx, []hbase.Get{{Table: s.table, Row: key}})
				if err != nil || len(results[0].Cells) != 1 || string(results[0].Cells[0].Value) != value {
					return fmt.Errorf("got %+v, %v, want %s", results, err, value)
				}
			}
			return nil
		})
	})
	t.Run("all methods run concurrently", s.testMixed)
}

func (s *suite) testAtomicRow(t *testing.T) {
	key := row(t, "")
	s.each(t, 6, func(worker int) error {
		for i := range 40 {
			if worker < 2 {
				value := fmt.Sprintf("%d of worker %d", i, worker)
				m := put(cell("f:a", 10, value), cell("i:b", 10, value), cell("v:c", 10, value))(s.table, key)
				if errs, err := s.store.Mutate(s.ctx, []hbase.Mutation{m}); err != nil || errs != nil {
					return errors.Join(append(errs, err)...)
				}
				continue
			}
			results, err := s.store.Get(s.ctx, []hbase.Get{{Table: s.table, Row: key}})
			if err != nil {
				return err
			}
			for _, c := range results[0].Cells {
				if len(results[0].Cells) != 3 || string(c.Value) != string(results[0].Cells[0].Value) {
					return fmt.Errorf("got a part of a put: %q", text(results[0].Cells))
				}
			}
		}
		return nil
	})
}

func (s *suite) testMixed(t *testing.T) {
	prefix := row(t, "")
	s.each(t, 8, func(worker int) error {
		for i := range 20 {
			key := fmt.Sprint(prefix, (worker+i)%10)
			timestamp := int64(worker*100 + i + 1)
			if errs, err := s.store.Mutate(s.ctx, []hbase.Mutation{
				put(cell("i:a", timestamp, "a"), cell("f:b", timestamp, "b"))(s.table, key),
				remove(hbase.AllVersions, "f:b", timestamp-10)(s.table, key),
			}[:1+worker%2]); err != nil || errs != nil {
				return errors.Join(append(errs, err)...)
			}
			if err := s.addByCheck(key + "/sum"); err != nil {
				return err
			}
			if _, err := s.store.CheckAndPut(s.ctx, hbase.Check{Family: "i", Qualifier: "a", Value: []byte("a")},
				hbase.Put{Table: s.table, Row: key, Cells: []hbase.Cell{cell("f:c", timestamp, "c")}}); err != nil {
				return err
			}
			results, err := s.store.Get(s.ctx, []hbase.Get{
				{Table: s.table, Row: key},
				{Table: s.table, Row: key, Columns: "v", Versions: 3},
			})
			if err != nil || results[0].Err != nil || results[1].Err != nil || len(results[0].Cells) == 0 {
				return fmt.Errorf("%+v, %v", results, err)
			}
			scan := hbase.Scan{Table: s.table, Start: prefix, Stop: hbase.PrefixEnd(prefix), PageSize: 4}
			for _, err := range s.store.Scan(s.ctx, scan) {
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	total := 0
	scan := hbase.Scan{Table: s.table, Start: prefix, Stop: hbase.PrefixEnd(prefix), Columns: "i:n"}
	for r, err := range s.store.Scan(s.ctx, scan) {
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(string(r.Cells[0].Value))
		if err != nil {
			t.Fatal(err)
		}
		total += n
	}
	if total != 8*20 {
		t.Errorf("got sum %d, want %d", total, 8*20)
	}
}
