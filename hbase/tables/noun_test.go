package tables_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestTwitsAreReadWhole(t *testing.T) {
	for _, twit := range []*tables.Twit{words, moment, {AuthorName: "a", PostedAt: noon, Name: "2", Title: ptr(""), Visibility: tables.Public}} {
		members, positions, _, err := tables.Twits.Decode(twit.AuthorName, []hbase.Cell{tables.Twits.Cell(twit, 0)})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]*tables.Twit{twit}, members); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if positions[0] != twit.Key().Position {
			t.Errorf("its key says %q, its column %q", twit.Key().Position, positions[0])
		}
	}
}

func TestAnAlbumShowsPhotosAndMoments(t *testing.T) {
	for _, test := range []struct {
		reason string
		twit   tables.Twit
		want   bool
	}{
		{"words for everybody", tables.Twit{Visibility: tables.Public}, false},
		{"a photo for everybody", tables.Twit{Visibility: tables.Public, PhotoURLs: []string{"https://example.org"}}, true},
		{"words for followers", tables.Twit{Visibility: tables.FollowersOnly}, true},
	} {
		if got := test.twit.InAlbum(); got != test.want {
			t.Errorf("%s: %v", test.reason, got)
		}
	}
}

// What a record does not have must be missed, and what it has twice or in another order must not be guessed at.
func TestRecordsHaveOneForm(t *testing.T) {
	const content, title, photo, followers = "\n\x01c", "\x12\x01t", "\x1a\x01p", "\"\x00"
	for _, test := range []struct {
		reason, record string
		good           bool
	}{
		{"content alone", content, true},
		{"all fields", content + title + photo + photo + followers, true},
		{"nothing", "", false},
		{"no content", title, false},
		{"content twice", content + content, false},
		{"title twice", content + title + title, false},
		{"for followers twice", content + followers + followers, false},
		{"for followers, with text", content + "\"\x01x", false},
		{"fields in another order", title + content, false},
		{"a field that nobody knows", content + "*\x00", false},
		{"a number where a string is due", content + "\x20\x01", false},
		{"a length in two bytes that fits one", "\n\x81\x00c", false},
		{"a field's number in two bytes that fits one", "\x8a\x00\x01c", false},
		{"a length beyond the end", "\n\x02c", false},
		{"text that is not UTF-8", "\n\x01\xff", false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			cell := hbase.Cell{Family: tables.Twits.Family, Qualifier: words.Key().Position, Value: []byte(test.record)}
			members, _, _, err := tables.Twits.Decode("LiLei", []hbase.Cell{cell})
			if test.good && err != nil || !test.good && !errors.Is(err, hbase.ErrCorrupt) {
				t.Errorf("%+v, error %v, want good to be %v", members, err, test.good)
			}
		})
	}
}

func TestCommentsAreReadWhole(t *testing.T) {
	members, positions, _, err := tables.Comments.Decode(remark.Twit.String(), []hbase.Cell{tables.Comments.Cell(remark, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]*tables.Comment{remark}, members); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	key, err := tables.ParseCommentKey(remark.ID().Key)
	if want := (tables.CommentKey{Twit: moment.Key(), Position: positions[0]}); err != nil || key != want {
		t.Errorf("its id says %q, error %v; its column %q", key, err, want)
	}
}

func TestAMarkTellsCommentsOfOneTimeApart(t *testing.T) {
	marks := map[string]string{}
	for _, c := range []struct {
		author, content string
		ordinal         int
	}{
		{"a", "x", 0}, {"a", "x", 1}, {"a", "y", 0}, {"b", "x", 0}, {"a", "0\x00x", 0}, {"a", "", 0}, {longest, "x", 0}, {longest[4:], "x", 0},
	} {
		mark := tables.CommentMark(c.author, c.content, c.ordinal)
		if other, taken := marks[mark]; taken {
			t.Errorf("%+v has the mark of %s", c, other)
		}
		if again := tables.CommentMark(c.author, c.content, c.ordinal); again != mark {
			t.Errorf("%+v has two marks", c)
		}
		marks[mark] = c.author
	}
}

// A mark holds 24 bytes of a name at most, which may end inside a character.
func TestCommentsOfLongNamesAreReadWhole(t *testing.T) {
	for _, author := range []string{longest, "a" + longest[4:], "ab" + longest[8:], "abc" + longest[12:]} {
		comment := &tables.Comment{Twit: words.Key(), AuthorName: author, PostedAt: noon, Mark: tables.CommentMark(author, "", 0)}
		if members, _, _, err := tables.Comments.Decode(words.Key().String(), []hbase.Cell{tables.Comments.Cell(comment, 0)}); err != nil {
			t.Errorf("%q: %v, error %v", author, members, err)
		}
	}
}

func TestACommentOfAnotherThanItsMarkSaysIsCorrupt(t *testing.T) {
	forged := *remark
	forged.AuthorName = "Lucy"
	if _, _, _, err := tables.Comments.Decode(remark.Twit.String(), []hbase.Cell{tables.Comments.Cell(&forged, 0)}); !errors.Is(err, hbase.ErrCorrupt) {
		t.Errorf("error %v", err)
	}
	if _, _, _, err := tables.Comments.Decode("no twit", []hbase.Cell{tables.Comments.Cell(remark, 0)}); !errors.Is(err, hbase.ErrCorrupt) {
		t.Errorf("on no twit: error %v", err)
	}
}

func TestEdges(t *testing.T) {
	at := hbase.Cell{Family: "i", Qualifier: "at", Value: []byte("1424174400000")}
	yes, no := hbase.Cell{Family: "i", Qualifier: "state", Value: []byte("1")}, hbase.Cell{Family: "i", Qualifier: "state", Value: []byte("0")}
	for _, test := range []struct {
		reason  string
		cells   []hbase.Cell
		related bool
		at      time.Time
		corrupt bool
	}{
		{"no row is no relation", nil, false, time.Time{}, false},
		{"related, the time not read", []hbase.Cell{yes}, true, time.Time{}, false},
		{"related since", []hbase.Cell{at, yes}, true, noon, false},
		{"no longer", []hbase.Cell{at, no}, false, noon, false},
		{"a time without a state", []hbase.Cell{at}, false, time.Time{}, true},
		{"an empty state", []hbase.Cell{{Family: "i", Qualifier: "state"}}, false, time.Time{}, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			related, since, err := tables.Follows.Decode(test.cells)
			if related != test.related || !since.Equal(test.at) || errors.Is(err, hbase.ErrCorrupt) != test.corrupt {
				t.Errorf("%v since %v, error %v", related, since, err)
			}
		})
	}
}

func TestTwitNamesFindNothingWhereNothingIs(t *testing.T) {
	if key, _, ok, err := tables.TwitNames.Decode(nil); ok || err != nil {
		t.Errorf("%q, %v, error %v", key, ok, err)
	}
}

func TestCounts(t *testing.T) {
	for _, test := range []struct {
		cells []hbase.Cell
		want  int
		good  bool
	}{
		{nil, 0, true},
		{[]hbase.Cell{{Value: []byte("0")}}, 0, true},
		{[]hbase.Cell{{Value: []byte("12")}}, 12, true},
		{[]hbase.Cell{{Value: []byte("-1")}}, 0, false},
		{[]hbase.Cell{{Value: []byte("+1")}}, 0, false},
		{[]hbase.Cell{{}}, 0, false},
	} {
		if n, err := tables.DecodeCount(test.cells); n != test.want || errors.Is(err, hbase.ErrCorrupt) == test.good {
			t.Errorf("%v: %d, error %v", test.cells, n, err)
		}
	}
}

func TestDaysOfOtherFamiliesArePassedOver(t *testing.T) {
	day := tables.DayCount{Day: "2014-12-25", Count: 3}
	cells := []hbase.Cell{tables.GameDays.Cell(day, 0), {Family: tables.Players.Family, Qualifier: "LiLei"}}
	got, err := tables.GameDays.Decode(cells)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]tables.DayCount{day}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTwitNamesSayWhatIsGone(t *testing.T) {
	put := tables.TwitNames.Put(words, 1)
	if key, gone, ok, err := tables.TwitNames.Decode(put.Cells); key != words.Key() || gone || !ok || err != nil {
		t.Errorf("%q, gone %v, found %v, error %v", key, gone, ok, err)
	}
	cells := append(put.Cells, tables.TwitNames.DeletedCell(2))
	if key, gone, ok, err := tables.TwitNames.Decode(cells); key != words.Key() || !gone || !ok || err != nil {
		t.Errorf("%q, gone %v, found %v, error %v", key, gone, ok, err)
	}
	cells[1].Value = nil
	if _, _, _, err := tables.TwitNames.Decode(cells); !errors.Is(err, hbase.ErrCorrupt) {
		t.Errorf("error %v", err)
	}
}

func TestCommentersTellWhatWasAddedAndRemoved(t *testing.T) {
	_, wants, _ := remarkKey().Parts()
	added, removed := tables.Commenters.AddedCell("again", noon, wants, 1), tables.Commenters.RemovedCell(remarkKey().Position, 1)
	if at, mark, ok, err := tables.Commenters.DecodeAdded([]hbase.Cell{removed, added}); !at.Equal(noon) || mark != wants || !ok || err != nil {
		t.Errorf("added %v at %v, %q, error %v", ok, at, mark, err)
	}
	if _, _, ok, err := tables.Commenters.DecodeAdded([]hbase.Cell{removed}); ok || err != nil {
		t.Errorf("added %v, error %v", ok, err)
	}
	if !tables.Commenters.DecodeRemoved([]hbase.Cell{added, removed}) || tables.Commenters.DecodeRemoved([]hbase.Cell{added}) {
		t.Error("what was removed is not what is said to be")
	}
	for _, get := range []struct{ asks, column string }{
		{tables.Commenters.Added(moment.Key(), "LiLei", "again").Columns, "i:" + added.Qualifier},
		{tables.Commenters.Removed(remarkKey(), "LiLei").Columns, "i:" + removed.Qualifier},
	} {
		if get.asks != get.column {
			t.Errorf("%s is written, and %s is read", get.column, get.asks)
		}
	}
	for _, mark := range []string{"\x00", "LiLei\x00", "\xFF\xFF"} {
		for milli := -1; milli <= 1; milli++ {
			c := tables.Comment{PostedAt: noon.Add(time.Duration(milli) * time.Millisecond), Mark: mark}
			of, get := tables.Commenters.RemovedCell(c.Key().Position, 1).Qualifier, tables.Commenters.RemovedAt(moment.Key(), "LiLei", noon)
			if read := get.Page.Start <= of && of < get.Page.Stop; read != (milli == 0) {
				t.Errorf("%s of %d ms and %q is read: %v", of, milli, mark, read)
			}
		}
	}
	for _, other := range []string{tables.KeyedName("a", "bk"), tables.KeyedName("ab", "k"), tables.KeyedName("LiLei", "again")} {
		if tables.CheckTwitID(other) != nil || other == tables.KeyedName("a", "k") {
			t.Errorf("%q can't be an id of another twit", other)
		}
	}
}
