package cluster_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
	"twibase/hbase/cluster"
)

func TestDifferencesOfATableAreListed(t *testing.T) {
	store := open(t)
	wanted := func(name string) hbase.Table {
		return hbase.Table{Name: name, Splits: []string{"m"}, Families: []hbase.FamilySchema{
			{Name: "f"},
			{Name: "g", Versions: 5, TTL: time.Hour},
		}}
	}
	t.Run("a new table has none", func(t *testing.T) {
		table := wanted(fmt.Sprintf("cluster-%x", rand.Uint64()))
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
		dropLater(t, store, table.Name)
		if got, err := store.Differences(t.Context(), table); err != nil || got != nil {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("a table of another program, and the command that changes it", func(t *testing.T) {
		name := fmt.Sprintf("cluster-%x", rand.Uint64())
		families := map[string]map[string]string{
			"f": {"VERSIONS": "1", "TTL": "86400", "BLOOMFILTER": "ROWCOL"}, "others": nil}
		if err := store.Admin().CreateTable(hrpc.NewCreateTable(t.Context(), []byte(name), families)); err != nil {
			t.Fatal(err)
		}
		dropLater(t, store, name)
		got, err := store.Differences(t.Context(), wanted(name))
		if err != nil {
			t.Fatal(err)
		}
		want := []cluster.Difference{
			{"f", "BLOOMFILTER", "ROWCOL", "ROW"},
			{"f", "DATA_BLOCK_ENCODING", "FAST_DIFF", "ROW_INDEX_V1"},
			{"f", "TTL", "86400", "2147483647"},
			{"f", "hbase.hstore.time.to.purge.deletes", "unset", "3600000"},
			{"g", "BLOCKCACHE", "", "true"},
			{"g", "BLOCKSIZE", "", "65536"},
			{"g", "BLOOMFILTER", "", "ROW"},
			{"g", "COMPRESSION", "", "NONE"},
			{"g", "DATA_BLOCK_ENCODING", "", "ROW_INDEX_V1"},
			{"g", "IN_MEMORY", "", "false"},
			{"g", "KEEP_DELETED_CELLS", "", "false"},
			{"g", "MIN_VERSIONS", "", "0"},
			{"g", "REPLICATION_SCOPE", "", "0"},
			{"g", "TTL", "", "3600"},
			{"g", "VERSIONS", "", "5"},
			{"g", "hbase.hstore.time.to.purge.deletes", "", "3600000"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		const purge = "CONFIGURATION => {'hbase.hstore.time.to.purge.deletes' => '3600000'}"
		line := "alter '" + name + "', {NAME => 'f', BLOOMFILTER => 'ROW', " +
			"DATA_BLOCK_ENCODING => 'ROW_INDEX_V1', TTL => 2147483647, " + purge + "}, " +
			"{NAME => 'g', BLOCKCACHE => 'true', BLOCKSIZE => 65536, BLOOMFILTER => 'ROW', COMPRESSION => 'NONE', " +
			"DATA_BLOCK_ENCODING => 'ROW_INDEX_V1', IN_MEMORY => 'false', KEEP_DELETED_CELLS => 'false', " +
			"MIN_VERSIONS => 0, REPLICATION_SCOPE => 0, TTL => 3600, VERSIONS => 5, " + purge + "}"
		if diff := cmp.Diff(line, cluster.AlterCommand(name, got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("a missing table", func(t *testing.T) {
		if _, err := store.Differences(t.Context(), wanted("missing")); !errors.Is(err, hbase.ErrTableNotFound) {
			t.Errorf("got %v", err)
		}
	})
}
