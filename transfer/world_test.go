package transfer

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
)

// world is random data as the rows of files, header first.
type world map[string][][]string

// begin is when the worlds begin.
var begin = time.Date(2024, 5, 1, 8, 0, 0, 0, time.UTC)

func randomWorld(r *rand.Rand, people int) world {
	w := world{
		"users":       {{"username", "name", "email", "age", "avatar_url", "created_at"}},
		"departments": {{"id", "name", "parent"}},
		"roles":       {{"id", "name", "department"}},
		"games":       {{"id", "name"}},
		"twits":       {{"id", "author", "posted_at", "content", "photo_urls", "title", "visibility"}},
		"comments":    {{"twit", "author", "posted_at", "content"}},
		"plays":       {{"username", "game", "day", "count"}},
	}
	maybe := func(s string) string { return []string{s, ""}[r.IntN(2)] }
	name := func() string { return []string{"LiLei", "小红", "ünï", "a.b-c_d", "𠮷"}[r.IntN(5)] }
	at := func() time.Time { return begin.Add(time.Duration(r.IntN(50)) * 1500 * time.Millisecond) }
	pick := func(schema string) string { return w[schema][1+r.IntN(len(w[schema])-1)][0] }
	for i := range people {
		w.add("users", fmt.Sprint(name(), i), name()+" "+name(), maybe("a@example.org"), maybe(strconv.Itoa(r.IntN(150))),
			maybe("https://example.org/a.png"), maybe(at().Format(time.RFC3339)))
	}
	for i := range people / 2 {
		parent := ""
		if i > 0 && r.IntN(4) > 0 {
			parent = pick("departments")
		}
		w.add("departments", fmt.Sprint("d/", name(), ":", i), name(), parent)
		w.add("roles", fmt.Sprint("r:", i), "role "+name(), maybe(pick("departments")))
		w.add("games", fmt.Sprint("g", i), "game, \""+name()+"\"")
	}
	for range people * 6 {
		w.once("plays", 3, pick("users"), pick("games"), at().AddDate(0, 0, r.IntN(3)).Format(time.DateOnly), strconv.Itoa(1+r.IntN(9)))
	}
	for i := range people * 3 {
		photos := []string{"", "", "https://example.org/1.jpg", "http://example.org/1.jpg https://example.org/2.jpg"}[r.IntN(4)]
		w.add("twits", fmt.Sprint("t", i), pick("users"), at().Format(time.RFC3339Nano), "Line 1\nline 2, \"quoted\" "+name(), photos,
			maybe("On "+name()), []string{"", "PUBLIC", "FOLLOWERS"}[r.IntN(3)])
	}
	for _, x := range tables.Relations() {
		w[x.File] = [][]string{header(x)}
		for range people * 6 {
			row := []string{pick(fileOf(x.From.Object())), pick(fileOf(x.To.Object()))}
			if x.Dated() {
				row = append(row, maybe(at().Format(time.RFC3339Nano)))
			}
			if !x.Irreflexive || row[0] != row[1] {
				w.once(x.File, 2, row...)
			}
		}
	}
	for range people * 6 {
		w.add("comments", pick("twits"), pick("users"), at().Format(time.RFC3339Nano), []string{"yes", "no"}[r.IntN(2)])
	}
	return w
}

// header is that of the files of a relation, with all columns.
func header(x *tables.Relation) []string {
	columns := []string{x.From.Column, x.To.Column}
	if x.Dated() {
		columns = append(columns, x.DateColumn)
	}
	return columns
}

// relationFiles are the schemas of all relations.
func relationFiles() (names []string) {
	for _, x := range tables.Relations() {
		names = append(names, x.File)
	}
	return names
}

// fileOf is the schema that has the objects of a kind. Their names are in its first column.
func fileOf(o *tables.AnyObject) string {
	if o == tables.PostedTwits {
		return "twits"
	}
	return o.Table
}

func (w world) add(schema string, fields ...string) { w[schema] = append(w[schema], fields) }

// once adds a row unless there is one that starts with the same fields, so many of them.
func (w world) once(schema string, key int, fields ...string) {
	if !slices.ContainsFunc(w[schema], func(row []string) bool { return slices.Equal(row[:key], fields[:key]) }) {
		w.add(schema, fields...)
	}
}

// files are the schemas as CSV files; all of them if none is named.
func (w world) files(schemas ...string) map[string][]byte {
	files := map[string][]byte{}
	for schema, rows := range w {
		if len(schemas) == 0 || slices.Contains(schemas, schema) {
			files[schema+".csv"] = toCSV(rows)
		}
	}
	return files
}

func toCSV(rows [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.WriteAll(rows)
	return b.Bytes()
}

// part is the world with only those rows of a schema that keep takes.
func (w world) part(schema string, keep func(i int) bool) map[string][]byte {
	rows := w[schema][:1:1]
	for i, row := range w[schema][1:] {
		if keep(i) {
			rows = append(rows, row)
		}
	}
	return map[string][]byte{schema + ".csv": toCSV(rows)}
}

func openStore(t testing.TB) hbase.Store {
	t.Helper()
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := EnsureTables(context.Background(), store, 1); err != nil {
		t.Fatal(err)
	}
	return store
}

// load imports files that have nothing wrong.
func load(t testing.TB, store hbase.Store, files map[string][]byte, options Options) {
	t.Helper()
	if _, err := ImportFiles(context.Background(), store, files, options); err != nil {
		t.Fatal(err)
	}
}

// dump returns every cell of a store, one a line, but for the note of imports to imports.
func dump(t testing.TB, store hbase.Store) []string {
	t.Helper()
	var lines []string
	for _, table := range tables.Definitions(1) {
		for row, err := range store.Scan(context.Background(), hbase.Scan{Table: table.Name}) {
			if err != nil {
				t.Fatal(err)
			}
			if row.Key == tables.Imports.Get().Row {
				continue // how many imports filled timelines
			}
			for _, c := range row.Cells {
				lines = append(lines, fmt.Sprintf("%s %q %s:%q @%d %q", table.Name, row.Key, c.Family, c.Qualifier, c.Timestamp, c.Value))
			}
		}
	}
	return lines
}

func seeded(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if s := strings.TrimSpace(seedSetting); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	t.Logf("TWIBASE_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
