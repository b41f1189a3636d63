package command

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
	"twibase/transfer"
)

func TestServerStartsWithoutTheMarkOfASearchTable(t *testing.T) {
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
		t.Fatal(err)
	}
	mark := tables.Users.Search.Complete()
	fault := hbasetest.Fault{Err: hbase.ErrUnresponsive}
	unresponsive := hbasetest.NewFaults(store, hbasetest.On(mark.Table, mark.Row, fault))
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		if err := new(serveCommand).requireTables(t.Context(), unresponsive, zerolog.New(&log)); err != nil {
			t.Error(err)
		}
		if !strings.Contains(log.String(), hbase.ErrUnresponsive.Error()) {
			t.Errorf("the log is %q", &log)
		}
	})
}
