package tables_test

import (
	"errors"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestDecodeSeparatesMembersAndDirectory(t *testing.T) {
	l := tables.RoleUsers
	middle, end := tables.Bucket{Number: 2, Start: "c", Stop: "e"}, tables.Bucket{Number: 1, Start: "e"}
	cells := []hbase.Cell{
		{Family: "i", Qualifier: "name", Value: []byte("\xff")},
		l.Cell("a", 1), l.Cell("b", 1), l.BucketCell(middle, 1), l.BucketCell(end, 1),
	}
	members, positions, err := l.Decode("lead", cells)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, members); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, positions); diff != "" {
		t.Errorf("positions (-want +got):\n%s", diff)
	}
	buckets, err := l.DecodeDirectory("lead", cells)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]tables.Bucket{middle, end}, buckets); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
}

func cached(c hbase.Cell, room func(bytes int) bool) []hbase.Cell {
	cells := []hbase.Cell{c}
	hbase.GiveMemos(cells, room)
	return cells
}

func TestDecodedMembersAreCachedWithTheirCells(t *testing.T) {
	twit := &tables.Twit{
		AuthorName: "LiLei", PostedAt: time.UnixMilli(5).UTC(), Name: "1", Title: new("title"), Content: "content",
		PhotoURLs: []string{"a", "b"}, Visibility: tables.FollowersOnly,
	}
	comment := &tables.Comment{
		Twit: twit.Key(), AuthorName: "Lucy", PostedAt: time.UnixMilli(6).UTC(), Content: "no",
		Mark: tables.CommentMark("Lucy", "no", 0),
	}
	checkCached(t, tables.Twits, "LiLei", twit, func(t *tables.Twit) string { return t.AuthorName })
	checkCached(t, tables.Albums, "LiLei", twit, func(t *tables.Twit) string { return t.AuthorName })
	checkCached(t, tables.Comments, twit.Key().String(), comment, func(c *tables.Comment) string { return c.Twit.Author })
}

func checkCached[E comparable](t *testing.T, list *tables.List[E], owner string, member E, named func(E) string) {
	t.Helper()
	c, room := list.Cell(member, 1), 0
	cells := cached(c, func(bytes int) bool { room += bytes; return true })
	decode := func(owner string, cells []hbase.Cell) E {
		t.Helper()
		members, positions, err := list.Decode(owner, cells)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]E{member}, members); diff != "" || positions[0] != c.Qualifier {
			t.Fatalf("at %q (-want +got):\n%s", positions[0], diff)
		}
		return members[0]
	}
	request := "a request with " + owner
	owner = request[len(request)-len(owner):]
	first := decode(owner, cells)
	if decode(owner, cells) != first {
		t.Error("the cached member was decoded again")
	}
	if unsafe.StringData(named(first)) == unsafe.StringData(owner) {
		t.Error("the cached member shares memory with the request")
	}
	if room < 100 || room > 300 {
		t.Errorf("got a size of %d bytes, want 100 to 300", room)
	}
	if decode(owner, []hbase.Cell{c}) == first {
		t.Error("a cell without a cache has a cached member")
	}
}

func TestDamagedCellIsNotCached(t *testing.T) {
	twit := &tables.Twit{AuthorName: "LiLei", PostedAt: time.UnixMilli(5), Name: "1", Content: "content"}
	c := tables.Twits.Cell(twit, 1)
	c.Value = c.Value[1:]
	damaged := cached(c, func(int) bool { return true })
	for range 2 {
		if _, _, err := tables.Twits.Decode("LiLei", damaged); !errors.Is(err, hbase.ErrCorrupt) {
			t.Errorf("got error %v, want %v", err, hbase.ErrCorrupt)
		}
	}
	if made := damaged[0].Memo.Made(); made != nil {
		t.Errorf("%v is cached", made)
	}
}

func TestInvalidDirectoryIsCorrupt(t *testing.T) {
	for _, test := range []struct{ reason, qualifier, value string }{
		{"no stop", "\xff", "\x00\x00\x00\x01a"},
		{"no number", "\xffb", "\x00\x00\x01"},
		{"no start", "\xffb", "\x00\x00\x00\x01"},
		{"bucket 0", "\xffb", "\x00\x00\x00\x00a"},
		{"stop equals start", "\xffb", "\x00\x00\x00\x01b"},
		{"stop before start", "\xffb", "\x00\x00\x00\x01c"},
		{"start is no position", "\xffb", "\x00\x00\x00\x01\xff"},
		{"stop is no position", "\xffb\x00", "\x00\x00\x00\x01a"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			cell := hbase.Cell{Family: tables.RoleUsers.Family, Qualifier: test.qualifier, Value: []byte(test.value)}
			buckets, err := tables.RoleUsers.DecodeDirectory("lead", []hbase.Cell{cell})
			if !errors.Is(err, hbase.ErrCorrupt) {
				t.Errorf("got %+v, error %v, want %v", buckets, err, hbase.ErrCorrupt)
			}
		})
	}
}

func first(cells []hbase.Cell, page hbase.Page) []hbase.Cell {
	for i, c := range cells {
		if c.Qualifier >= page.Start && (page.Stop == "" || c.Qualifier < page.Stop) {
			return cells[i:min(len(cells), i+page.Limit)]
		}
	}
	return nil
}

func TestDirectoryFindsTheBucketOfAPosition(t *testing.T) {
	l := listOf("RoleUsers", tables.RoleUsers, "lead", "LiLei")
	rapid.Check(t, func(t *rapid.T) {
		bounds := rapid.SliceOfNDistinct(names, 1, 5, rapid.ID[string]).Draw(t, "bounds")
		slices.Sort(bounds)
		var row []hbase.Cell
		for i, start := range bounds {
			b := tables.Bucket{Number: uint32(i + 1), Start: start}
			if i+1 < len(bounds) {
				b.Stop = bounds[i+1]
			}
			row = append(row, l.bucket(b))
		}
		find := func(position string) tables.Bucket {
			n := rapid.IntRange(1, 6).Draw(t, "n")
			buckets, err := l.kind.DecodeDirectory("lead", first(row, l.directory("lead", position, n).Page))
			if err != nil || len(buckets) == 0 || len(buckets) < n && buckets[len(buckets)-1].Stop != "" {
				t.Fatalf("got %v, error %v, want %d buckets or all", buckets, err, n)
			}
			for i, b := range buckets[1:] {
				if b.Start != buckets[i].Stop {
					t.Fatalf("got %v, want no gaps", buckets)
				}
			}
			return buckets[0]
		}
		position := rapid.OneOf(names, rapid.SampledFrom(bounds)).Draw(t, "position")

		b := find(hbase.Next(position))
		got := b.Number
		if b.Start > position {
			got = 0
		}
		if want := count(bounds, func(s string) bool { return s <= position }); got != want {
			t.Fatalf("got bucket %d for %q, want %d", got, position, want)
		}
		b = find(position)
		got = b.Number
		if b.Start >= position {
			got = 0
		}
		if want := count(bounds, func(s string) bool { return s < position }); got != want {
			t.Fatalf("got bucket %d before %q, want %d", got, position, want)
		}
		if b = find(""); b.Number != uint32(len(bounds)) || b.Stop != "" {
			t.Fatalf("got the last bucket %+v, want %d", b, len(bounds))
		}
	})
}

func count(list []string, is func(string) bool) (n uint32) {
	for _, s := range list {
		if is(s) {
			n++
		}
	}
	return n
}

func TestPositionsAreNotDirectoryColumns(t *testing.T) {
	for _, l := range lists {
		start := l.cell.Qualifier
		for _, b := range []tables.Bucket{{Number: 1, Start: start}, {Number: 1, Start: start, Stop: start + "z"}} {
			if q := l.bucket(b).Qualifier; l.check(q) == nil || q < tables.MembersEnd {
				t.Errorf("%s: directory column %q is a position, or before MembersEnd", l.name, q)
			}
		}
		if l.cell.Qualifier >= tables.MembersEnd {
			t.Errorf("%s: member %q is after MembersEnd", l.name, l.cell.Qualifier)
		}
	}
}

func TestTimelineEntryDecodesWithSeparatorInItsTime(t *testing.T) {
	for _, low := range []int64{0, 0xff, 0x100, 0xff00, 0xffff, 0xff_0000, 0xff_0000_0000} {
		key := (&tables.Twit{AuthorName: "LiLei", PostedAt: time.UnixMilli(0xff<<32 | low), Name: "1"}).Key()
		members, _, err := tables.Timelines.Decode("Lucy", []hbase.Cell{tables.Timelines.Cell(key, 0)})
		if err != nil || len(members) != 1 || members[0] != key {
			t.Errorf("got %q, error %v, want %q", members, err, key)
		}
	}
}

// With a separator in the author, an entry would have two encodings.
func TestTimelineEntryHasOneAuthor(t *testing.T) {
	const late = "\x7f\xff\x41\x42\x43"
	entry := late + "DEF" + "n" + "\x00" + "LiLei" + "\x00" + late
	if err := tables.Timelines.Check(entry); !errors.Is(err, tables.ErrName) {
		t.Errorf("Check(%q): got error %v, want %v", entry, err, tables.ErrName)
	}
}
