package tables_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"twibase/hbase"
	"twibase/hbase/tables"
)

const document = "../../docs/TABLES.md"

func TestDocumentDefinesEveryTable(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables.Definitions(1) {
		statement := "create '" + table.Name + "'"
		for _, f := range table.Families {
			// family has the attributes that all families share.
			attributes := fmt.Sprintf("\n    family = {VERSIONS => %d, DATA_BLOCK_ENCODING => '%s', BLOOMFILTER => '%s'}\n",
				f.Versions, f.Encoding, f.Bloom)
			if !strings.Contains(string(text), attributes) {
				t.Errorf("%s, family %s: %s lacks%s", table.Name, f.Name, document, attributes)
			}
			statement += fmt.Sprintf(", family.merge(NAME => '%s'", f.Name)
			if f.TTL > 0 {
				statement += fmt.Sprintf(", TTL => %d", int(f.TTL.Seconds()))
			}
			statement += ")"
		}
		splits := "four"
		if tables.IsSearch(table.Name) {
			splits = "letters"
		}
		if !strings.Contains(string(text), "\n    "+statement+", SPLITS => "+splits+"\n") {
			t.Errorf("%s lacks: %s", document, statement)
		}
		if !strings.Contains(string(text), "\n### "+table.Name+"\n") {
			t.Errorf("%s has no section on %s", document, table.Name)
		}
	}
	quoted := make([]string, 0, 3)
	for _, split := range tables.Definitions(4)[0].Splits {
		quoted = append(quoted, fmt.Sprintf(`"\x%02X\x%02X"`, split[0], split[1]))
	}
	byLetter := slices.IndexFunc(tables.Definitions(4), func(t hbase.Table) bool { return tables.IsSearch(t.Name) })
	letters := anys(tables.Definitions(4)[byLetter].Splits)
	if line := fmt.Sprintf("letters = [%q, %q, %q]", letters...); !strings.Contains(string(text), line) {
		t.Errorf("%s lacks: %s", document, line)
	}
	if line := "four = [" + strings.Join(quoted, ", ") + "]"; !strings.Contains(string(text), line) {
		t.Errorf("%s lacks: %s", document, line)
	}
}

func TestDocumentExamplesAreStoredBytes(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, c := range codecs() {
		want[c.name] = c.bytes
	}
	for _, name := range []string{"row of a user", "row of a follow", "row of an assignment", "row of plays",
		"row of a twit's id", "value of a twit's id", "row of the top-level departments", "UserGames, value of l:go",
		"row of a job", "row of an author's comments on a twit", "row by which a user is found"} {
		if s := "`" + shell(want[name]) + "`"; want[name] == "" || !strings.Contains(string(text), s) {
			t.Errorf("%s, %s lacks %s", name, document, s)
		}
	}
	for _, l := range lists {
		switch l.name {
		case "Followers", "Following", "Twits", "Timelines", "Comments", "UserComments", "Children", "TwitDeletions",
			"FollowerChanges":
			if s := "`" + l.cell.Family + ":" + shell(l.cell.Qualifier) + "`"; !strings.Contains(string(text), s) {
				t.Errorf("%s, %s lacks %s", l.name, document, s)
			}
		}
	}
}

func anys[T any](list []T) (all []any) {
	for _, v := range list {
		all = append(all, v)
	}
	return all
}

// shell returns bytes in the notation of the HBase shell.
func shell(s string) string {
	var b []byte
	for _, c := range []byte(s) {
		if c >= ' ' && c <= '~' && c != '\\' {
			b = append(b, c)
		} else {
			b = fmt.Appendf(b, `\x%02X`, c)
		}
	}
	return string(b)
}
