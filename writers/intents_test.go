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

// storedIntents has intents of every operation type, as a program of November 2026 wrote them, but for
// their leases. Each must be completed for ever, so none may change.
const storedIntents = "testdata/intents.txt"

// readIntents parses a file of quoted rows: in each line a row key, and its cells as column=value.
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
		delete(missing, intent.Kind)
		t.Run(intent.Kind, func(t *testing.T) { completeStored(t, put, intent) })
	}
	for name := range missing {
		t.Errorf("%s has no intent of type %s", storedIntents, name)
	}
}

// completeStored checks that the arguments of an intent survive the present program, and that a sweep
// completes it.
func completeStored(t *testing.T, put hbase.Put, intent tables.Intent) {
	k := opTypes[intent.Kind]
	if k == nil {
		t.Fatal("the type is unknown")
	}
	a, err := k.parse(intent.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(a); err != nil || string(again) != intent.Arguments {
		t.Errorf("arguments: %s became %s (%v)", intent.Arguments, again, err)
	}
	store := openStore(t)
	defer store.Close()
	must(t, store, put, tables.Intents.Mark(intent))
	w := New(store, Options{})
	defer w.Close(t.Context())
	if err := w.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	results, err := store.Get(t.Context(), []hbase.Get{tables.Intents.Get(intent.ID)})
	if err != nil || results[0].Err != nil || len(results[0].Cells) > 0 {
		t.Error("the intent is still there: ", fmt.Sprint(results, err))
	}
}
