package transfer

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each file is imported or rejected with a RowError. A second import changes nothing.
func FuzzImport(f *testing.F) {
	for i, schema := range schemas {
		text := base[schema.name]
		if text == "" {
			text = map[string]string{
				"user_roles": "username,role\na,r\n",
				"follows":    "follower,followee,followed_at\na,b,2024-05-01T00:00:00Z\n",
				"comments":   "twit,author,posted_at,content\nt,b,2024-05-01T00:00:00Z,\"a \"\"remark\"\"\"\n",
				"plays":      "username,game,day,count\na,g,2024-05-01,2\n",
			}[schema.name]
		}
		f.Add(byte(i), []byte(text), false)
		f.Add(byte(i), []byte("\ufeff"+text+text), false)
		f.Add(byte(i), []byte(text), true)
	}
	f.Fuzz(func(t *testing.T, schema byte, text []byte, zipped bool) {
		store := openStore(t)
		load(t, store, csvFiles(base), Options{})
		name := schemas[int(schema)%len(schemas)].name + ".csv"
		if zipped {
			name += ".gz"
		}
		files := map[string][]byte{name: text}
		if _, err := ImportFiles(t.Context(), store, files, Options{SkipBad: true}); err != nil {
			if bad := (*RowError)(nil); !errors.As(err, &bad) && !zipped {
				t.Fatalf("got error %v, want a RowError", err)
			}
			return
		}
		once := dump(t, store)
		if _, err := ImportFiles(t.Context(), store, files, Options{SkipBad: true}); err != nil {
			t.Fatalf("second import: got error %v", err)
		}
		if twice := dump(t, store); !slices.Equal(once, twice) {
			t.Errorf("the second import changed the store (-once +twice):\n%s", cmp.Diff(once, twice))
		}
	})
}
