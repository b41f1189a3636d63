package invariant_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/invariant"
)

// third is a moment without photos.
var third = &tables.Twit{AuthorName: "b", Name: "t3", PostedAt: day(4), Content: "mine", Visibility: tables.FollowersOnly}

// withFlag is a twit's column whose record has these bytes instead of the field that says that it is for
// followers.
func withFlag(l *tables.List[*tables.Twit], t *tables.Twit, flag string) hbase.Mutation {
	public := *t
	public.Visibility = tables.Public
	cell := l.Cell(&public, 0)
	cell.Value = append(cell.Value, flag...)
	return put(l.Table, l.Row(t.AuthorName, 0), cell)
}

// unknown is a field of a record whose visibility is neither PUBLIC nor FOLLOWERS.
const unknown = "\x22\x01x"

func TestUnknownVisibilityIsReported(t *testing.T) {
	begun := time.Now().Add(-time.Minute)
	intent := tables.Intent{ID: tables.NewOp(begun, 1), Kind: "postTwit", At: begun.UnixMilli(),
		Arguments: `{"Author":"b","Name":"t4","Content":"x","Visibility":"followers"}`}
	posted := []hbase.Mutation{
		put("twit_ids", tables.RowKey("t3"), tables.TwitNames.Put(third, 0).Cells...),
		in(tables.Twits, "b", third), in(tables.Albums, "b", third), in(tables.Timelines, "a", third.Key()),
		attribute("users", "b", "twitCount", "3"), attribute("users", "b", "albumCount", "2"),
	}
	for _, test := range []struct {
		name   string
		broken []hbase.Mutation
		lines  []string
		left   int // after the repair
	}{
		{"in a twit", []hbase.Mutation{withFlag(tables.Twits, second, unknown)},
			[]string{atMember(tables.Twits, "b", second) + `is "\n\x03see\x1a\x12http://x.org/1.jpg\"\x01x", should be a twit that is PUBLIC or FOLLOWERS: ` +
				`users of "b": hbase: corrupt data: "\x7f\xff\xfe\x90\x9cr\xbb\xfft2": not a valid name: unknown visibility "x"`}, 0},
		{"in an album", []hbase.Mutation{withFlag(tables.Albums, second, unknown)},
			[]string{atMember(tables.Albums, "b", second) + `is "\n\x03see\x1a\x12http://x.org/1.jpg\"\x01x", should be a twit that is PUBLIC or FOLLOWERS: ` +
				`albums of "b": hbase: corrupt data: "\x7f\xff\xfe\x90\x9cr\xbb\xfft2": not a valid name: unknown visibility "x"`}, 0},
		{"in both", []hbase.Mutation{withFlag(tables.Twits, second, unknown), withFlag(tables.Albums, second, unknown)},
			[]string{
				atMember(tables.Twits, "b", second) + `is "\n\x03see\x1a\x12http://x.org/1.jpg\"\x01x", should be a twit that is PUBLIC or FOLLOWERS: ` +
					`users of "b": hbase: corrupt data: "\x7f\xff\xfe\x90\x9cr\xbb\xfft2": not a valid name: unknown visibility "x" (it can't be mended)`,
				atMember(tables.Albums, "b", second) + `is "\n\x03see\x1a\x12http://x.org/1.jpg\"\x01x", should be a twit that is PUBLIC or FOLLOWERS: ` +
					`albums of "b": hbase: corrupt data: "\x7f\xff\xfe\x90\x9cr\xbb\xfft2": not a valid name: unknown visibility "x" (it can't be mended)`,
			}, 2},
		{"in a public twit without a copy", []hbase.Mutation{withFlag(tables.Twits, first, unknown)},
			[]string{atMember(tables.Twits, "b", first) + `is "\n\x02hi\"\x01x", should be a twit that is PUBLIC or FOLLOWERS: ` +
				`users of "b": hbase: corrupt data: "\x7f\xff\xfe\x90\xa1\x99\x17\xfft1": not a valid name: unknown visibility "x" (it can't be mended)`}, 1},
		{"in an intent", []hbase.Mutation{tables.Intents.Put(intent)},
			[]string{`intents ` + rowOf(intent) + ` i:kind: is unreadable, should be readable: hbase: corrupt data: "intent ` + intent.ID +
				`": not a valid name: the arguments of a write: not a valid name: visibility "followers" is neither PUBLIC nor FOLLOWERS (it can't be mended)`}, 1},
		{"lost in a twit with photos", []hbase.Mutation{withFlag(tables.Twits, second, "")},
			[]string{atMember(tables.Twits, "b", second) + `is "\n\x03see\x1a\x12http://x.org/1.jpg", should be "\n\x03see\x1a\x12http://x.org/1.jpg\"\x00": ` +
				"the album has it for followers only"}, 0},
		{"lost in a twit without photos", append(slices.Clone(posted), withFlag(tables.Twits, third, "")),
			[]string{atMember(tables.Twits, "b", third) + `is "\n\x04mine", should be "\n\x04mine\"\x00": the album has it for followers only`}, 0},
		{"lost in an album", []hbase.Mutation{withFlag(tables.Albums, second, "")},
			[]string{atMember(tables.Albums, "b", second) + `is "\n\x03see\x1a\x12http://x.org/1.jpg", should be "\n\x03see\x1a\x12http://x.org/1.jpg\"\x00": users:t says so`}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := open(t)
			write(t, store, test.broken...)
			got := check(t, store)
			if diff := cmp.Diff(test.lines, got); diff != "" {
				t.Errorf("breaches (-want +got):\n%s", diff)
			}
			if result, err := (invariant.Checker{Store: store}).MendAll(t.Context()); err != nil || result.Left != test.left {
				t.Errorf("%d breaches are left, want %d, error %v", result.Left, test.left, err)
			}
			if got := check(t, store); len(got) != test.left {
				t.Errorf("still: %s", strings.Join(got, "\n"))
			}
			if n := publicOf(t, store, "b"); n > 1 {
				t.Errorf("%d twits are public, and one was posted as such", n)
			}
		})
	}
}

func rowOf(i tables.Intent) string {
	b := invariant.Breach{Table: "", Row: tables.Intents.Row(i.ID), Column: "i:kind"}
	row, _, _ := strings.Cut(strings.TrimSpace(b.String()), " i:kind: ")
	return row
}

// publicOf returns how many twits of an author are read as public.
func publicOf(t *testing.T, store hbase.Store, author string) (public int) {
	t.Helper()
	for _, l := range []*tables.List[*tables.Twit]{tables.Twits, tables.Albums} {
		results, err := store.Get(t.Context(), []hbase.Get{l.Get(author, 0, hbase.Page{})})
		if err != nil || results[0].Err != nil {
			t.Fatal(err, results[0].Err)
		}
		for i := range results[0].Cells {
			twits, _, _, err := l.Decode(author, results[0].Cells[i:i+1])
			if err == nil && len(twits) == 1 && twits[0].Visibility == tables.Public {
				public++
			}
		}
	}
	return public
}
