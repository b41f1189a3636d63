package hbasetest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
)

var errFault = fmt.Errorf("%w: a fault of a test", hbase.ErrUnavailable)

func putRow(row, value string) hbase.Mutation {
	return hbase.Put{Table: "t", Row: row, Cells: []hbase.Cell{{Family: "i", Qualifier: "q", Value: []byte(value)}}}
}

// "-" is a missing row, and "!" a fault.
func values(t *testing.T, s hbase.Store, rows ...string) (list []string) {
	t.Helper()
	var gets []hbase.Get
	for _, row := range rows {
		gets = append(gets, hbase.Get{Table: "t", Row: row})
	}
	results, err := s.Get(context.Background(), gets)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		switch {
		case errors.Is(r.Err, errFault):
			list = append(list, "!")
		case r.Err != nil:
			t.Fatal(r.Err)
		case len(r.Cells) == 0:
			list = append(list, "-")
		default:
			list = append(list, string(r.Cells[0].Value))
		}
	}
	return list
}

func TestFaultOfAnItemLeavesOthersAlone(t *testing.T) {
	store := newStore(t)
	ctx := context.Background()
	s := hbasetest.NewFaults(store, hbasetest.Any(
		hbasetest.On("t", "rejected", hbasetest.Fault{Err: errFault}),
		hbasetest.On("t", "lost", hbasetest.Fault{Err: errFault, Done: true}),
	))
	errs, err := s.Mutate(ctx, []hbase.Mutation{
		putRow("a", "1"), putRow("rejected", "2"), putRow("lost", "3"), putRow("b", "4"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("a mutation's fault is in its place", func(t *testing.T) {
		for i, want := range []error{nil, errFault, errFault, nil} {
			if errs[i] != want {
				t.Errorf("mutation %d: got %v, want %v", i, errs[i], want)
			}
		}
	})
	t.Run("only mutations with Done are written", func(t *testing.T) {
		if diff := cmp.Diff([]string{"1", "-", "3", "4"}, values(t, store, "a", "rejected", "lost", "b")); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a Get's fault is in its place", func(t *testing.T) {
		got := values(t, s, "b", "rejected", "a", "lost", "none")
		if diff := cmp.Diff([]string{"4", "!", "1", "!", "-"}, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a scan ends before the row with a fault", func(t *testing.T) {
		var rows []string
		var last error
		for row, err := range s.Scan(ctx, hbase.Scan{Table: "t"}) {
			if last = err; err == nil {
				rows = append(rows, row.Key)
			}
		}
		if diff := cmp.Diff([]string{"a", "b"}, rows); diff != "" || last != errFault {
			t.Error(diff, last)
		}
	})
	t.Run("only a CheckAndPut with Done is written", func(t *testing.T) {
		for row, want := range map[string]string{"lost": "new", "rejected": "-"} {
			value := []byte("3")
			if row == "rejected" {
				value = nil
			}
			check := hbase.Check{Family: "i", Qualifier: "q", Value: value}
			done, err := s.CheckAndPut(ctx, check, putRow(row, "new").(hbase.Put))
			if done || err != errFault {
				t.Errorf("%s: %v, %v", row, done, err)
			}
			if diff := cmp.Diff([]string{want}, values(t, store, row)); diff != "" {
				t.Errorf("%s: %s", row, diff)
			}
		}
	})
}

func TestFaultsOfWritesLeaveReadsAlone(t *testing.T) {
	s := hbasetest.NewFaults(newStore(t), hbasetest.When(hbasetest.Op.Writes, hbasetest.Fault{Err: errFault}))
	ctx := context.Background()
	t.Run("reads succeed", func(t *testing.T) {
		errs, err := s.Mutate(ctx, []hbase.Mutation{putRow("a", "1"), hbase.Delete{Table: "t", Row: "b"}})
		if err != nil || errs[0] != errFault || errs[1] != errFault {
			t.Error(errs, err)
		}
		if err := s.CreateTable(ctx, hbase.Table{Name: "u"}); err != errFault {
			t.Error(err)
		}
		if err := s.DropTable(ctx, "t"); err != errFault {
			t.Error(err)
		}
		if names, err := s.Tables(ctx); err != nil || len(names) != 1 {
			t.Error(names, err)
		}
		if diff := cmp.Diff([]string{"-"}, values(t, s, "a")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSeedRepeatsRandomFaults(t *testing.T) {
	run := func(seed uint64) string {
		s := hbasetest.NewFaults(newStore(t), hbasetest.Sometimes(seed, 0.5, hbasetest.Fault{Err: errFault}))
		return fmt.Sprint(values(t, s, fortyRows()...))
	}
	t.Run("the same seed gives the same faults", func(t *testing.T) {
		if a, b := run(1), run(1); a != b {
			t.Errorf("%s\n%s", a, b)
		}
	})
	t.Run("another seed gives other faults", func(t *testing.T) {
		if a, b := run(1), run(2); a == b {
			t.Errorf("%s", a)
		}
	})
}

func fortyRows() (rows []string) {
	for i := range 40 {
		rows = append(rows, fmt.Sprint("row", i))
	}
	return rows
}

func TestDelayEndsWithTheContext(t *testing.T) {
	s := hbasetest.NewFaults(newStore(t), hbasetest.On("t", "slow", hbasetest.Fault{Delay: time.Hour}))
	t.Run("a delay ends with the call's ctx", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		_, err := s.Get(ctx, []hbase.Get{{Table: "t", Row: "a"}, {Table: "t", Row: "slow"}})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	t.Run("a call takes the delay", func(t *testing.T) {
		s := hbasetest.NewFaults(newStore(t), hbasetest.On("t", "slow", hbasetest.Fault{Delay: time.Millisecond}))
		begin := time.Now()
		if values(t, s, "slow"); time.Since(begin) < time.Millisecond {
			t.Error("the call returned earlier")
		}
	})
}
