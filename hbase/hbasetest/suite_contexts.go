package hbasetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"twibase/hbase"
)

type call struct {
	name string
	do   func(ctx context.Context, store hbase.Store) error
}

func (s *suite) calls(table string) []call {
	return []call{
		{"Get", func(ctx context.Context, store hbase.Store) error {
			_, err := store.Get(ctx, []hbase.Get{{Table: table, Row: "r"}})
			return err
		}},
		{"Scan", func(ctx context.Context, store hbase.Store) error {
			for _, err := range store.Scan(ctx, hbase.Scan{Table: table}) {
				return err
			}
			return nil
		}},
		{"Mutate", func(ctx context.Context, store hbase.Store) error {
			_, err := store.Mutate(ctx, []hbase.Mutation{put1("i:rejected", 1, "")(table, "rejected")})
			return err
		}},
		{"CheckAndPut", func(ctx context.Context, store hbase.Store) error {
			_, err := store.CheckAndPut(ctx, hbase.Check{Family: "i", Qualifier: "rejected"},
				put1("i:rejected", 1, "")(table, "rejected").(hbase.Put))
			return err
		}},
		{"CreateTable", func(ctx context.Context, store hbase.Store) error {
			return store.CreateTable(ctx, hbase.Table{Name: missing, Families: []hbase.FamilySchema{{Name: "i"}}})
		}},
		{"Tables", func(ctx context.Context, store hbase.Store) error {
			_, err := store.Tables(ctx)
			return err
		}},
		{"DropTable", func(ctx context.Context, store hbase.Store) error { return store.DropTable(ctx, missing) }},
	}
}

func (s *suite) testContexts(t *testing.T) {
	canceled, cancel := context.WithCancel(s.ctx)
	cancel()
	expired, cancel := context.WithDeadline(s.ctx, time.Now().Add(-time.Second))
	defer cancel()
	for _, c := range s.calls(s.table) {
		t.Run(c.name+" with a cancelled ctx is rejected", func(t *testing.T) {
			if err := c.do(canceled, s.store); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
		t.Run(c.name+" with an expired ctx is rejected", func(t *testing.T) {
			if err := c.do(expired, s.store); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("rejected calls write nothing", func(t *testing.T) {
		s.expect(t, hbase.Get{Row: "rejected"})
	})
	t.Run("a ctx without a deadline", func(t *testing.T) {
		ctx := context.WithoutCancel(s.ctx)
		if _, err := s.store.Get(ctx, []hbase.Get{{Table: s.table, Row: row(t, "")}}); err != nil {
			t.Error(err)
		}
		if _, err := s.store.Mutate(ctx, []hbase.Mutation{put1("i:q", 1, "")(s.table, row(t, ""))}); err != nil {
			t.Error(err)
		}
		for _, err := range s.store.Scan(ctx, hbase.Scan{Table: s.table, Start: row(t, ""), Limit: 1}) {
			if err != nil {
				t.Error(err)
			}
		}
	})
}

func testClose(t *testing.T, store hbase.Store) {
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); !errors.Is(err, hbase.ErrClosed) {
		t.Errorf("a second Close: got %v", err)
	}
	for _, c := range (*suite)(nil).calls(missing) {
		t.Run(c.name+" of a closed store is rejected", func(t *testing.T) {
			if err := c.do(context.Background(), store); !errors.Is(err, hbase.ErrClosed) {
				t.Errorf("got %v", err)
			}
		})
	}
}
