package transfer

import (
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

func TestRowsAfterAMissingQuoteAreImported(t *testing.T) {
	const wrong = `extraneous or missing " in quoted-field`
	const tooLong = `users.csv:2: the row has more than 8388608 bytes: a closing quote may be missing`
	long := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		name, rows     string
		users, skipped []string
	}{
		{"up to the next quote", "a,\"A\nb,B\nc,\"C\"\nd,D\n", []string{"b", "c", "d"},
			[]string{"users.csv:2: " + wrong + ", in line 4, byte 3"}},
		{"up to a bare quote", "a,\"A\nb,\",B\"\nc,C\n", []string{"b", "c"},
			[]string{"users.csv:2: bare \" in non-quoted-field, in line 3, byte 6"}},
		{"up to the end of the file", "a,\"A\nb,B\nc,C", []string{"b", "c"},
			[]string{"users.csv:2: " + wrong + ", in line 4, byte 4"}},
		{"in several rows", "a,\"A\nb,\"B\nc,C\nd,\"D", []string{"c"}, []string{
			"users.csv:2: " + wrong + ", in line 3, byte 3", "users.csv:3: " + wrong + ", in line 5, byte 3",
			"users.csv:5: " + wrong + ", at byte 5"}},
		{"between blank lines", "\n\r\na,\"A\r\n\n\r\nb,B\n", []string{"b"},
			[]string{"users.csv:4: " + wrong + ", in line 7, byte 5"}},
		{"before a long part of the file", "a,\"A\n" + strings.Repeat("b,B\n"+long+"\n", 9) + "c,C\n", []string{"b", "c"},
			[]string{tooLong}},
		{"a long line", "a," + strings.Repeat(long, 9) + "\nb,B\n", []string{"b"}, []string{tooLong}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := openStore(t)
			var skipped []string
			_, err := importCSV(store, map[string]string{"users": "username,name\n" + test.rows}, Options{
				SkipBad: true,
				Skipped: func(e *RowError) {
					if !strings.Contains(e.Reason, "fields") { // a long line
						skipped = append(skipped, e.Error())
					}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			users := map[string]bool{}
			for u, err := range rebuild.Objects(t.Context(), store, tables.Users, "name") {
				if err != nil {
					t.Fatal(err)
				}
				users[u.Username] = true
			}
			want := map[string]bool{}
			for _, name := range test.users {
				want[name] = true
			}
			if diff := cmp.Diff(want, users); diff != "" {
				t.Errorf("users (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.skipped, skipped); diff != "" {
				t.Errorf("skipped rows (-want +got):\n%s", diff)
			}
		})
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestBlankLinesBelongToNoRecord(t *testing.T) {
	blank := strings.Repeat("\n", maxRecord+1) + "\r\n"
	f := file{"users.csv", &schemas[0], func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(blank + "username,name\n" + blank + "LiLei,L\n" + blank + "Lucy,")), nil
	}}
	var users []string
	err := f.rows(func(r *row) error { users = append(users, r.fields[0]); return nil })
	if !slices.Equal(users, []string{"LiLei", "Lucy"}) || err != nil {
		t.Errorf("got users %q, error %v", users, err)
	}
}

func TestMemoryOfARecordIsBounded(t *testing.T) {
	const size = 256 << 20
	f := file{"users.csv", &schemas[0], func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader("username,name\na,\""), io.LimitReader(endless{}, size))), nil
	}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := f.rows(func(r *row) error { return r.err })
	runtime.ReadMemStats(&after)
	var bad *RowError
	if !errors.As(err, &bad) || bad.Line != 2 {
		t.Errorf("got error %v, want a RowError of line 2", err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 20*maxRecord {
		t.Errorf("got %d bytes allocated, want at most %d", allocated, 20*maxRecord)
	}
}
