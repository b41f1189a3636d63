package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
)

func following(t *testing.T) (store, data string) {
	t.Helper()
	files := t.TempDir()
	data = filepath.Join(t.TempDir(), "data")
	for name, text := range map[string]string{
		"users":   "username,name\nLiLei,李雷\nLucy,Lucy\n",
		"follows": "follower,followee\nLucy,LiLei\n",
	} {
		if err := os.WriteFile(filepath.Join(files, name+".csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store = "embedded:" + data
	if status, _, stderr := command(t, "import", "--store", store, files); status != 0 {
		t.Fatal(stderr)
	}
	return store, data
}

func TestRepairRepairsAndCheckReports(t *testing.T) {
	t.Setenv("TWIBASE_LOG_LEVEL", "warn")
	store, data := following(t)
	damage := func(mutations ...hbase.Mutation) {
		t.Helper()
		s, err := embedded.Open(data)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if errs, err := s.Mutate(t.Context(), mutations); errs != nil || err != nil {
			t.Fatal(errs, err)
		}
	}
	count := hbase.Put{Table: tables.Users.Table, Row: tables.RowKey("LiLei"), Cells: []hbase.Cell{
		{Family: tables.Attributes, Qualifier: "followerCount", Timestamp: 2, Value: []byte("2")}}}
	edge := hbase.Put{Table: tables.Follows.Table, Row: "x",
		Cells: []hbase.Cell{{Family: tables.Attributes, Qualifier: "state", Timestamp: 2, Value: []byte("1")}}}
	const line = `users "\xe2\x95LiLei" i:followerCount: is 2, should be 1: the number of members of users:f` + "\n"
	const lost = `follows "x" i:state: is unreadable, should be readable: hbase: corrupt data: edge key "x" (it cannot be repaired)` + "\n"
	for _, step := range []struct {
		name   string
		before func()
		args   []string
		status int
		stdout string
		stderr string
	}{
		{"no violations", nil, []string{"--check"}, 0, "", " rows read in "},
		{"--check of a violation", func() { damage(count) }, []string{"--check"}, statusFailed, line,
			"twibase: 1 violations; twibase repair without --check repairs those that can be repaired\n"},
		{"--check again", nil, []string{"--check"}, statusFailed, line, ""},
		{"repair", nil, nil, 0, line + "1 violations found, 1 repaired\n", ""},
		{"and gone", nil, []string{"--check"}, 0, "", ""},
		{"repair again", nil, nil, 0, "0 violations found, 0 repaired\n", ""},
		{"violation that can't be repaired", func() { damage(edge) }, nil, statusFailed,
			lost + "1 violations found, 0 repaired\n", "twibase: 1 violations cannot be repaired\n"},
	} {
		t.Run(step.name, func(t *testing.T) {
			if step.before != nil {
				step.before()
			}
			status, stdout, stderr := command(t, append([]string{"repair", "--store", store}, step.args...)...)
			if status != step.status || stdout != step.stdout || !strings.Contains(stderr, step.stderr) {
				t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
			}
		})
	}
	t.Run("missing tables are reported", func(t *testing.T) {
		status, _, stderr := command(t, "repair", "--check", "--store", "embedded:")
		if status != statusFailed || !strings.Contains(stderr, "--store embedded: has no twibase tables: ") ||
			!strings.Contains(stderr, "twibase tables create") {
			t.Errorf("status %d, stderr %q", status, stderr)
		}
	})
}

func TestRepairAndExportNameMissingTables(t *testing.T) {
	for _, args := range [][]string{{"repair"}, {"repair", "--check"}, {"export", t.TempDir()}} {
		for _, c := range []struct {
			table   string
			outputs []string // of consecutive calls
		}{
			{tables.Likes.Table, []string{"twibase: created the tables likes, which this version adds\n", ""}},
			{tables.Plays.Table, []string{"lacks the tables plays: restore their data",
				"lacks the tables plays: restore their data"}},
		} {
			t.Run(strings.Join(args, " ")+" without "+c.table, func(t *testing.T) {
				store, data := following(t)
				s, err := embedded.Open(data)
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(s.DropTable(t.Context(), c.table), s.Close()); err != nil {
					t.Fatal(err)
				}
				for _, want := range c.outputs {
					status, _, stderr := command(t, append(args, "--store", store)...)
					if fails := c.table == tables.Plays.Table; (status != 0) != fails || !strings.Contains(stderr, want) ||
						want == "" && strings.Contains(stderr, "created the tables") {
						t.Errorf("status %d, stderr %q", status, stderr)
					}
				}
			})
		}
	}
}

func TestRepairUsesTheFanoutLimit(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		state  tables.Broadcast
		stderr string
	}{
		{[]string{"--fanout-limit", "2"}, 0, tables.Merged, ""},
		{nil, 0, "leaving", ""},
		{[]string{"--fanout-limit", "0"}, statusUsage, "", "--fanout-limit must be at least 1"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			store, data := following(t)
			s, err := embedded.Open(data)
			if err != nil {
				t.Fatal(err)
			}
			now := time.Now()
			twit := &tables.Twit{AuthorName: "LiLei", PostedAt: now, Name: "x", Content: "x", Visibility: tables.Public}
			errs, err := s.Mutate(t.Context(), []hbase.Mutation{
				hbase.Put{Table: tables.Twits.Table, Row: tables.Twits.Row("LiLei", 0),
					Cells: []hbase.Cell{tables.Twits.Cell(twit, 1)}},
				tables.TwitNames.Put(twit, 1), tables.Broadcasters.Put("LiLei", tables.Merged, 1),
				tables.Jobs.Put(tables.Job{ID: tables.NewOp(now, 1), Kind: tables.Posted, At: now.UnixMilli(), Author: "LiLei",
					Position: twit.Key().Position}),
			})
			if s.Close(); errs != nil || err != nil {
				t.Fatal(errs, err)
			}
			status, _, stderr := command(t, append([]string{"repair", "--store", store}, c.args...)...)
			if status != c.status || !strings.Contains(stderr, c.stderr) {
				t.Fatalf("status %d, stderr %q", status, stderr)
			}
			if c.status != 0 {
				return
			}
			if s, err = embedded.Open(data); err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			results, err := s.Get(t.Context(), []hbase.Get{tables.Broadcasters.Of("LiLei")})
			if err != nil {
				t.Fatal(err)
			}
			state, _, err := tables.Broadcasters.State(results[0].Cells)
			if _, leaving := state.Leaving(); err != nil || state != c.state && !(leaving && c.state == "leaving") {
				t.Errorf("the author is %q, %v", state, err)
			}
		})
	}
}
