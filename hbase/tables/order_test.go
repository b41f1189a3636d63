package tables_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"twibase/hbase/tables"
)

// Often equal, or prefixes of each other.
var (
	names = rapid.StringOfN(rapid.SampledFrom([]rune("aab-小é𐐀")), 1, 12, -1)
	times = rapid.Custom(func(t *rapid.T) time.Time {
		last := tables.MaxTime.UnixMilli() - 1
		milli := rapid.OneOf(rapid.SampledFrom([]int64{0, 1, 255, 256, noon.UnixMilli(), last}), rapid.Int64Range(0, last))
		return time.UnixMilli(milli.Draw(t, "milliseconds")).UTC()
	})
	codes  = rapid.StringOfN(rapid.SampledFrom([]rune("ab/:.小")), 1, 12, -1)
	labels = rapid.StringOfN(rapid.SampledFrom([]rune("a b/小🌊\U0010FFFF")), 1, 12, -1)
)

func newestFirst(a, b time.Time, names ...string) int {
	c := b.Compare(a)
	for i := 0; c == 0 && i < len(names); i += 2 {
		c = strings.Compare(names[i], names[i+1])
	}
	return c
}

func checkOrder[E any](t *testing.T, l *tables.List[E], draw func(*rapid.T, string) E, order func(a, b E) int) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, "one"), draw(t, "other")
		p, q := l.Position(a), l.Position(b)
		if got, want := strings.Compare(p, q), order(a, b); got != want {
			t.Fatalf("%+v and %+v compare as %d, want %d: %q, %q", a, b, got, want, p, q)
		}
		if err := l.Check(p); err != nil {
			t.Fatalf("%+v: %v", a, err)
		}
		directory := l.BucketCell(tables.Bucket{Number: 1, Start: min(p, q), Stop: max(p, q)}, 0).Qualifier
		if directory <= max(p, q) {
			t.Fatalf("directory column %q sorts before a member", directory)
		}
	})
}

func TestFollowersAreNewestFirstThenByUsername(t *testing.T) {
	for _, l := range []*tables.List[tables.Follow]{tables.Followers, tables.Following} {
		checkOrder(t, l, func(t *rapid.T, label string) tables.Follow {
			return tables.Follow{Username: names.Draw(t, label), At: times.Draw(t, label)}
		}, func(a, b tables.Follow) int { return newestFirst(a.At, b.At, a.Username, b.Username) })
	}
}

func drawTwit(t *rapid.T, label string) *tables.Twit {
	return &tables.Twit{AuthorName: names.Draw(t, label), PostedAt: times.Draw(t, label), Name: codes.Draw(t, label)}
}

func TestTwitsAreNewestFirstThenByID(t *testing.T) {
	for _, l := range []*tables.List[*tables.Twit]{tables.Twits, tables.Albums} {
		checkOrder(t, l, drawTwit, func(a, b *tables.Twit) int {
			return newestFirst(a.PostedAt, b.PostedAt, a.Name, b.Name)
		})
	}
}

func TestTimelinesAreNewestFirstThenByIDThenByAuthor(t *testing.T) {
	type entry struct {
		tables.TwitKey
		at   time.Time
		name string
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) entry {
			twit := drawTwit(t, label)
			return entry{twit.Key(), twit.PostedAt, twit.Name}
		}
		a, b := draw("one"), draw("other")
		want := newestFirst(a.at, b.at, a.name, b.name, a.Author, b.Author)
		if got := cmp.Compare(tables.Timelines.Position(a.TwitKey), tables.Timelines.Position(b.TwitKey)); got != want {
			t.Fatalf("%+v and %+v compare as %d, want %d", a, b, got, want)
		}
	})
}

func TestCommentsAreNewestFirstThenByAuthor(t *testing.T) {
	short := rapid.StringOfN(rapid.SampledFrom([]rune("ab-小")), 1, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) *tables.Comment {
			author := short.Draw(t, label)
			mark := tables.CommentMark(author, "", 0)
			return &tables.Comment{AuthorName: author, PostedAt: times.Draw(t, label), Mark: mark}
		}
		a, b := draw("one"), draw("other")
		want := newestFirst(a.PostedAt, b.PostedAt, a.AuthorName, b.AuthorName)
		if got := cmp.Compare(tables.Comments.Position(a), tables.Comments.Position(b)); got != want {
			t.Fatalf("%+v and %+v compare as %d, want %d", a, b, got, want)
		}
	})
}

func TestSubDepartmentsAreByNameThenByCode(t *testing.T) {
	checkOrder(t, tables.Children, func(t *rapid.T, label string) tables.Child {
		return tables.Child{Name: labels.Draw(t, label), Code: codes.Draw(t, label)}
	}, func(a, b tables.Child) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Code, b.Code))
	})
}

func TestListsOfNamesAreAscending(t *testing.T) {
	for _, l := range []*tables.List[string]{tables.RoleUsers, tables.Players} {
		checkOrder(t, l, func(t *rapid.T, label string) string { return names.Draw(t, label) }, strings.Compare)
	}
	for _, l := range []*tables.List[string]{tables.UserRoles, tables.DepartmentRoles} {
		checkOrder(t, l, func(t *rapid.T, label string) string { return codes.Draw(t, label) }, strings.Compare)
	}
	checkOrder(t, tables.UserGames, func(t *rapid.T, label string) tables.UserGame {
		return tables.UserGame{Code: codes.Draw(t, label)}
	}, func(a, b tables.UserGame) int { return strings.Compare(a.Code, b.Code) })
}
