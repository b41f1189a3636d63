package loaders

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// changing is a store in which something happens behind a call.
type changing struct {
	hbase.Store
	calls  int
	behind map[int]func()
}

func (c *changing) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	results, err := c.Store.Get(ctx, gets)
	if c.calls++; c.behind[c.calls] != nil {
		c.behind[c.calls]()
	}
	return results, err
}

// The last row of a list is empty, and so is the one before; in the second one is left who leaves
// when the page knows that somebody is there.
func TestAPageFromTheEndGoesOnWhereSomebodyLeavesMeanwhile(t *testing.T) {
	store, l := &changing{Store: openStore(t)}, tables.UserRoles
	s := sparse{each: 4, left: []int{2, 1, 0, 0}}
	s.write(t, store, "LiLei")
	store.behind = map[int]func(){5: func() { // the directory, the last row, the directory up to that and the row before come first, and then who is where
		put(t, store.Store, hbase.Delete{Table: l.Table, Row: l.Row("LiLei", 1),
			Columns: []hbase.Deletion{{Kind: hbase.AllVersions, Family: l.Family, Qualifier: s.at(1, 0), Timestamp: 1}}})
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	pages, err := UserRoles.Page(With(ctx, store), []PageKey{{"LiLei", Range{Limit: 2, Backward: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{s.at(0, 0), s.at(0, 1)}, pages[0].Members); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAPageWhoseRequestEndsReadsNoFurther(t *testing.T) {
	store := &changing{Store: openStore(t)}
	sparse{each: 4, left: []int{0, 0, 0, 4}}.write(t, store, "LiLei")
	ctx, cancel := context.WithCancel(t.Context())
	store.behind = map[int]func(){1: cancel}
	_, err := UserRoles.Page(With(ctx, store), []PageKey{{"LiLei", Range{Limit: 2}}})
	if !errors.Is(err, context.Canceled) || store.calls != 1 {
		t.Errorf("%d calls, and %v", store.calls, err)
	}
}
