package tables_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestTwitsRoundTrip(t *testing.T) {
	emptyTitle := &tables.Twit{AuthorName: "a", PostedAt: noon, Name: "2", Title: ptr(""), Visibility: tables.Public}
	for _, twit := range []*tables.Twit{words, moment, emptyTitle} {
		members, positions, err := tables.Twits.Decode(twit.AuthorName, []hbase.Cell{tables.Twits.Cell(twit, 0)})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]*tables.Twit{twit}, members); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if positions[0] != twit.Key().Position {
			t.Errorf("got position %q, want %q", positions[0], twit.Key().Position)
		}
	}
}

func TestAlbumHasPhotosAndTwitsForFollowers(t *testing.T) {
	for _, test := range []struct {
		reason string
		twit   tables.Twit
		want   bool
	}{
		{"public text", tables.Twit{Visibility: tables.Public}, false},
		{"a public photo", tables.Twit{Visibility: tables.Public, PhotoURLs: []string{"https://example.org"}}, true},
		{"text for followers", tables.Twit{Visibility: tables.FollowersOnly}, true},
	} {
		if got := test.twit.InAlbum(); got != test.want {
			t.Errorf("%s: got %v, want %v", test.reason, got, test.want)
		}
	}
}

func TestRecordsAreCanonical(t *testing.T) {
	const content, title, photo, followers = "\n\x01c", "\x12\x01t", "\x1a\x01p", "\"\x00"
	for _, test := range []struct {
		reason, record string
		good           bool
	}{
		{"content alone", content, true},
		{"all fields", content + title + photo + photo + followers, true},
		{"empty", "", false},
		{"no content", title, false},
		{"content twice", content + content, false},
		{"title twice", content + title + title, false},
		{"for followers twice", content + followers + followers, false},
		{"for followers, with text", content + "\"\x01x", false},
		{"fields in another order", title + content, false},
		{"an unknown field", content + "*\x00", false},
		{"a number instead of a string", content + "\x20\x01", false},
		{"a length in two bytes that fits one", "\n\x81\x00c", false},
		{"a field's number in two bytes that fits one", "\x8a\x00\x01c", false},
		{"a length beyond the end", "\n\x02c", false},
		{"text that is not UTF-8", "\n\x01\xff", false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			cell := hbase.Cell{Family: tables.Twits.Family, Qualifier: words.Key().Position, Value: []byte(test.record)}
			members, _, err := tables.Twits.Decode("LiLei", []hbase.Cell{cell})
			if test.good && err != nil || !test.good && !errors.Is(err, hbase.ErrCorrupt) {
				t.Errorf("got %+v, error %v, want valid %v", members, err, test.good)
			}
		})
	}
}

func TestCommentsRoundTrip(t *testing.T) {
	cells := []hbase.Cell{tables.Comments.Cell(remark, 0)}
	members, positions, err := tables.Comments.Decode(remark.Twit.String(), cells)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]*tables.Comment{remark}, members); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	key, err := tables.ParseCommentKey(remark.ID().Key)
	if want := (tables.CommentKey{Twit: moment.Key(), Position: positions[0]}); err != nil || key != want {
		t.Errorf("got key %q, error %v, want %q", key, err, want)
	}
}

func TestCommentMarksAreUnique(t *testing.T) {
	marks := map[string]string{}
	for _, c := range []struct {
		author, content string
		ordinal         int
	}{
		{"a", "x", 0}, {"a", "x", 1}, {"a", "y", 0}, {"b", "x", 0}, {"a", "0\x00x", 0}, {"a", "", 0},
		{longest, "x", 0}, {longest[4:], "x", 0},
	} {
		mark := tables.CommentMark(c.author, c.content, c.ordinal)
		if other, taken := marks[mark]; taken {
			t.Errorf("%+v has the mark of a comment by %s", c, other)
		}
		if again := tables.CommentMark(c.author, c.content, c.ordinal); again != mark {
			t.Errorf("%+v has two marks", c)
		}
		marks[mark] = c.author
	}
}

// A mark has at most 24 bytes of a name, maybe within a character.
func TestCommentsOfLongUsernamesRoundTrip(t *testing.T) {
	for _, author := range []string{longest, "a" + longest[4:], "ab" + longest[8:], "abc" + longest[12:]} {
		mark := tables.CommentMark(author, "", 0)
		comment := &tables.Comment{Twit: words.Key(), AuthorName: author, PostedAt: noon, Mark: mark}
		cells := []hbase.Cell{tables.Comments.Cell(comment, 0)}
		if members, _, err := tables.Comments.Decode(words.Key().String(), cells); err != nil {
			t.Errorf("%q: got %v, error %v", author, members, err)
		}
	}
}

func TestCommentWithAnotherAuthorsMarkIsCorrupt(t *testing.T) {
	forged := *remark
	forged.AuthorName = "Lucy"
	cells := []hbase.Cell{tables.Comments.Cell(&forged, 0)}
	if _, _, err := tables.Comments.Decode(remark.Twit.String(), cells); !errors.Is(err, hbase.ErrCorrupt) {
		t.Errorf("got error %v, want %v", err, hbase.ErrCorrupt)
	}
	cells = []hbase.Cell{tables.Comments.Cell(remark, 0)}
	if _, _, err := tables.Comments.Decode("no twit", cells); !errors.Is(err, hbase.ErrCorrupt) {
		t.Errorf("invalid owner: got error %v, want %v", err, hbase.ErrCorrupt)
	}
}

func TestEdgeIsRelatedIfItsStateIsOne(t *testing.T) {
	at := hbase.Cell{Family: "i", Qualifier: "at", Value: []byte("1424174400000")}
	yes := hbase.Cell{Family: "i", Qualifier: "state", Value: []byte("1")}
	no := hbase.Cell{Family: "i", Qualifier: "state", Value: []byte("0")}
	for _, test := range []struct {
		reason  string
		cells   []hbase.Cell
		related bool
		at      time.Time
		corrupt bool
	}{
		{"no row", nil, false, time.Time{}, false},
		{"related, without the time", []hbase.Cell{yes}, true, time.Time{}, false},
		{"related since", []hbase.Cell{at, yes}, true, noon, false},
		{"formerly related", []hbase.Cell{at, no}, false, noon, false},
		{"a time without a state", []hbase.Cell{at}, false, time.Time{}, true},
		{"an empty state", []hbase.Cell{{Family: "i", Qualifier: "state"}}, false, time.Time{}, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			related, since, err := tables.Follows.Decode(test.cells)
			if related != test.related || !since.Equal(test.at) || errors.Is(err, hbase.ErrCorrupt) != test.corrupt {
				t.Errorf("got related %v since %v, error %v", related, since, err)
			}
		})
	}
}

func TestTwitNameWithoutRowIsMissing(t *testing.T) {
	if key, _, ok, err := tables.TwitNames.Decode(nil); ok || err != nil {
		t.Errorf("got %q, ok %v, error %v, want none", key, ok, err)
	}
}

func TestInvalidCountIsCorrupt(t *testing.T) {
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
			t.Errorf("%v: got %d, error %v, want %d", test.cells, n, err, test.want)
		}
	}
}

func TestDecodeDaysSkipsOtherFamilies(t *testing.T) {
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

func TestTwitNamesMarkDeletedTwits(t *testing.T) {
	put := tables.TwitNames.Put(words, 1)
	if key, deleted, ok, err := tables.TwitNames.Decode(put.Cells); key != words.Key() || deleted || !ok || err != nil {
		t.Errorf("got %q, deleted %v, ok %v, error %v", key, deleted, ok, err)
	}
	cells := append(put.Cells, tables.TwitNames.DeletedCell(2))
	if key, deleted, ok, err := tables.TwitNames.Decode(cells); key != words.Key() || !deleted || !ok || err != nil {
		t.Errorf("got %q, deleted %v, ok %v, error %v", key, deleted, ok, err)
	}
	cells[1].Value = nil
	if _, _, _, err := tables.TwitNames.Decode(cells); !errors.Is(err, hbase.ErrCorrupt) {
		t.Errorf("got error %v, want %v", err, hbase.ErrCorrupt)
	}
}

func TestCommentersRoundTrip(t *testing.T) {
	_, want, _ := remarkKey().Parts()
	added := tables.Commenters.AddedCell("again", noon, want, 1)
	removed := tables.Commenters.RemovedCell(remarkKey().Position, 1)
	at, mark, ok, err := tables.Commenters.DecodeAdded([]hbase.Cell{removed, added})
	if !at.Equal(noon) || mark != want || !ok || err != nil {
		t.Errorf("got mark %q at %v, ok %v, error %v, want %q at %v", mark, at, ok, err, want, noon)
	}
	if _, _, ok, err := tables.Commenters.DecodeAdded([]hbase.Cell{removed}); ok || err != nil {
		t.Errorf("got ok %v, error %v, want none", ok, err)
	}
	removedOf := tables.Commenters.DecodeRemoved
	if !removedOf([]hbase.Cell{added, removed}) || removedOf([]hbase.Cell{added}) {
		t.Error("DecodeRemoved does not report exactly the removed cell")
	}
	for _, get := range []struct{ got, want string }{
		{tables.Commenters.Added(moment.Key(), "LiLei", "again").Columns, "i:" + added.Qualifier},
		{tables.Commenters.Removed(remarkKey(), "LiLei").Columns, "i:" + removed.Qualifier},
	} {
		if get.got != get.want {
			t.Errorf("got column %s, want %s", get.got, get.want)
		}
	}
	for _, mark := range []string{"\x00", "LiLei\x00", "\xFF\xFF"} {
		for milli := -1; milli <= 1; milli++ {
			c := tables.Comment{PostedAt: noon.Add(time.Duration(milli) * time.Millisecond), Mark: mark}
			column := tables.Commenters.RemovedCell(c.Key().Position, 1).Qualifier
			page := tables.Commenters.RemovedAt(moment.Key(), "LiLei", noon).Page
			if read := page.Start <= column && column < page.Stop; read != (milli == 0) {
				t.Errorf("%d ms, mark %q: RemovedAt reads it: %v", milli, mark, read)
			}
		}
	}
	for _, other := range []string{
		tables.KeyedName("a", "bk"), tables.KeyedName("ab", "k"), tables.KeyedName("LiLei", "again"),
	} {
		if tables.CheckTwitID(other) != nil || other == tables.KeyedName("a", "k") {
			t.Errorf("KeyedName %q is invalid, or not unique", other)
		}
	}
}
