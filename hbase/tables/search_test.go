package tables_test

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestSearchByEachPrefixFindsTheUser(t *testing.T) {
	search := tables.Users.Search
	name := rapid.StringMatching(`[a-zA-Z0-9ÄéñßﬁÅıİςΣᾳǰ小红한ＬᎠꭰمﷺשกがｶ_.-][a-zA-Z0-9Äßﬁıςᾳ한آمשกが.\x{301}\x{316}\x{345}\x{5b0}\x{5c1}` +
		`\x{64b}-\x{655}\x{670}\x{e38}\x{e48}\x{93c}\x{94d}\x{3099}-]{0,63}`)
	rapid.Check(t, func(t *rapid.T) {
		name, other := norm.NFC.String(name.Draw(t, "name")), name.Draw(t, "other")
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

// Upper, lower and folded case, decomposed, and of normal width.
func TestUsersAreFoundInOtherSpellings(t *testing.T) {
	search := tables.Users.Search
	for r := range rune(unicode.MaxRune) {
		name := norm.NFC.String(string(r))
		prefix, ok := search.Prefix(name)
		if !ok {
			continue
		}
		if prefix == "" || strings.Contains(prefix, "\x00") {
			t.Errorf("%U: got the prefix %q", r, prefix)
		}
		for _, query := range []string{
			strings.ToUpper(name), strings.ToLower(name), cases.Fold().String(name),
			norm.NFD.String(name), norm.NFKC.String(name),
		} {
			if got, ok := search.Prefix(query); ok && got != prefix {
				t.Errorf("%U: %q has the prefix %q, and %q has %q", r, name, prefix, query, got)
			}
		}
	}
}

func TestUsersAreFoundWithoutMarks(t *testing.T) {
	search := tables.Users.Search
	for _, names := range [][2]string{
		{"محمد", "مُحَمَّد"}, {"مُحَمّ", "مُحَمَّد"}, {"اً", "آً"}, {"آ", "آً"}, {"שלום", "שָׁלוֹם"},
		{"irmak", "ırmak"}, {"IRMAK", "ırmak"},
		{"οδυσσευς", "Ὀδυσσεύς"}, {"o\u0338", "o"}, {"lily", "Líly"}, {"กุ", "กุ้ง"}, {"क", "की"},
	} {
		prefix, ok := search.Prefix(names[0])
		if row := search.Row(norm.NFC.String(names[1])); !ok || !strings.HasPrefix(row, prefix) {
			t.Errorf("%q does not find %q: prefix %q, row %q", names[0], names[1], prefix, row)
		}
	}
	// Other scripts' marks are vowels, or make other letters.
	for _, names := range [][2]string{{"กุ", "กา"}, {"की", "का"}, {"が", "か"}} {
		if prefix, ok := search.Prefix(names[0]); !ok || strings.HasPrefix(search.Row(names[1]), prefix) {
			t.Errorf("%q finds %q", names[0], names[1])
		}
	}
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
