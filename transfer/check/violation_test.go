package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/transfer"
	"twibase/transfer/check"
)

// Lists of more than two members are split.
var files = map[string][]byte{
	"users.csv":       []byte("username,name\na,A\nb,B\nc,C\nd,D\ne,E\n"),
	"departments.csv": []byte("id,name,parent\ntop,Top,\nlow,Low,top\n"),
	"roles.csv":       []byte("id,name,department\nboss,Boss,top\n"),
	"games.csv":       []byte("id,name\ngo,Go\n"),
	"user_roles.csv":  []byte("username,role\na,boss\n"),
	"follows.csv":     []byte("follower,followee\nb,a\nc,a\nd,a\ne,a\na,b\n"),
	"twits.csv": []byte("id,author,posted_at,content,photo_urls,visibility\n" +
		"t1,b,2020-01-01T00:00:00Z,hi,,\nt2,b,2020-01-02T00:00:00Z,see,http://x.org/1.jpg,FOLLOWERS\n"),
	"comments.csv": []byte("twit,author,posted_at,content\nt1,a,2020-01-03T00:00:00Z,yes\n"),
	"plays.csv":    []byte("username,game,day,count\na,go,2020-01-01,2\nb,go,2020-01-01,3\n"),
}

var (
	first  = &tables.Twit{AuthorName: "b", Name: "t1", PostedAt: day(1), Content: "hi", Visibility: tables.Public}
	second = &tables.Twit{
		AuthorName: "b", Name: "t2", PostedAt: day(2), Content: "see", PhotoURLs: []string{"http://x.org/1.jpg"},
		Visibility: tables.FollowersOnly,
	}
	remark = &tables.Comment{
		Twit: first.Key(), AuthorName: "a", PostedAt: day(3), Content: "yes", Mark: tables.CommentMark("a", "yes", 0),
	}
)

func day(n int) time.Time { return time.Date(2020, 1, n, 0, 0, 0, 0, time.UTC) }

// age is a timestamp after those of imported cells.
const age = 1_600_000_000_000

func put(table, row string, cells ...hbase.Cell) hbase.Mutation {
	for i := range cells {
		cells[i].Timestamp = age
	}
	return hbase.Put{Table: table, Row: row, Cells: cells}
}

func attribute(table, key, column, value string) hbase.Mutation {
	return put(table, tables.RowKey(key), hbase.Cell{Family: "i", Qualifier: column, Value: []byte(value)})
}

func without(table, row, family string, qualifiers ...string) hbase.Mutation {
	d := hbase.Delete{Table: table, Row: row}
	for _, q := range qualifiers {
		d.Columns = append(d.Columns, hbase.Deletion{Kind: hbase.AllVersions, Family: family, Qualifier: q, Timestamp: age})
	}
	return d
}

func follower(name string) tables.Follow {
	return tables.Follow{Username: name, At: tables.UnknownTime}
}

func in[E any](l *tables.List[E], owner string, member E) hbase.Mutation {
	return put(l.Table, l.Row(owner, 0), l.Cell(member, 0))
}

func out[E any](l *tables.List[E], owner string, member E) hbase.Mutation {
	return without(l.Table, l.Row(owner, 0), l.Family, l.Position(member))
}

func open(t *testing.T) hbase.Store {
	t.Helper()
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if _, err := transfer.EnsureTables(t.Context(), store, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := transfer.ImportFiles(t.Context(), store, files, transfer.Options{ListBound: 2}); err != nil {
		t.Fatal(err)
	}
	return store
}

func write(t *testing.T, store hbase.Store, mutations ...hbase.Mutation) {
	t.Helper()
	if errs, err := store.Mutate(t.Context(), mutations); err != nil || errs != nil {
		t.Fatal(errs, err)
	}
}

// dump omits timestamps.
func dump(t *testing.T, store hbase.Store) (lines []string) {
	t.Helper()
	for _, table := range tables.Definitions(1) {
		for row, err := range store.Scan(t.Context(), hbase.Scan{Table: table.Name}) {
			if err != nil {
				t.Fatal(err)
			}
			if row.Key == tables.Imports.Get().Row {
				continue // of repairs
			}
			for _, c := range row.Cells {
				lines = append(lines, fmt.Sprintf("%s %q %s:%q %q", table.Name, row.Key, c.Family, c.Qualifier, c.Value))
			}
		}
	}
	return lines
}

func checkStore(t *testing.T, store hbase.Store) (lines []string) {
	t.Helper()
	err := check.All(t.Context(), store, func(v check.Violation) { lines = append(lines, v.String()) })
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func at(table, key, column string) string {
	return fmt.Sprintf("%s %q %s: ", table, tables.RowKey(key), column)
}

func atMember[E any](l *tables.List[E], owner string, member E) string {
	v := check.Violation{Table: l.Table, Row: l.Row(owner, 0), Column: l.Family + ":" + l.Position(member)}
	line, _, _ := strings.Cut(v.String(), "is ,")
	return line
}

func missing[E any](l *tables.List[E], owner string, member E, why string) string {
	return atMember(l, owner, member) + "is absent, should be present: " + why
}

func surplus[E any](l *tables.List[E], owner string, member E, why string) string {
	return atMember(l, owner, member) + "is present, should be absent: " + why
}

func wrongCount(table, key, column string, is, should int, list string) string {
	return fmt.Sprintf("%sis %d, should be %d: the number of members of %s", at(table, key, "i:"+column), is, should, list)
}

func wrongPublicCount(table, key, column string, is, should int, list string) string {
	return strings.Replace(wrongCount(table, key, column, is, should, list), " members of ", " public members of ", 1)
}

func TestViolationsAreReportedAndRepaired(t *testing.T) {
	for _, test := range violations() {
		t.Run(test.name, func(t *testing.T) {
			store := open(t)
			if lines := checkStore(t, store); len(lines) > 0 {
				t.Fatalf("got %q before the damage, want no violations", lines)
			}
			before := dump(t, store)
			write(t, store, test.broken...)
			damaged := dump(t, store)
			got := checkStore(t, store)
			slices.Sort(got)
			slices.Sort(test.lines)
			if diff := cmp.Diff(test.lines, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(damaged, dump(t, store)); diff != "" {
				t.Fatalf("a check changed the store (-before +after):\n%s", diff)
			}
			result, err := check.Checker{Store: store}.RepairAll(t.Context())
			if err != nil || result.Left != 0 || result.Found < len(got) {
				t.Fatal(result, err)
			}
			if got := checkStore(t, store); len(got) > 0 {
				t.Errorf("got violations after the repair:\n%s", strings.Join(got, "\n"))
			}
			if test.restored {
				if diff := cmp.Diff(before, dump(t, store)); diff != "" {
					t.Errorf("(-before +repaired):\n%s", diff)
				}
			}
		})
	}
}

func TestViolationsThatCannotBeRepairedAreReported(t *testing.T) {
	store := open(t)
	corrupt := put("follows", "no edge", hbase.Cell{Family: "i", Qualifier: "state", Value: []byte("1")})
	write(t, store, attribute("users", "c", "followerCount", "x"), corrupt)
	var lines []string
	report := func(v check.Violation) { lines = append(lines, v.String()) }
	result, err := check.Checker{Store: store, Report: report}.RepairAll(t.Context())
	want := []string{
		`follows "no edge" i:state: is unreadable, should be readable: ` +
			`hbase: corrupt data: edge key "no edge" (it cannot be repaired)`,
		at("users", "c", "i:followerCount") + `is "x", should be 0: the number of members of users:f`,
	}
	if diff := cmp.Diff(want, lines); diff != "" || err != nil || result != (check.Result{Found: 2, Left: 1}) {
		t.Errorf("%v, %v (-want +got):\n%s", result, err, diff)
	}
}

func TestRepairCountsAndReportsEachViolationOnce(t *testing.T) {
	corrupt := put("follows", "no edge", hbase.Cell{Family: "i", Qualifier: "state", Value: []byte("1")})
	again := &tables.Twit{AuthorName: "c", Name: "t1", PostedAt: day(5), Content: "hi", Visibility: tables.Public}
	for _, test := range []struct {
		name    string
		broken  []hbase.Mutation
		lost    string // part of the only remaining line
		reveals string // part of a line of the second run
	}{
		{"unrepairable in both runs", []hbase.Mutation{corrupt, out(tables.Twits, "b", first)},
			`follows "no edge"`, `there is no twit "t1"`},
		{"unrepairable in the second run", []hbase.Mutation{
			without("twit_ids", tables.RowKey("t1"), "i", "key"), in(tables.Twits, "c", again),
			attribute("users", "c", "twitCount", "1"), attribute("users", "c", "publicTwitCount", "1"),
		}, `two twits have the id "t1"`, `two twits have the id "t1"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := open(t)
			likes := map[string][]byte{tables.Likes.File + ".csv": []byte("username,twit\na,t1\n")}
			if _, err := transfer.ImportFiles(t.Context(), store, likes, transfer.Options{ListBound: 2}); err != nil {
				t.Fatal(err)
			}
			write(t, store, test.broken...)
			firstRun := checkStore(t, store)
			var lines []string
			report := func(v check.Violation) { lines = append(lines, v.String()) }
			result, err := check.Checker{Store: store, Report: report}.RepairAll(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if want := (check.Result{Found: len(lines), Left: 1}); result != want {
				t.Errorf("got %+v, want %+v:\n%s", result, want, strings.Join(lines, "\n"))
			}
			if len(lines) <= len(firstRun) || !strings.Contains(strings.Join(lines[len(firstRun):], "\n"), test.reveals) {
				t.Errorf("got no line with %q after the first run:\n%s", test.reveals, strings.Join(lines, "\n"))
			}
			if left := checkStore(t, store); len(left) != 1 || !strings.Contains(left[0], test.lost) {
				t.Errorf("got violations %q after the repair, want one with %q", left, test.lost)
			}
		})
	}
}

func TestRestoredNameOfATwitKeepsItsLikes(t *testing.T) {
	store := open(t)
	likes := map[string][]byte{tables.Likes.File + ".csv": []byte("username,twit\na,t1\n")}
	if _, err := transfer.ImportFiles(t.Context(), store, likes, transfer.Options{}); err != nil {
		t.Fatal(err)
	}
	write(t, store, without("twit_ids", tables.RowKey("t1"), "i", "key"))
	if found := checkStore(t, store); len(found) != 1 || !strings.HasPrefix(found[0], at("twit_ids", "t1", "i:key")) {
		t.Errorf("got violations %q, want only the absent name", found)
	}
	if result, err := (check.Checker{Store: store}).RepairAll(t.Context()); err != nil || result.Left != 0 {
		t.Fatalf("got %+v, %v", result, err)
	}
	edge := tables.Likes.Get("a", first.Key().String())
	results, err := store.Get(t.Context(), []hbase.Get{edge})
	if err != nil {
		t.Fatal(err)
	}
	if related, _, err := tables.Likes.Decode(results[0].Cells); err != nil || !related {
		t.Errorf("the like is gone: %v, %v", related, err)
	}
}

func TestIncompleteOperationIsAViolationAfterTheGrace(t *testing.T) {
	store := open(t)
	begun := time.Now().Add(-time.Minute)
	i := tables.Intent{ID: tables.NewOp(begun, 1), OpType: "follow", Arguments: "{}", At: begun.UnixMilli()}
	write(t, store, tables.Intents.Put(i))
	for grace, want := range map[time.Duration]int{0: 1, time.Hour: 0} {
		found := 0
		err := check.Checker{Store: store, Grace: grace, Report: func(v check.Violation) {
			found++
			const want = " i:kind: is follow, should be absent: " +
				"it began 1m0s ago; a gateway or twibase repair completes it"
			if !strings.HasSuffix(v.String(), want) {
				t.Errorf("got %q, want the suffix %q", v, want)
			}
		}}.Run(t.Context())
		if err != nil || found != want {
			t.Errorf("grace %v: got %d violations, error %v; want %d", grace, found, err, want)
		}
	}
}
