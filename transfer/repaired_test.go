package transfer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/invariant"
)

// nameless is a store that dies when the directory of a list is about to name its buckets.
type nameless struct{ hbase.Store }

func (s nameless) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	for _, m := range mutations {
		if put, ok := m.(hbase.Put); ok && slices.ContainsFunc(put.Cells, func(c hbase.Cell) bool { return strings.HasPrefix(c.Qualifier, tables.MembersEnd) }) {
			return nil, errDead
		}
	}
	return s.Store.Mutate(ctx, mutations)
}

// A repair takes away what an import that died had copied into buckets that nothing names. The next import makes the same buckets, and what was
// taken away of these rows would stay hidden there.
func TestAnImportGoesOnAfterARepairOfWhatADeadOneLeft(t *testing.T) {
	w, options := crowded(t), Options{ListBound: 10}
	whole, store := openStore(t), openStore(t)
	load(t, whole, w.files(), options)
	if _, err := ImportFiles(t.Context(), nameless{store}, w.files(), options); !errors.Is(err, errDead) {
		t.Fatal(err)
	}
	if _, err := (invariant.Checker{Store: store}).MendAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	load(t, store, w.files(), options)
	if diff := cmp.Diff(readLists(t, whole, w, 10), readLists(t, store, w, 10)); diff != "" {
		t.Errorf("(-at once +after a death and a repair):\n%s", diff)
	}
	if err := invariant.Check(t.Context(), store, func(b invariant.Breach) { t.Error(b) }); err != nil {
		t.Error(err)
	}
}
