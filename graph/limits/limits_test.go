package limits

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"twibase/graph/apierr"
	"twibase/graph/syntax"
)

func check(l *Limits, text string) *apierr.Error {
	if rejection := l.Text(text); rejection != nil {
		return rejection
	}
	doc, err := syntax.Parse(text)
	if err != nil {
		return nil
	}
	return l.Document(doc)
}

func TestLimitsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/LIMITS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range Known {
		row := fmt.Sprintf("| `%s` | %s", known.Name, strings.TrimSuffix(known.What, ","))
		end := fmt.Sprintf(" | %d |\n", known.Default)
		_, rest, found := strings.Cut(string(text), row)
		if !found || !strings.HasSuffix(rest[:strings.Index(rest, "\n")+1], end) {
			t.Errorf("docs/LIMITS.md lacks the row %s…%s", row, end)
		}
	}
}

func TestLimitsAreSetByName(t *testing.T) {
	l, err := With(map[string]int{"fields": 3, "rows": 0})
	if err != nil || l[Fields] != 3 || l[Rows] != 0 || l[Depth] != 50 {
		t.Errorf("%v: %v", l, err)
	}
	for name, n := range map[string]int{"field": 1, "fields": -1} {
		if _, err := With(map[string]int{name: n}); err == nil {
			t.Errorf("%s can be set to %d", name, n)
		}
	}
}

// Each document is exactly at its limit.
func TestDocumentAboveALimitIsRejected(t *testing.T) {
	for _, test := range []struct {
		limit Limit
		at    int
		query string
	}{
		{Bytes, 4, `{ a}`},
		{Tokens, 4, "{a #b\n}"},
		{Name, 3, `{a:b(ccc:$d){...E}}`},
		{Name, 7, `query($a:[Abcdefg]){b}`},
		{Operations, 2, `query A{a} query B{b}`},
		{Fragments, 2, `{...A} fragment A on Q{...B} fragment B on Q{b}`},
		{Depth, 3, `{a{b{c}}}`},
		{Depth, 4, `{a{...{b{c}}}}`},
		{Depth, 3, `{a{...A}} fragment A on Q{b{c}}`},
		{Depth, 4, `{a(b:[[1]])}`},
		{Depth, 3, `query($a:[[Int]]){a}`},
		{Path, 6, `{abc:x{d{ef}} abcde}`},
		{Path, 7, `{...A} fragment A on Q{ab{...{...B}}} fragment B on Q{cde{fg}}`},
		{RootFields, 3, `{a ...A ...A} fragment A on Q{b{c d}}`},
		{Fields, 7, `{a ...A ...A} fragment A on Q{b{c d}}`},
		{Fields, 8, `query A{...A} query B{...A} fragment A on Q{...B ...B} fragment B on Q{c d}`},
		{Fields, 2, `{a ...Unknown}`},
		{Aliases, 2, `{x:a ...A} fragment A on Q{y:b c}`},
		{Visits, 7, `query($a:Int=1){a(b:[2,3]) ...{c}}`},
		{Visits, 9, `{...A ...A} fragment A on Q{b{c}} fragment B on Q{d}`},
		{Visits, 4, `query@a(b:1){c@d(e:{f:2})}`},
		{Directives, 3, `query@x{a@x b@x}`},
		{PlaceDirectives, 2, `{a@x@x b@x}`},
		{Variables, 2, `query($a:Int,$b:Int){a}`},
		{List, 3, `{a(b:[1,2,3])}`},
		{List, 2, `{a(b:{c:1,d:2})}`},
		{List, 2, `{a(b:1,c:2)}`},
		{String, 3, `{a(b:"ä1")}`},
		{String, 3, `query($a:String="abc"){a}`},
		{Number, 3, `{a(b:-10,c:1.5)}`},
	} {
		t.Run(fmt.Sprintf("%s of %s", Known[test.limit].Name, test.query), func(t *testing.T) {
			for at, rejects := range map[int]bool{test.at: false, test.at - 1: true} {
				if at <= 0 {
					continue
				}
				var l Limits
				l[test.limit] = at
				rejection := check(&l, test.query)
				if (rejection != nil) != rejects {
					t.Errorf("with a limit of %d: got %v, want an error: %t", at, rejection, rejects)
				}
				if rejection != nil && (rejection.Extensions["limit"] != at || rejection.Extensions["actual"] != test.at) {
					t.Errorf("got the extensions %v, want limit %d and actual %d", rejection.Extensions, at, test.at)
				}
			}
		})
	}
}

func TestFragmentNamesAreUnique(t *testing.T) {
	l := Default()
	if rejection := check(&l, `{...A} fragment A on Q{a} fragment A on Q{b}`); rejection == nil || rejection.Code != apierr.CodeBadUserInput {
		t.Errorf("got %v, want %s", rejection, apierr.CodeBadUserInput)
	}
}

func TestExponentialFragmentsAreCountedInLinearTime(t *testing.T) {
	l := Default()
	l[Fields], l[RootFields] = 0, 0
	query := "{...F0} fragment F98 on Q{a}"
	for i := range 98 {
		query += fmt.Sprintf(" fragment F%d on Q{...F%d ...F%d}", i, i+1, i+1)
	}
	if rejection := check(&l, query); rejection == nil || !strings.HasPrefix(rejection.Message, Known[Visits].What) {
		t.Errorf("2^98 fields: got %v, want too many visits", rejection)
	}
}
