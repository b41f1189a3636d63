package check_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/check"
)

var third = &tables.Twit{
	AuthorName: "b", Name: "t3", PostedAt: day(4), Content: "mine", Visibility: tables.FollowersOnly,
}

func withFlag(l *tables.List[*tables.Twit], t *tables.Twit, flag string) hbase.Mutation {
	cell := l.Cell(t, 0)
	cell.Value = append(withoutFlag(l, t), flag...)
	return put(l.Table, l.Row(t.AuthorName, 0), cell)
}

const unknown = "\x22\x01x"

func TestUnknownVisibilityIsReported(t *testing.T) {
	begun := time.Now().Add(-time.Minute)
	intent := tables.Intent{ID: tables.NewOp(begun, 1), OpType: "postTwit", At: begun.UnixMilli(),
		Arguments: `{"Author":"b","Name":"t4","Content":"x","Visibility":"followers"}`}
	posted := []hbase.Mutation{
		put("twit_ids", tables.RowKey("t3"), tables.TwitNames.Put(third, 0).Cells...),
		in(tables.Twits, "b", third), in(tables.Albums, "b", third), in(tables.Timelines, "a", third.Key()),
		attribute("users", "b", "twitCount", "3"), attribute("users", "b", "albumCount", "2"),
	}
	const (
		readable = ", should be a readable twit: "
		lost     = " (it cannot be repaired)"
		twit2    = `"\n\x03see\x1a\x12http://x.org/1.jpg`
		key1     = `"\x7f\xff\xfe\x90\xa1\x99\x17\xfft1"`
		key2     = `"\x7f\xff\xfe\x90\x9cr\xbb\xfft2"`
	)
	corrupt := func(table, key string) string {
		return table + ` of "b": hbase: corrupt data: ` + key + `: not valid: unknown visibility "x"`
	}
	unknownIn := func(l *tables.List[*tables.Twit]) string {
		return atMember(l, "b", second) + "is " + twit2 + `\"\x01x"` + readable + corrupt(l.Table, key2)
	}
	for _, test := range []struct {
		name   string
		broken []hbase.Mutation
		lines  []string
		left   int // unrepaired
	}{
		{"in a twit", []hbase.Mutation{withFlag(tables.Twits, second, unknown)}, []string{unknownIn(tables.Twits)}, 0},
		{"in an album", []hbase.Mutation{withFlag(tables.Albums, second, unknown)}, []string{unknownIn(tables.Albums)}, 0},
		{"in both",
			[]hbase.Mutation{withFlag(tables.Twits, second, unknown), withFlag(tables.Albums, second, unknown)},
			[]string{unknownIn(tables.Twits) + lost, unknownIn(tables.Albums) + lost}, 2},
		{"in a public twit without a copy",
			[]hbase.Mutation{withFlag(tables.Twits, first, unknown)},
			[]string{atMember(tables.Twits, "b", first) + `is "\n\x02hi\"\x01x"` + readable + corrupt("users", key1) + lost}, 1},
		{"in an intent",
			[]hbase.Mutation{tables.Intents.Put(intent)},
			[]string{`intents ` + rowOf(intent) + ` i:kind: is unreadable, should be readable: hbase: corrupt data: ` +
				`"intent ` + intent.ID + `": not valid: the arguments of a write: not valid: ` +
				`visibility "followers" is neither PUBLIC nor FOLLOWERS` + lost}, 1},
		{"lost in a twit with photos",
			[]hbase.Mutation{withFlag(tables.Twits, second, "")},
			[]string{atMember(tables.Twits, "b", second) + "is " + twit2 + `", should be ` + twit2 + `\"\x00": ` +
				"the album has it for followers only"}, 0},
		{"lost in a twit without photos",
			append(slices.Clone(posted), withFlag(tables.Twits, third, "")),
			[]string{atMember(tables.Twits, "b", third) + `is "\n\x04mine", should be "\n\x04mine\"\x00": ` +
				"the album has it for followers only"}, 0},
		{"lost in an album",
			[]hbase.Mutation{withFlag(tables.Albums, second, "")},
			[]string{atMember(tables.Albums, "b", second) + "is " + twit2 + `", should be ` + twit2 + `\"\x00": as in users:t`}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := open(t)
			write(t, store, test.broken...)
			got := checkStore(t, store)
			if diff := cmp.Diff(test.lines, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
			if result, err := (check.Checker{Store: store}).RepairAll(t.Context()); err != nil || result.Left != test.left {
				t.Errorf("got %d violations left, error %v; want %d", result.Left, err, test.left)
			}
			if got := checkStore(t, store); len(got) != test.left {
				t.Errorf("got violations after the repair:\n%s", strings.Join(got, "\n"))
			}
			if n := publicOf(t, store, "b"); n > 1 {
				t.Errorf("got %d public twits, want at most 1", n)
			}
		})
	}
}

func TestRepairNeverPublishes(t *testing.T) {
	const lost, content = "", "\x0a\x03see"
	both := []*tables.List[*tables.Twit]{tables.Twits, tables.Albums}
	for i, l := range both {
		other := both[1-i]
		for _, test := range []struct{ name, record string }{
			{"an unknown visibility", string(withoutFlag(l, second)) + unknown},
			{"two visibilities", string(withoutFlag(l, second)) + "\"\x00\"\x00"},
			{"a visibility with another field number", string(withoutFlag(l, second)) + "*\x00"},
			{"a visibility cut in two", string(withoutFlag(l, second)) + "\""},
			{"a damaged length before the visibility", "\x0a\x7fsee\x1a\x12http://x.org/1.jpg\"\x00"},
			{"damaged text before the visibility", "\x0a\x03s\xffe\x1a\x12http://x.org/1.jpg\"\x00"},
			{"an unordered visibility", "\"\x00" + content},
			{"nothing", ""},
		} {
			t.Run(test.name+" in "+l.Table+" and none in "+other.Table, func(t *testing.T) {
				store := open(t)
				damaged := l.Cell(second, 0)
				damaged.Value = []byte(test.record)
				write(t, store, put(l.Table, l.Row("b", 0), damaged), withFlag(other, second, lost))
				lines := checkStore(t, store)
				want := []string{
					" is " + strconv.Quote(test.record),
					"the damaged copy in " + l.Table + " may have been for followers only",
				}
				if len(lines) != 2 || !strings.Contains(lines[1], want[0]) || !strings.HasSuffix(lines[0], want[1]) {
					t.Errorf("got violations %q, want just those with %q", lines, want)
				}
				result, err := (check.Checker{Store: store}).RepairAll(t.Context())
				if err != nil || result != (check.Result{Found: 2}) {
					t.Errorf("got %+v, error %v; want 2 found, 0 left", result, err)
				}
				if lines := checkStore(t, store); len(lines) > 0 {
					t.Errorf("got violations %q after the repair", lines)
				}
				for _, l := range both {
					if got := visibilityOf(t, store, l, second); got != tables.FollowersOnly {
						t.Errorf("%s: got visibility %s, want FOLLOWERS", l.Table, got)
					}
				}
			})
		}
	}
}

func TestRepairKeepsAPublicTwitWhoseDamagedCopyHasNoVisibility(t *testing.T) {
	for i, l := range []*tables.List[*tables.Twit]{tables.Twits, tables.Albums} {
		t.Run(l.Table, func(t *testing.T) {
			store := open(t)
			other := []*tables.List[*tables.Twit]{tables.Albums, tables.Twits}[i]
			damaged := l.Cell(second, 0)
			damaged.Value = []byte("\x0a\x03s\xffe\x1a\x12http://x.org/1.jpg")
			write(t, store, put(l.Table, l.Row("b", 0), damaged), withFlag(other, second, ""))
			if _, err := (check.Checker{Store: store}).RepairAll(t.Context()); err != nil {
				t.Fatal(err)
			}
			if lines := checkStore(t, store); len(lines) > 0 {
				t.Errorf("got violations %q after the repair", lines)
			}
			if got := visibilityOf(t, store, l, second); got != tables.Public {
				t.Errorf("got visibility %s, want PUBLIC", got)
			}
		})
	}
}

func withoutFlag(l *tables.List[*tables.Twit], t *tables.Twit) []byte {
	public := *t
	public.Visibility = tables.Public
	return l.Cell(&public, 0).Value
}

func visibilityOf(t *testing.T, store hbase.Store, l *tables.List[*tables.Twit], twit *tables.Twit) tables.Visibility {
	t.Helper()
	get := l.Get(twit.AuthorName, 0, hbase.Exactly(l.Position(twit)))
	results, err := store.Get(t.Context(), []hbase.Get{get})
	if err != nil || results[0].Err != nil {
		t.Fatal(err, results[0].Err)
	}
	twits, _, err := l.Decode(twit.AuthorName, results[0].Cells)
	if err != nil || len(twits) != 1 {
		t.Fatalf("%s: got %d twits, error %v; want 1", l.Table, len(twits), err)
	}
	return twits[0].Visibility
}

func rowOf(i tables.Intent) string {
	b := check.Violation{Table: "", Row: tables.Intents.Row(i.ID), Column: "i:kind"}
	row, _, _ := strings.Cut(strings.TrimSpace(b.String()), " i:kind: ")
	return row
}

func publicOf(t *testing.T, store hbase.Store, author string) (public int) {
	t.Helper()
	for _, l := range []*tables.List[*tables.Twit]{tables.Twits, tables.Albums} {
		results, err := store.Get(t.Context(), []hbase.Get{l.Get(author, 0, hbase.Page{})})
		if err != nil || results[0].Err != nil {
			t.Fatal(err, results[0].Err)
		}
		for i := range results[0].Cells {
			twits, _, err := l.Decode(author, results[0].Cells[i:i+1])
			if err == nil && len(twits) == 1 && twits[0].Visibility == tables.Public {
				public++
			}
		}
	}
	return public
}
