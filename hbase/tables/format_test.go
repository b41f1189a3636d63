package tables_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

var update = flag.Bool("update", false, "update the files of testdata")

// A difference means a new format.
func TestStoredFormatIsUnchanged(t *testing.T) {
	var b strings.Builder
	for _, c := range codecs() {
		if strings.HasSuffix(c.name, ", position") {
			continue // as the qualifier
		}
		fmt.Fprintf(&b, "%s\n    %q\n", c.name, c.bytes)
	}
	for _, l := range lists {
		fmt.Fprintf(&b, "%s, row of bucket 258\n    %q\n", l.name, l.row(l.owner, 258))
	}
	golden(t, "testdata/format.txt", b.String())
}

func TestReadsAreUnchanged(t *testing.T) {
	var b strings.Builder
	get := func(name string, g hbase.Get) {
		if err := g.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fmt.Fprintf(&b, "%s\n    %s %q %s", name, g.Table, g.Row, g.Columns)
		if g.Page.Start != "" || g.Page.Stop != "" {
			fmt.Fprintf(&b, " [%q, %q)", g.Page.Start, g.Page.Stop)
		}
		if g.Page.Limit != 0 {
			fmt.Fprintf(&b, " at most %d", g.Page.Limit)
		}
		b.WriteByte('\n')
	}
	scan := func(name string, s hbase.Scan) {
		fmt.Fprintf(&b, "%s\n    %s [%q, %q) %s\n", name, s.Table, s.Start, s.Stop, s.Columns)
	}
	columns := tables.Users.Columns([]string{"username", "followerCount"})
	get("a user's name and number of followers", tables.Users.Get("小红", columns))
	get("is LiLei found?", tables.Users.Search.Get("LiLei"))
	scan("all users that are found", tables.Users.Search.Scan())
	get("are all users found?", tables.Users.Search.Complete())
	get("LiLei's account", tables.Accounts.Get("LiLei"))
	get("does LiLei follow 小红?", tables.Follows.Related("LiLei", "小红"))
	get("LiLei's assignment of a role", tables.Assignments.Get("LiLei", "lead"))
	get("the key of a twit, by its name", tables.TwitNames.Get("a/b:7"))
	get("the tree of departments", tables.Tree.Get())
	get("LiLei's plays", tables.Plays.Get("LiLei", "go"))
	get("has LiLei played it?", tables.Plays.Any("LiLei", "go"))
	get("LiLei's plays, and an idempotency key", tables.Plays.GetWithKey("LiLei", "go", ptr("again")))
	get("the plays of a game on some days", tables.GameDays.Get("go", "2014-12-01", "2014-12-31"))
	get("a comment by LiLei with an idempotency key", tables.Commenters.Added(moment.Key(), "LiLei", "again"))
	get("was the comment removed?", tables.Commenters.Removed(remarkKey(), "LiLei"))
	get("was a comment of that time removed?", tables.Commenters.RemovedAt(moment.Key(), "LiLei", noon))
	get("the broadcasters", tables.Broadcasters.Get())
	get("is 小红 a broadcaster?", tables.Broadcasters.Of("小红"))
	get("the markers of imports", tables.Imports.Get())
	get("a job", tables.Jobs.Get(job.ID))
	scan("the jobs of a shard since noon", tables.Jobs.Scan(1, noon, time.Time{}))
	for _, l := range lists {
		get(l.name+": the first page", l.get(l.owner, 0, hbase.Page{Limit: 21}))
		next := hbase.Page{Start: hbase.Next(l.cell.Qualifier), Limit: 21}
		get(l.name+": the next page, in bucket 1", l.get(l.owner, 1, next))
		get(l.name+": the bucket before a position", l.directory(l.owner, l.cell.Qualifier, 1))
		get(l.name+": the last bucket", l.directory(l.owner, "", 1))
		if l.length != nil {
			get(l.name+": length", l.length(l.owner))
		}
	}
	golden(t, "testdata/reads.txt", b.String())
}

func TestDefinitionsAreUnchanged(t *testing.T) {
	var b strings.Builder
	for _, table := range tables.Definitions(3) {
		if err := table.Validate(); err != nil {
			t.Error(err)
		}
		fmt.Fprintf(&b, "%s, split at %q\n", table.Name, table.Splits)
		for _, f := range table.Families {
			fmt.Fprintf(&b, "    %+v\n", f)
		}
	}
	golden(t, "testdata/definitions.txt", b.String())
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; go test -update updates it):\n%s", file, diff)
	}
}
