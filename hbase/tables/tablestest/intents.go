package tablestest

import (
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// AwaitNoIntents waits until all operations are complete, for a minute at most.
func AwaitNoIntents(t testing.TB, store hbase.Store) {
	t.Helper()
	for begun := time.Now(); hasIntents(t, store); time.Sleep(time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("operations are not complete after a minute")
		}
	}
}

func hasIntents(t testing.TB, store hbase.Store) bool {
	t.Helper()
	for _, err := range store.Scan(t.Context(), hbase.Scan{Table: tables.Intents.Table, Limit: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		return true
	}
	return false
}
