package transfer

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func export(t *testing.T, store hbase.Store) map[string][]byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made", "by", "export")
	rows, err := Export(context.Background(), store, dir)
	if err != nil {
		t.Fatal(err)
	}
	files, lines := map[string][]byte{}, 0
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(strings.NewReader(string(content))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		lines += len(records) - 1
		files[entry.Name()] = content
	}
	if rows != lines || len(files) != len(schemas) {
		t.Errorf("got %d rows, but %d lines in %d files", rows, lines, len(files))
	}
	return files
}

func TestExportCanBeImported(t *testing.T) {
	d := longLists(t)
	store := openStore(t)
	load(t, store, d.files(), Options{ListBound: 10})
	files := export(t, store)

	t.Run("has every row", func(t *testing.T) {
		for schema, want := range d {
			got, err := csv.NewReader(strings.NewReader(string(files[schema+".csv"]))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if schema == "twits" {
				for _, row := range want {
					row[6] = strings.TrimSuffix(row[6], "PUBLIC")
				}
			}
			byText := func(a, b []string) int { return slices.Compare(a, b) }
			want, got = slices.Clone(want), slices.Clone(got)
			slices.SortFunc(want[1:], byText)
			slices.SortFunc(got[1:], byText)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", schema, diff)
			}
		}
	})

	t.Run("has parents before their children", func(t *testing.T) {
		rows, err := csv.NewReader(strings.NewReader(string(files["departments.csv"]))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{"": true}
		for _, row := range rows[1:] {
			if seen[row[0]] = true; !seen[row[2]] {
				t.Errorf("got %s before its parent %s", row[0], row[2])
			}
		}
	})

	again := openStore(t)
	load(t, again, files, Options{})
	t.Run("has the same bytes after an import", func(t *testing.T) {
		if diff := cmp.Diff(files, export(t, again)); diff != "" {
			t.Errorf("(-first +second):\n%s", diff)
		}
	})
	t.Run("imports the same cells", func(t *testing.T) {
		wide := openStore(t)
		load(t, wide, d.files(), Options{})
		if diff := cmp.Diff(dump(t, wide), dump(t, again)); diff != "" {
			t.Errorf("(-original +exported):\n%s", diff)
		}
	})
}

// A day's count is 0 while its plays are being erased.
func TestExportLeavesOutDaysThatAreBeingErased(t *testing.T) {
	store := openStore(t)
	load(t, store, csvFiles(map[string]string{
		"users": "username,name\na,A\n", "games": "id,name\ngo,Go\n",
		"plays": "username,game,day,count\na,go,2020-01-01,2\na,go,2020-01-02,3\n",
	}), Options{})
	erased := tables.Plays.Put("a", "go", tables.DayCount{Day: "2020-01-01"}, 2)
	if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{erased}); err != nil {
		t.Fatal(err)
	}
	files := export(t, store)
	if got, want := string(files["plays.csv"]), "username,game,day,count\na,go,2020-01-02,3\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	load(t, openStore(t), files, Options{})
}

func TestExportReplacesOnlyItsFiles(t *testing.T) {
	store := openStore(t)
	load(t, store, csvFiles(map[string]string{"users": "username,name,age\na,A,\nb,B,7\n"}), Options{})
	dir := t.TempDir()
	for name, text := range map[string]string{"users.csv": "old", "notes.csv": "mine"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Export(context.Background(), store, dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, entry := range entries {
		content, _ := os.ReadFile(filepath.Join(dir, entry.Name()))
		got[entry.Name()] = string(content)
	}
	want := map[string]string{
		"notes.csv": "mine", "users.csv": "username,name,age\nb,B,7\na,A,\n",
		"departments.csv": "id,name,parent\n", "roles.csv": "id,name,department\n", "games.csv": "id,name\n",
		"twits.csv": twitHeader, "comments.csv": "twit,author,posted_at,content\n", "plays.csv": "username,game,day,count\n",
	}
	for _, x := range tables.Relations() {
		want[x.File+".csv"] = x.From.Column + "," + x.To.Column + "\n"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	t.Run("a failure changes no file", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Export(ctx, store, dir); err == nil {
			t.Fatal("got no error, want that of the canceled context")
		}
		after, err := os.ReadDir(dir)
		if err != nil || len(after) != len(entries) {
			t.Errorf("got %d files after the failure, error %v; want %d", len(after), err, len(entries))
		}
	})
}
