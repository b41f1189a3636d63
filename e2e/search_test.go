package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer"
)

func (s *peopleGateway) found(t *testing.T, arguments string) (names []string, next, previous bool, end string) {
	t.Helper()
	users := s.data(t, `{users(`+arguments+`){nodes{username} pageInfo{hasNextPage hasPreviousPage endCursor}}}`, unauthenticated)["users"].(map[string]any)
	for _, user := range users["nodes"].([]any) {
		names = append(names, user.(map[string]any)["username"].(string))
	}
	info := users["pageInfo"].(map[string]any)
	end, _ = info["endCursor"].(string)
	return names, info["hasNextPage"].(bool), info["hasPreviousPage"].(bool), end
}

func TestUsersAreFoundByTheBeginningOfTheirNames(t *testing.T) {
	files := map[string]string{"users": "username,name\n" + strings.Join(strings.Fields(
		"LiLei,1 lilei,2 Líly,3 lily,4 Lilo,5 Ｌim,6 Ärger,7 argo,8 한국,9 straße,10 STRASSEN,11 ﬁnn,12 boss,13 a.b-c_d,14 小红,15 مُحَمَّد,16 ırmak,17"), "\n")}
	s := &peopleGateway{gateway: newGateway("embedded", inMemory(t))}
	importInto(t, s.store, folderOf(t, files), transfer.Options{})
	for query, want := range map[string]string{
		"lil": "LiLei lilei Lilo Líly lily", "LIL": "LiLei lilei Lilo Líly lily", "lile": "LiLei lilei",
		"líl": "LiLei lilei Lilo Líly lily", "l": "LiLei lilei Lilo Líly lily Ｌim", "ａ": "a.b-c_d Ärger argo",
		"är": "Ärger argo", "A\u0308r": "Ärger argo",
		"하": "한국", "strass": "straße STRASSEN", "straß": "straße STRASSEN", "fi": "ﬁnn", "a.": "a.b-c_d", "小": "小红",
		"محم": "مُحَمَّد", "مُحَمّ": "مُحَمَّد", "IR": "ırmak",
		"lileix": "", "ilei": "", " l": "", "l\n": "", "%": "", strings.Repeat("l", 65): "",
	} {
		got, next, previous, _ := s.found(t, fmt.Sprintf("query:%q", query))
		if diff := cmp.Diff(strings.Fields(want), got); len(got)+len(want) > 0 && diff != "" || next || previous {
			t.Errorf("%q: next %v, previous %v, (-want +got):\n%s", query, next, previous, diff)
		}
	}
	all, _, _, _ := s.found(t, "first:20")
	for _, arguments := range []string{`query:""`, `query:null`} {
		if got, _, _, _ := s.found(t, arguments); !slices.Equal(got, all) || len(all) != 17 {
			t.Errorf("%s: got %v, want %v", arguments, got, all)
		}
	}
}

func TestCreatedAndDeletedUsersAreFoundImmediately(t *testing.T) {
	s := newPeopleGateway(t, folderOf(t, people))
	want := func(query, names string) {
		t.Helper()
		if got, _, _, _ := s.found(t, `query:"`+query+`"`); strings.Join(got, " ") != names {
			t.Errorf("%s: got %v, want %s", query, got, names)
		}
	}
	want("o", "owner")
	s.query(t, root, `mutation{createUser(input:{username:"Otto",name:"Otto"}){userErrors{code}}
		signUp(input:{username:"oleg",name:"Oleg",password:"correct horse"}){userErrors{code}}}`)
	want("o", "oleg Otto owner")
	s.query(t, root, `mutation{deleteUser(input:{username:"owner"}){deletedId}}`)
	want("o", "oleg Otto")
	s.commitDeletion(t, "users", "Otto")
	want("o", "oleg")
}

// During an upgrade, another version may write rows with names that are folded differently.
func TestRowsOfAnotherVersionAreNoErrors(t *testing.T) {
	s := &peopleGateway{gateway: newGateway("embedded", inMemory(t))}
	files := map[string]string{"users": "username,name\nab,1\nac,2\nad,3\nx,4\n"}
	importInto(t, s.store, folderOf(t, files), transfer.Options{})
	row := tables.Users.Search.Put("x", 1)
	for _, folded := range []string{"aa", "abx", "acx", "adx"} {
		row.Row = folded + "\x00x"
		if err := hbase.MutateAll(t.Context(), s.store, []hbase.Mutation{row}); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ arguments, cursor, more, at, want string }{
		{"first:2", "after", "hasNextPage", "endCursor", "[ab] [ac] [ad] []"},
		{"last:2", "before", "hasPreviousPage", "startCursor", "[ad] [ac] [ab] []"},
	} {
		var pages []string
		for cursor := ""; len(pages) < 10; {
			users := s.data(t, `{users(query:"a",`+test.arguments+cursor+`){nodes{username} pageInfo{more:`+test.more+
				` at:`+test.at+`}}}`, unauthenticated)["users"].(map[string]any)
			var names []string
			for _, node := range users["nodes"].([]any) {
				names = append(names, node.(map[string]any)["username"].(string))
			}
			pages = append(pages, fmt.Sprint(names))
			info := users["pageInfo"].(map[string]any)
			if info["more"] != true {
				break
			}
			cursor = fmt.Sprintf(",%s:%q", test.cursor, info["at"])
		}
		if got := strings.Join(pages, " "); got != test.want {
			t.Errorf("%s: got the pages %s, want %s", test.arguments, got, test.want)
		}
	}
}

func TestSearchAmong40000UsersTakesThreeRounds(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	folded := func(name string) string {
		return strings.NewReplacer("\u0301", "", "\u0308", "").Replace(strings.ToLower(norm.NFKD.String(name)))
	}
	key := map[string]string{}
	file := strings.Builder{}
	file.WriteString("username,name")
	for i := range 40_000 {
		name := fmt.Sprintf("%s%d", []string{"u", "U", "Li", "lí", "LI", "小", "Ä", "x-"}[r.IntN(8)], r.IntN(1<<r.IntN(20)+1))
		key[name] = folded(name) + "\x00" + name
		fmt.Fprintf(&file, "\n%s,User %d", name, i)
	}
	s := &peopleGateway{gateway: newGateway("embedded", inMemory(t))}
	importInto(t, s.store, folderOf(t, map[string]string{"users": file.String()}), transfer.Options{})
	names := slices.SortedFunc(maps.Keys(key), func(a, b string) int { return strings.Compare(key[a], key[b]) })
	for range 100 {
		name := []rune(names[r.IntN(len(names))])
		query := string(name[:1+r.IntN(len(name))])
		var want []string
		for _, name := range names {
			if strings.HasPrefix(key[name], folded(query)) {
				want = append(want, name)
			}
		}
		s.checkPages(t, r, query, want)
	}
}

func (s *peopleGateway) checkPages(t *testing.T, r *rand.Rand, query string, want []string) {
	t.Helper()
	size, after := 1+r.IntN(30), ""
	for at := 0; at < min(len(want), 100); at += size {
		got, next, previous, end := s.found(t, fmt.Sprintf("query:%q first:%d%s", query, size, after))
		last := min(at+size, len(want))
		if diff := cmp.Diff(want[at:last], got); diff != "" || next != (last < len(want)) || previous != (at > 0) {
			t.Fatalf("%q from %d: next %v, previous %v, (-want +got):\n%s", query, at, next, previous, diff)
		}
		back := max(0, last-1-size)
		got, _, _, _ = s.found(t, fmt.Sprintf("query:%q last:%d before:%q", query, size, end))
		if diff := cmp.Diff(want[back:last-1], got); last-1 > back && diff != "" {
			t.Fatalf("%q before %d (-want +got):\n%s", query, last-1, diff)
		}
		after = fmt.Sprintf(" after:%q", end)
	}
	got, _, _, _ := s.found(t, fmt.Sprintf("query:%q last:%d", query, size))
	if diff := cmp.Diff(want[max(0, len(want)-size):], got); diff != "" {
		t.Fatalf("%q, the last (-want +got):\n%s", query, diff)
	}
	body := s.ask(t, fmt.Sprintf(`{users(query:%q,first:%d){nodes{id name followers(first:2){nodes{name}}}}}`, query, size), nil, unauthenticated, "1")
	report, _ := reported(t, body)
	if rounds, _, _ := readCosts(&report); rounds > 3 {
		t.Errorf("%q takes %d rounds", query, rounds)
	}
	if scans := strings.Count(string(body), `"scans":1`); scans == 0 || report.Levels[0].Scans != 1 {
		t.Errorf("%q: %d scans", query, report.Levels[0].Scans)
	}
}
