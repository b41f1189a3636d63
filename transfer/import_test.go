package transfer

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

func sorted(lines []string) []string { slices.Sort(lines); return lines }

func TestImportIsIndependentOfOrderAndPieces(t *testing.T) {
	d := randomData(seeded(t), 40)
	whole := openStore(t)
	load(t, whole, d.files(), Options{})
	want := dump(t, whole)

	t.Run("writes every cell that the rows imply and no other", func(t *testing.T) {
		if diff := cmp.Diff(expectedCells(t, d).lines(), sorted(slices.Clone(want))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})

	t.Run("again changes nothing", func(t *testing.T) {
		load(t, whole, d.files(), Options{})
		if diff := cmp.Diff(want, dump(t, whole)); diff != "" {
			t.Errorf("(-once +twice):\n%s", diff)
		}
	})

	for _, test := range []struct {
		name  string
		order [][]string
	}{
		{"twits before follows", [][]string{
			{"users"}, {"twits"}, {"follows"}, {"departments"}, {"roles", "games"}, {"user_roles", "plays", "comments"},
		}},
		{"follows before twits", [][]string{
			{"games"}, {"departments", "users"}, {"follows"}, {"roles"}, {"plays"}, {"user_roles"}, {"twits"}, {"comments"},
		}},
	} {
		t.Run("makes the same store file by file: "+test.name, func(t *testing.T) {
			store := openStore(t)
			for _, schemas := range append(test.order, relationFiles()) {
				load(t, store, d.files(schemas...), Options{})
			}
			if diff := cmp.Diff(want, dump(t, store)); diff != "" {
				t.Errorf("(-together +file by file):\n%s", diff)
			}
		})
	}

	t.Run("makes the same store in pieces", func(t *testing.T) {
		store := openStore(t)
		load(t, store, d.files("users", "departments", "roles", "games"), Options{})
		for _, schema := range []string{"follows", "twits", "follows", "plays", "user_roles"} {
			for piece := range 3 {
				if schema == "twits" && piece == 2 {
					continue
				}
				load(t, store, d.part(schema, func(i int) bool { return i%3 == piece }), Options{})
			}
		}
		load(t, store, d.files("twits"), Options{})
		load(t, store, d.files("comments"), Options{})
		load(t, store, d.files(relationFiles()...), Options{})
		if diff := cmp.Diff(want, dump(t, store)); diff != "" {
			t.Errorf("(-together +in pieces):\n%s", diff)
		}
	})
}

func TestImportIntoAnEmptyStoreReadsNoEdges(t *testing.T) {
	store := openStore(t)
	reads := func(files map[string]string) (edges int) {
		recorder := hbasetest.NewRecorder(store, hbasetest.Names{})
		if _, err := importCSV(recorder, files, Options{}); err != nil {
			t.Fatal(err)
		}
		for _, read := range recorder.Reads() {
			if strings.HasPrefix(read, "Get "+tables.Follows.Table+" ") {
				edges++
			}
		}
		return edges
	}
	files := map[string]string{"users": people("a", "b"), "follows": "follower,followee\na,b\nb,a\n"}
	if got := reads(files); got != 0 {
		t.Errorf("the first import read %d edges, want 0", got)
	}
	if got := reads(files); got != 2 {
		t.Errorf("the second import read %d edges, want 2", got)
	}
}

// A user with this name has the row key of the marks.
func TestStoreWithAUserIsNotBlank(t *testing.T) {
	store := openStore(t)
	if _, err := importCSV(store, map[string]string{"users": people("tables")}, Options{}); err != nil {
		t.Fatal(err)
	}
	if blank, err := isBlank(t.Context(), store); blank || err != nil {
		t.Errorf("got %v, %v, want false", blank, err)
	}
}
