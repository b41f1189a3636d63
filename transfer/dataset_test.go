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

	"go.uber.org/goleak"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dataset has rows by schema. The first row is the header.
type dataset map[string][][]string

var begin = time.Date(2024, 5, 1, 8, 0, 0, 0, time.UTC)

func randomData(r *rand.Rand, people int) dataset {
	d := dataset{
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
	pick := func(schema string) string { return d[schema][1+r.IntN(len(d[schema])-1)][0] }
	for i := range people {
		d.add("users", fmt.Sprint(name(), i), name()+" "+name(), maybe("a@example.org"), maybe(strconv.Itoa(r.IntN(150))),
			maybe("https://example.org/a.png"), maybe(at().Format(time.RFC3339)))
	}
	for i := range people / 2 {
		parent := ""
		if i > 0 && r.IntN(4) > 0 {
			parent = pick("departments")
		}
		d.add("departments", fmt.Sprint("d/", name(), ":", i), name(), parent)
		d.add("roles", fmt.Sprint("r:", i), "role "+name(), maybe(pick("departments")))
		d.add("games", fmt.Sprint("g", i), "game, \""+name()+"\"")
	}
	for range people * 6 {
		user, game, day := pick("users"), pick("games"), at().AddDate(0, 0, r.IntN(3))
		d.once("plays", 3, user, game, day.Format(time.DateOnly), strconv.Itoa(1+r.IntN(9)))
	}
	for i := range people * 3 {
		photos := []string{
			"", "", "https://example.org/1.jpg", "http://example.org/1.jpg https://example.org/2.jpg",
		}[r.IntN(4)]
		d.add("twits", fmt.Sprint("t", i), pick("users"), at().Format(time.RFC3339Nano),
			"Line 1\nline 2, \"quoted\" "+name(), photos,
			maybe("On "+name()), []string{"", "PUBLIC", "FOLLOWERS"}[r.IntN(3)])
	}
	for _, x := range tables.Relations() {
		d[x.File] = [][]string{header(x)}
		for range people * 6 {
			row := []string{pick(fileOf(x.From.Object())), pick(fileOf(x.To.Object()))}
			if x.Dated() {
				row = append(row, maybe(at().Format(time.RFC3339Nano)))
			}
			if !x.Irreflexive || row[0] != row[1] {
				d.once(x.File, 2, row...)
			}
		}
	}
	for range people * 6 {
		d.add("comments", pick("twits"), pick("users"), at().Format(time.RFC3339Nano), []string{"yes", "no"}[r.IntN(2)])
	}
	return d
}

func header(x *tables.Relation) []string {
	columns := []string{x.From.Column, x.To.Column}
	if x.Dated() {
		columns = append(columns, x.DateColumn)
	}
	return columns
}

func relationFiles() (names []string) {
	for _, x := range tables.Relations() {
		names = append(names, x.File)
	}
	return names
}

func fileOf(o *tables.AnyObject) string {
	if o == tables.PostedTwits {
		return "twits"
	}
	return o.Table
}

func (d dataset) add(schema string, fields ...string) { d[schema] = append(d[schema], fields) }

func (d dataset) once(schema string, key int, fields ...string) {
	if !slices.ContainsFunc(d[schema], func(row []string) bool { return slices.Equal(row[:key], fields[:key]) }) {
		d.add(schema, fields...)
	}
}

func (d dataset) files(schemas ...string) map[string][]byte {
	files := map[string][]byte{}
	for schema, rows := range d {
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

func (d dataset) part(schema string, keep func(i int) bool) map[string][]byte {
	rows := d[schema][:1:1]
	for i, row := range d[schema][1:] {
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

func load(t testing.TB, store hbase.Store, files map[string][]byte, options Options) {
	t.Helper()
	if _, err := ImportFiles(context.Background(), store, files, options); err != nil {
		t.Fatal(err)
	}
}

func dump(t testing.TB, store hbase.Store) []string {
	t.Helper()
	var lines []string
	for _, table := range tables.Definitions(1) {
		for row, err := range store.Scan(context.Background(), hbase.Scan{Table: table.Name}) {
			if err != nil {
				t.Fatal(err)
			}
			if row.Key == tables.Imports.Get().Row || row.Key == tables.Marks.Get().Row {
				continue // no data
			}
			for _, c := range row.Cells {
				lines = append(lines, fmt.Sprintf("%s %q %s:%q @%d %q",
					table.Name, row.Key, c.Family, c.Qualifier, c.Timestamp, c.Value))
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
