package cluster_test

import (
	"errors"
	"testing"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
)

func TestInvalidNamespacesAreRejected(t *testing.T) {
	for _, name := range []string{"", "hbase", "a:b", "a-b", "a.b", "ä", "a b"} {
		store, err := cluster.Open(t.Context(), "hbase://127.0.0.1:1", zerolog.Nop(), cluster.WithNamespace(name))
		if !errors.Is(err, hbase.ErrInvalid) {
			t.Errorf("%q: %v, %v", name, store, err)
		}
	}
}
