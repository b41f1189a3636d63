package tables_test

import (
	"errors"
	"strings"
	"testing"

	"twibase/hbase/tables"
)

func TestInvalidNamesAreRejected(t *testing.T) {
	const username, code, twitID, department = "username", "code", "twit's id", "department's name"
	checks := map[string]func(string) error{
		username: tables.CheckUsername, code: tables.CheckCode, twitID: tables.CheckTwitID,
		department: tables.CheckDepartmentName,
	}
	for _, test := range []struct {
		reason string
		name   string
		good   string // the kinds that accept the name
	}{
		{"empty", "", ""},
		{"letters and digits of any script", "小红٣é", "username,code,twit's id,department's name"},
		{"a digit first", "7up", "username,code,twit's id,department's name"},
		{"only punctuation", "_.-", "username,code,twit's id,department's name"},
		{"slash and colon", "team/sig:lead", "code,twit's id,department's name"},
		{"blanks", "Department for Education", "department's name"},
		{"the separator of keys", "a\x00b", ""},
		{"a control character", "a\tb", ""},
		{"the character 7f", "a\x7f", ""},
		{"invalid UTF-8", "a\xff", ""},
		{"a truncated character", "小"[:2], ""},
		{"a surrogate half", "\xed\xa0\x80", ""},
		{"the replacement character", "a\uFFFD", "department's name"},
		{"not in normal form C", "e\u0301", "department's name"},
		{"an accent without a composed form", "x\u0301", "username,code,twit's id,department's name"},
		{"vowel signs of Hindi", "हिन्दी", "username,code,twit's id,department's name"},
		{"a mark first", "\u0301a", "department's name"},
		{"an invisible joiner", "a\u200db", "department's name"},
		{"fractions and superscripts", "½²", "department's name"},
		{"a symbol", "🌊", "department's name"},
		{"64 characters of four bytes", longest, "username"},
		{"65 characters", longest + "a", ""},
		{"64 bytes", strings.Repeat("a", 64), "username,code,twit's id,department's name"},
		{"65 bytes", strings.Repeat("a", 65), "code,department's name"},
		{"180 bytes", strings.Repeat("小", 60), "username,code,department's name"},
		{"200 bytes", strings.Repeat("a", 200), "code"},
		{"201 bytes", strings.Repeat("a", 201), ""},
	} {
		for kind, check := range checks {
			t.Run(test.reason+", as a "+kind, func(t *testing.T) {
				good := false
				for k := range strings.SplitSeq(test.good, ",") {
					good = good || k == kind
				}
				if err := check(test.name); good && err != nil || !good && !errors.Is(err, tables.ErrName) {
					t.Errorf("%q: got error %v, want valid %v", test.name, err, good)
				}
			})
		}
	}
}

func TestInvalidDaysAreRejected(t *testing.T) {
	for day, good := range map[string]bool{
		"2014-12-25": true, "2016-02-29": true, "1970-01-01": true, "9999-12-31": true,
		"": false, "2014-12-25 ": false, "2014-2-25": false, "2015-02-29": false, "1969-12-31": false, "0000-01-01": false,
		"14-12-25": false, "2014/12/25": false, "2014-12-25T00:00:00Z": false, "10000-01-01": false,
	} {
		if err := tables.CheckDay(day); good && err != nil || !good && !errors.Is(err, tables.ErrName) {
			t.Errorf("%q: got error %v, want valid %v", day, err, good)
		}
	}
}

func TestNameErrorsSayWhatToChange(t *testing.T) {
	for name, want := range map[string]string{
		"":         "1 to 64 characters, not 0",
		"a b":      "can't contain ' '",
		"\u0301a":  "can't begin with the combining mark '\u0301'",
		"a\xff":    "not valid UTF-8",
		"a\uFFFD":  "can't contain '\uFFFD'",
		"e\u0301a": "normal form C",
	} {
		if err := tables.CheckUsername(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want %q", name, err, want)
		}
	}
}
