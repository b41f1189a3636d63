package tables_test

import (
	"encoding/base64"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"twibase/hbase"
	"twibase/hbase/tables"
)

const maxSent = 512 // characters of an id or a cursor

func TestLongestIDsAndCursorsAreWithinLimits(t *testing.T) {
	child := tables.Child{Name: string(make([]byte, tables.MaxDepartmentName)), Code: string(make([]byte, tables.MaxCode))}
	for name, b := range map[string][]byte{
		"a user's id":               (&tables.User{Username: longest}).ID().Bytes(),
		"a twit's id":               extreme.ID().Bytes(),
		"a comment's id":            extremeComment.ID().Bytes(),
		"a position of a timeline":  []byte(tables.Timelines.Position(extreme.Key())),
		"a position of comments":    []byte(tables.Comments.Position(extremeComment)),
		"a position of departments": []byte(tables.Children.Position(child)),
		"a row key":                 []byte(tables.RowKey(longest)),
	} {
		if n := base64.RawURLEncoding.EncodedLen(1 + len(b)); n > maxSent {
			t.Errorf("%s has %d characters, want at most %d", name, n, maxSent)
		}
	}
}

func TestParseIDRejectsInvalidIDs(t *testing.T) {
	for _, test := range []struct{ reason, bytes string }{
		{"empty", ""},
		{"no key", "U"},
		{"an unknown noun", "Xa"},
		{"lower case", "uLiLei"},
		{"a username with a separator", "Ua\x00"},
		{"the root of the departments", "D"},
		{"a twit without a position", "TLiLei"},
		{"a twit without a name", "TLiLei\x00" + tables.Followers.Position(tables.Follow{At: noon})},
		{"a twit before 1970", "TLiLei\x00\x80\x00\x00\x00\x00\x00\x00\x001"},
		{"a twit of year 10000", "TLiLei\x00" + tables.Followers.Position(tables.Follow{At: tables.MaxTime}) + "1"},
		{"a comment with a length beyond the end", "C\xff\x7fa"},
		{"a comment with an endless length", "C\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"},
		{"a comment with a length in two bytes that fits one", "C\x8b\x00" + words.Key().String() + remark.Mark},
		{"a comment without a position", "C" + string(rune(len(words.Key().String()))) + words.Key().String()},
	} {
		t.Run(test.reason, func(t *testing.T) {
			id, err := tables.ParseID([]byte(test.bytes))
			if !errors.Is(err, tables.ErrName) || errors.Is(err, hbase.ErrCorrupt) {
				t.Errorf("%q: got %v, error %v, want %v", test.bytes, id, err, tables.ErrName)
			}
		})
	}
}

func TestTimesFrom1970To9999AreValid(t *testing.T) {
	for _, test := range []struct {
		reason string
		at     time.Time
		valid  bool
	}{
		{"1970", tables.UnknownTime, true},
		{"a nanosecond before 1970", tables.UnknownTime.Add(-1), false},
		{"the zero time", time.Time{}, false},
		{"the end of year 9999", tables.MaxTime.Add(-1), true},
		{"year 10000", tables.MaxTime, false},
		{"long ago: its milliseconds overflow", time.Unix(-1<<62, 0), false},
		{"far ahead: its milliseconds overflow", time.Unix(1<<61, 0), false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if got := tables.ValidTime(test.at); got != test.valid {
				t.Fatalf("ValidTime(%v) is %v, want %v", test.at, got, test.valid)
			}
			if !test.valid {
				return
			}
			position := tables.Followers.Position(tables.Follow{Username: "a", At: test.at})
			if err := tables.Followers.Check(position); err != nil {
				t.Errorf("Check of %v: %v", test.at, err)
			}
		})
	}
}

func TestUnknownTimesSortLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		known := tables.Follow{At: times.Filter(tables.UnknownTime.Before).Draw(t, "time"), Username: "z"}
		unknown := tables.Follow{At: tables.UnknownTime, Username: "a"}
		if tables.Followers.Position(known) >= tables.Followers.Position(unknown) {
			t.Fatalf("%v does not sort before %v", known, unknown)
		}
	})
}

func TestRowKeysAreUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type family struct {
			table, owner, family string
			bucket               uint32
		}
		draw := func(label string) (family, string) {
			l := rapid.SampledFrom(lists).Draw(t, label)
			owner := names.Draw(t, label+"'s owner")
			if l.kind.Owner == tables.PostedTwits {
				twit := &tables.Twit{AuthorName: owner, PostedAt: times.Draw(t, "time"), Name: names.Draw(t, "twit")}
				owner = twit.Key().String()
			}
			bucket := rapid.OneOf(rapid.Uint32Range(0, 2), rapid.Uint32()).Draw(t, label+"'s bucket")
			p := family{l.get("", 0, hbase.Page{}).Table, owner, l.cell.Family, bucket}
			if bucket == 0 {
				p.family = "" // its lists share its row
			}
			return p, l.row(owner, bucket)
		}
		a, rowA := draw("one")
		b, rowB := draw("other")
		if (a == b) != (a.table == b.table && rowA == rowB) {
			t.Fatalf("%+v is in row %q, %+v in row %q", a, rowA, b, rowB)
		}
	})
}

// An edge's second key may contain the separator.
func TestEdgeKeysOfTwitsRoundTrip(t *testing.T) {
	likes := &tables.Relation{
		Table: "likes",
		From:  tables.End{List: &tables.Following.AnyList},
		To:    tables.End{List: &tables.Comments.AnyList},
	}
	twit := (&tables.Twit{AuthorName: "Lucy", PostedAt: time.UnixMilli(1000), Name: "7"}).Key().String()
	row := likes.Get("LiLei", twit).Row
	if a, b, err := likes.Ends(row); a != "LiLei" || b != twit || err != nil {
		t.Errorf("%q: got %q and %q, error %v", row, a, b, err)
	}
	if a, b, err := likes.Ends(row + "\x00"); !errors.Is(err, hbase.ErrCorrupt) {
		t.Errorf("damaged key: got %q and %q, error %v, want %v", a, b, err, hbase.ErrCorrupt)
	}
}

func TestInvalidEdgeKeysAreCorrupt(t *testing.T) {
	good := tables.Follows.Get("a", "b").Row
	for _, row := range []string{
		"", good[:1], good[:2], good[:3], good[:4], good + "\x00c", good + "\x00", tables.RowKey("a"),
	} {
		if a, b, err := tables.Follows.Ends(row); !errors.Is(err, hbase.ErrCorrupt) {
			t.Errorf("%q: got %q and %q, error %v", row, a, b, err)
		}
	}
}
