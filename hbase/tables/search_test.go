package tables_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// A user is found by each beginning of the name, in either case.
func TestUsersAreInTheRangeOfEachBeginning(t *testing.T) {
	search := tables.Users.Search
	name := rapid.StringMatching(`[a-zA-Z0-9ÄéñßﬁÅ小红한Ｌ_.-]{1,64}`)
	rapid.Check(t, func(t *rapid.T) {
		name, other := name.Draw(t, "name"), name.Draw(t, "other")
		row := search.Row(name)
		if key, err := search.Decode(row); key != name || err != nil {
			t.Fatalf("row %q: got key %q, error %v", row, key, err)
		}
		characters := []rune(name)
		beginning := string(characters[:rapid.IntRange(1, len(characters)).Draw(t, "characters")])
		for _, query := range []string{beginning, strings.ToUpper(beginning), strings.ToLower(beginning)} {
			prefix, ok := search.Prefix(query)
			if ok && (row <= prefix || row >= hbase.PrefixEnd(prefix)) || !ok && len(query) <= len(beginning) {
				t.Errorf("%q: the range of %q, valid %v, does not have %q", query, prefix, ok, row)
			}
		}
		if prefix, ok := search.Prefix(other); ok && row == prefix {
			t.Errorf("%q: the row is equal to a bound", row)
		}
	})
}

func TestInvalidQueriesFindNothing(t *testing.T) {
	for _, query := range []string{"", " ", "a b", "a/b", "\x00", "\xff", "\u0301", "%", strings.Repeat("a", 65)} {
		if prefix, ok := tables.Users.Search.Prefix(query); ok {
			t.Errorf("%q: got the prefix %q", query, prefix)
		}
	}
	longest := strings.Repeat("ﷺ", tables.MaxUsername)
	if prefix, ok := tables.Users.Search.Prefix(longest); !ok || len(prefix) != 2112 {
		t.Errorf("the longest prefix has %d bytes, valid %v", len(prefix), ok)
	}
}
