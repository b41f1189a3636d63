package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer"
	"twibase/transfer/check"
)

type named struct{ name, key string }

var pairs = map[*tables.AnyObject][2]named{
	&tables.Users.AnyObject:       {{"a", "a"}, {"b", "b"}},
	&tables.Roles.AnyObject:       {{"boss", "boss"}, {"helper", "helper"}},
	&tables.Departments.AnyObject: {{"top", "top"}, {"low", "low"}},
	&tables.Games.AnyObject:       {{"go", "go"}, {"chess", "chess"}},
	tables.PostedTwits:            {{"t1", first.Key().String()}, {"t2", second.Key().String()}},
}

func TestEveryRelationIsCheckedAndRepaired(t *testing.T) {
	for _, x := range tables.Relations() {
		from, to := pairs[x.From.Object()][0], pairs[x.To.Object()][1]
		add := func(t *testing.T, store hbase.Store) {
			t.Helper()
			rows := x.From.Column + "," + x.To.Column + "\n" + from.name + "," + to.name + "\n"
			_, err := transfer.ImportFiles(t.Context(), store, map[string][]byte{
				"roles.csv": []byte("id,name,department\nhelper,Helper,\n"), "games.csv": []byte("id,name\nchess,Chess\n"),
				x.File + ".csv": []byte(rows)}, transfer.Options{ListBound: 2})
			if err != nil {
				t.Fatal(err)
			}
		}
		at := func(table, row, family, qualifier string) string {
			v := check.Violation{Table: table, Row: row, Column: family + ":" + qualifier}
			line, _, _ := strings.Cut(v.String(), "is ,")
			return line
		}
		var counts []string // prefixes of lines
		var damagedCounts []hbase.Mutation
		for _, counted := range []struct {
			list  *tables.AnyList
			owner string
		}{{x.From.List, from.key}, {x.To.List, to.key}} {
			if l := counted.list; l.Count != "" {
				counts = append(counts, at(l.Owner.Table, tables.RowKey(counted.owner), tables.Attributes, l.Count))
				damagedCounts = append(damagedCounts, attribute(l.Owner.Table, counted.owner, l.Count, "7"))
			}
		}
		fromMember, toMember := x.From.Member(to.key, tables.UnknownTime, 0), x.To.Member(from.key, tables.UnknownTime, 0)
		fromRow, toRow := x.From.List.Row(from.key, 0), x.To.List.Row(to.key, 0)
		inFrom := at(x.From.List.Table, fromRow, fromMember.Family, fromMember.Qualifier)
		inTo := at(x.To.List.Table, toRow, toMember.Family, toMember.Qualifier)
		says := from.name + " " + x.Verb + " " + to.name
		for _, test := range []struct {
			name     string
			damage   []hbase.Mutation
			reported []string // prefixes of lines
		}{
			{"a member of the first end is missing",
				[]hbase.Mutation{without(x.From.List.Table, fromRow, fromMember.Family, fromMember.Qualifier)},
				[]string{inFrom + "is absent, should be present: " + says}},
			{"a member of the second end is missing",
				[]hbase.Mutation{without(x.To.List.Table, toRow, toMember.Family, toMember.Qualifier)},
				[]string{inTo + "is absent, should be present: " + says}},
			{"no edge", []hbase.Mutation{x.Put(from.key, to.key, false, tables.UnknownTime, age)}, append([]string{
				inFrom + "is present, should be absent: " + x.Table + " has no edge for: " + says,
				inTo + "is present, should be absent: " + x.Table + " has no edge for: " + says,
			}, counts...)},
			{"the counts are wrong", damagedCounts, counts},
		} {
			t.Run(x.Name+", "+test.name, func(t *testing.T) {
				store := open(t)
				add(t, store)
				if lines := checkStore(t, store); len(lines) > 0 {
					t.Fatalf("got %q before the damage, want no violations", lines)
				}
				before := dump(t, store)
				write(t, store, test.damage...)
				lines := slices.DeleteFunc(checkStore(t, store), func(line string) bool {
					return strings.HasPrefix(line, tables.Timelines.Table+" ") // derived
				})
				for _, want := range test.reported {
					if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, want) }) {
						t.Errorf("got no line with the prefix %q:\n%s", want, strings.Join(lines, "\n"))
					}
				}
				if len(lines) != len(test.reported) {
					t.Errorf("got %d violations, want %d:\n%s", len(lines), len(test.reported), strings.Join(lines, "\n"))
				}
				if result, err := (check.Checker{Store: store}).RepairAll(t.Context()); err != nil || result.Left > 0 {
					t.Fatal(result, err)
				}
				if test.name == "no edge" {
					return // of the source
				}
				if diff := cmp.Diff(before, dump(t, store)); diff != "" {
					t.Errorf("(-before +repaired):\n%s", diff)
				}
			})
		}
	}
}
