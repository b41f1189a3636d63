package recent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// kept are the keys that a cache keeps of values that are like them.
func kept(c *Cache[string, string]) string { return strings.Join(c.Values(), " ") }

func TestCache(t *testing.T) {
	for _, test := range []struct {
		name       string
		most, room int
		// A word is added with its length as its size; one after a ? is looked up.
		uses, want string
	}{
		{"all stay while there is room", 10, 6, "a bb ccc", "a bb ccc"},
		{"the oldest make room", 10, 6, "a bb ccc dd", "ccc dd"},
		{"one that was looked up is young", 10, 6, "a bb ccc ?a dd", "ccc a dd"},
		{"what is too large makes nobody go", 10, 6, "a bb ccccccc", "a bb"},
		{"what is there already takes no more room", 10, 6, "aaa aaa aaa b", "aaa b"},
		{"there are so many at most", 2, 6, "a b c", "b c"},
		{"who goes for the number leaves room too", 2, 3, "aa b c d", "c d"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := New[string, string](test.most, test.room)
			for _, word := range strings.Fields(test.uses) {
				if key, looked := strings.CutPrefix(word, "?"); looked {
					if value, ok := c.Get(key); !ok || value != key {
						t.Errorf("%q is %q: %t", key, value, ok)
					}
					continue
				}
				c.Add(word, word, len(word))
			}
			if diff := cmp.Diff(test.want, kept(c)); diff != "" {
				t.Error(diff)
			}
			if _, ok := c.Get("nothing"); ok || c.taken != len(strings.ReplaceAll(test.want, " ", "")) {
				t.Errorf("%d are taken; what is not there is found: %t", c.taken, ok)
			}
		})
	}
}
