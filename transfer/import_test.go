package transfer

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sorted(lines []string) []string { slices.Sort(lines); return lines }

func TestImport(t *testing.T) {
	w := randomWorld(seeded(t), 40)
	whole := openStore(t)
	load(t, whole, w.files(), Options{})
	want := dump(t, whole)

	t.Run("writes every cell that the rows imply and no other", func(t *testing.T) {
		if diff := cmp.Diff(expect(t, w).lines(), sorted(slices.Clone(want))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})

	t.Run("twice makes the same store", func(t *testing.T) {
		load(t, whole, w.files(), Options{})
		if diff := cmp.Diff(want, dump(t, whole)); diff != "" {
			t.Errorf("(-once +twice):\n%s", diff)
		}
	})

	for _, test := range []struct {
		name  string
		order [][]string
	}{
		{"twits before follows", [][]string{{"users"}, {"twits"}, {"follows"}, {"departments"}, {"roles", "games"}, {"user_roles", "plays", "comments"}}},
		{"follows before twits", [][]string{{"games"}, {"departments", "users"}, {"follows"}, {"roles"}, {"plays"}, {"user_roles"}, {"twits"}, {"comments"}}},
	} {
		t.Run("one file after another makes the same store: "+test.name, func(t *testing.T) {
			store := openStore(t)
			for _, schemas := range append(test.order, relationFiles()) {
				load(t, store, w.files(schemas...), Options{})
			}
			if diff := cmp.Diff(want, dump(t, store)); diff != "" {
				t.Errorf("(-at once +bit by bit):\n%s", diff)
			}
		})
	}

	t.Run("files in pieces make the same store", func(t *testing.T) {
		store := openStore(t)
		load(t, store, w.files("users", "departments", "roles", "games"), Options{})
		for _, schema := range []string{"follows", "twits", "follows", "plays", "user_roles"} {
			for piece := range 3 {
				if schema == "twits" && piece == 2 {
					continue
				}
				load(t, store, w.part(schema, func(i int) bool { return i%3 == piece }), Options{})
			}
		}
		load(t, store, w.files("twits"), Options{})
		load(t, store, w.files("comments"), Options{})
		load(t, store, w.files(relationFiles()...), Options{})
		if diff := cmp.Diff(want, dump(t, store)); diff != "" {
			t.Errorf("(-at once +in pieces):\n%s", diff)
		}
	})
}
