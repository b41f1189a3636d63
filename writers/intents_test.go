package writers

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// storedIntents has intents of every operation type as of November 2026, without leases. Every
// later version must complete them.
const storedIntents = "testdata/intents.txt"

func readIntents(t *testing.T, file string) (puts []hbase.Put) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	unquote := func(s string) (value, rest string) {
		quoted, err := strconv.QuotedPrefix(s)
		if err == nil {
			value, err = strconv.Unquote(quoted)
		}
		if err != nil {
			t.Fatalf("%s: %q: %v", file, s, err)
		}
		return value, strings.TrimSpace(s[len(quoted):])
	}
	for line := range strings.Lines(string(text)) {
		put := hbase.Put{Table: tables.Intents.Table}
		var rest string
		put.Row, rest = unquote(line)
		for rest != "" {
			column, quoted, _ := strings.Cut(rest, "=")
			var value string
			value, rest = unquote(quoted)
			put.Cells = append(put.Cells, hbase.Cell{Family: tables.Attributes, Qualifier: column, Value: []byte(value)})
		}
		intent, _, err := tables.Intents.Decode(put.Row, put.Cells)
		if err != nil {
			t.Fatal(err)
		}
		for i := range put.Cells {
			put.Cells[i].Timestamp = intent.At
		}
		puts = append(puts, put)
	}
	return puts
}

func TestStoredIntentsOfEveryTypeAreCompleted(t *testing.T) {
	t.Parallel()
	missing := map[string]bool{}
	for name := range opTypes {
		missing[name] = true
	}
	for _, put := range readIntents(t, storedIntents) {
		intent, ok, err := tables.Intents.Decode(put.Row, put.Cells)
		if err != nil || !ok {
			t.Fatalf("%q: %v", put.Row, err)
		}
		delete(missing, intent.OpType)
		t.Run(intent.OpType, func(t *testing.T) { completeStored(t, put, intent) })
	}
	for name := range missing {
		t.Errorf("%s has no intent of type %s", storedIntents, name)
	}
}

func completeStored(t *testing.T, put hbase.Put, intent tables.Intent) {
	k := opTypes[intent.OpType]
	if k == nil {
		t.Fatal("the type is unknown")
	}
	a, err := k.parse(intent.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(a); err != nil || string(again) != intent.Arguments {
		t.Errorf("arguments are encoded as %s, want %s; error %v", again, intent.Arguments, err)
	}
	store := openStore(t)
	defer store.Close()
	mustMutate(t, store, put, tables.Intents.Mark(intent))
	w := New(store, Options{})
	defer w.Close(t.Context())
	if err := w.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	results, err := store.Get(t.Context(), []hbase.Get{tables.Intents.Get(intent.ID)})
	if err != nil || results[0].Err != nil || len(results[0].Cells) > 0 {
		t.Error("the intent was not removed: ", fmt.Sprint(results, err))
	}
}
