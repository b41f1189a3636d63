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

// maxSent is how long an id or a cursor may be that a client sends.
const maxSent = 512

func TestTheLongestIDsAndPositionsCanBeSent(t *testing.T) {
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
		// A cursor starts with a letter for its list.
		if n := base64.RawURLEncoding.EncodedLen(1 + len(b)); n > maxSent {
			t.Errorf("%s takes %d characters, more than %d", name, n, maxSent)
		}
	}
}

func TestIDs(t *testing.T) {
	for _, test := range []struct{ reason, bytes string }{
		{"no bytes name nothing", ""},
		{"a letter alone is no name", "U"},
		{"an unknown noun", "Xa"},
		{"a small letter is another noun", "uLiLei"},
		{"a username with a separator", "Ua\x00"},
		{"the root of the departments is none", "D"},
		{"a twit without a position", "TLiLei"},
		{"a twit without a name", "TLiLei\x00" + tables.Followers.Position(tables.Follow{At: noon})},
		{"a twit before 1970", "TLiLei\x00\x80\x00\x00\x00\x00\x00\x00\x001"},
		{"a twit of year 10000", "TLiLei\x00" + tables.Followers.Position(tables.Follow{At: tables.MaxTime}) + "1"},
		{"a comment whose twit's key is longer than all", "C\xff\x7fa"},
		{"a comment whose twit's length has no end", "C\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"},
		{"a comment whose twit's length takes a byte too many", "C\x8b\x00" + words.Key().String() + remark.Mark},
		{"a comment without a position", "C" + string(rune(len(words.Key().String()))) + words.Key().String()},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if id, err := tables.ParseID([]byte(test.bytes)); !errors.Is(err, tables.ErrName) || errors.Is(err, hbase.ErrCorrupt) {
				t.Errorf("%q is %v, error %v; want %v", test.bytes, id, err, tables.ErrName)
			}
		})
	}
}

func TestTimes(t *testing.T) {
	for _, test := range []struct {
		reason string
		at     time.Time
		valid  bool
	}{
		{"1970 is the first", tables.Unknown, true},
		{"a nanosecond before is none", tables.Unknown.Add(-1), false},
		{"the zero time is none", time.Time{}, false},
		{"the last of year 9999", tables.MaxTime.Add(-1), true},
		{"year 10000 is none", tables.MaxTime, false},
		{"so long ago that its milliseconds overflow", time.Unix(-1<<62, 0), false},
		{"so far ahead that its milliseconds overflow", time.Unix(1<<61, 0), false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if got := tables.ValidTime(test.at); got != test.valid {
				t.Fatalf("ValidTime(%v) is %v", test.at, got)
			}
			if !test.valid {
				return
			}
			position := tables.Followers.Position(tables.Follow{Username: "a", At: test.at})
			if err := tables.Followers.Check(position); err != nil {
				t.Errorf("%v can't be read back: %v", test.at, err)
			}
		})
	}
}

func TestUnknownTimesSortBehindKnownOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		known := tables.Follow{At: times.Filter(tables.Unknown.Before).Draw(t, "time"), Username: "z"}
		unknown := tables.Follow{At: tables.Unknown, Username: "a"}
		if tables.Followers.Position(known) >= tables.Followers.Position(unknown) {
			t.Fatalf("%v does not sort before %v", known, unknown)
		}
	})
}

// No two things share a row, whatever their names.
func TestRowsAreNobodyElses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type place struct {
			table, owner, family string
			bucket               uint32
		}
		draw := func(label string) (place, string) {
			l := rapid.SampledFrom(lists).Draw(t, label)
			owner := names.Draw(t, label+"'s owner")
			if l.name == "Comments" {
				owner = tables.TwitKey{Author: owner, Position: tables.Twits.Position(&tables.Twit{PostedAt: times.Draw(t, "time"), Name: names.Draw(t, "twit")})}.String()
			}
			bucket := rapid.OneOf(rapid.Uint32Range(0, 2), rapid.Uint32()).Draw(t, label+"'s bucket")
			p := place{l.get("", 0, hbase.Page{}).Table, owner, l.cell.Family, bucket}
			if bucket == 0 {
				p.family = "" // the owner's own row, which its lists share
			}
			return p, l.row(owner, bucket)
		}
		a, rowA := draw("one")
		b, rowB := draw("other")
		if (a == b) != (a.table == b.table && rowA == rowB) {
			t.Fatalf("%+v and %+v lie in %q and %q", a, b, rowA, rowB)
		}
	})
}

func TestEdgesOfOneLieTogetherAndApartFromOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, other := names.Draw(t, "a"), names.Draw(t, "b"), names.Draw(t, "other")
		scan := tables.Follows.Of(a)
		row := tables.Follows.Get(other, b).Row
		if inside := row >= scan.Start && row < scan.Stop; inside != (a == other) {
			t.Fatalf("the edge from %q is inside the range of %q: %v", other, a, inside)
		}
	})
}

// The second key of an edge may contain what separates both: a twit's does.
func TestEdgesToTwitsHaveKeysThatAreReadBack(t *testing.T) {
	likes := &tables.Relation{
		Table: "likes",
		From:  tables.End{List: &tables.Following.AnyList},
		To:    tables.End{List: &tables.Comments.AnyList},
	}
	twit := (&tables.Twit{AuthorName: "Lucy", PostedAt: time.UnixMilli(1000), Name: "7"}).Key().String()
	row := likes.Get("LiLei", twit).Row
	if a, b, err := likes.Ends(row); a != "LiLei" || b != twit || err != nil {
		t.Errorf("%q is read as %q and %q, error %v", row, a, b, err)
	}
	if a, b, err := likes.Ends(row + "\x00"); !errors.Is(err, hbase.ErrCorrupt) {
		t.Errorf("a damaged key is read as %q and %q, error %v", a, b, err)
	}
}

func TestEdgeKeysWithAPartTooManyOrTooFewAreCorrupt(t *testing.T) {
	good := tables.Follows.Get("a", "b").Row
	for _, row := range []string{"", good[:1], good[:2], good[:3], good[:4], good + "\x00c", good + "\x00", tables.RowKey("a")} {
		if a, b, err := tables.Follows.Ends(row); !errors.Is(err, hbase.ErrCorrupt) {
			t.Errorf("%q is read as %q and %q, error %v", row, a, b, err)
		}
	}
}
