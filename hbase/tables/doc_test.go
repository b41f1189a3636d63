package tables_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"twibase/hbase/tables"
)

const document = "../../docs/TABLES.md"

func TestDocumentDefinesEveryTable(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	lacks := func(where, text, want string) {
		t.Helper()
		if !strings.Contains(text, want) {
			t.Errorf("%s, %s lacks %s", document, where, want)
		}
	}
	for _, table := range tables.Definitions(4) {
		_, section, found := strings.Cut(string(text), "\n### "+table.Name+"\n")
		if !found {
			t.Errorf("%s has no section on %s", document, table.Name)
		}
		section, _, _ = strings.Cut(section, "\n#")
		for _, f := range table.Families {
			if !strings.Contains(section, "`"+f.Name+":") {
				lacks(table.Name, section, "`"+f.Name+"`")
			}
			if f.TTL > 0 {
				lacks(table.Name+":"+f.Name, string(text), fmt.Sprintf("`%s` also have `TTL => %d`", table.Name, int(f.TTL.Seconds())))
			}
		}
		if tables.IsSearch(table.Name) {
			lacks(table.Name, string(text), fmt.Sprintf("of `%s` are `[%q, %q, %q]`", append([]any{table.Name}, anys(table.Splits)...)...))
		} else {
			var quoted []string
			for _, split := range table.Splits {
				quoted = append(quoted, fmt.Sprintf(`"\x%02X\x%02X"`, split[0], split[1]))
			}
			lacks(table.Name, string(text), "four = ["+strings.Join(quoted, ", ")+"]")
		}
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
	for _, name := range []string{"row of a user", "row of follow", "row of assignRole", "row of plays",
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
