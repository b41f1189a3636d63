package recent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLeastRecentlyUsedValuesAreEvicted(t *testing.T) {
	for _, test := range []struct {
		name               string
		maxValues, maxSize int
		// A word is added with its length as size. ?word is a look-up.
		uses, want string
	}{
		{"within the bounds", 10, 6, "a bb ccc", "a bb ccc"},
		{"the oldest values are evicted", 10, 6, "a bb ccc dd", "ccc dd"},
		{"a look-up makes a value recent", 10, 6, "a bb ccc ?a dd", "ccc a dd"},
		{"a value above the maximum evicts nothing", 10, 6, "a bb ccccccc", "a bb"},
		{"a cached key is not added again", 10, 6, "aaa aaa aaa b", "aaa b"},
		{"at the maximum number", 2, 6, "a b c", "b c"},
		{"eviction by number reduces the size", 2, 3, "aa b c d", "c d"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := New[string, string](test.maxValues, test.maxSize)
			for _, word := range strings.Fields(test.uses) {
				if key, ok := strings.CutPrefix(word, "?"); ok {
					if value, ok := c.Get(key); !ok || value != key {
						t.Errorf("%q is %q: %t", key, value, ok)
					}
					continue
				}
				c.Add(word, word, len(word))
			}
			if diff := cmp.Diff(test.want, strings.Join(c.Values(), " ")); diff != "" {
				t.Error(diff)
			}
			if _, ok := c.Get("nothing"); ok || c.size != len(strings.ReplaceAll(test.want, " ", "")) {
				t.Errorf("size %d; unknown key found: %t", c.size, ok)
			}
		})
	}
}
