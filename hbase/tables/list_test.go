package tables_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestDecodeTellsMembersFromDirectoryAndFromOtherFamilies(t *testing.T) {
	l := tables.RoleUsers
	middle, end := tables.Bucket{Number: 2, Start: "c", Stop: "e"}, tables.Bucket{Number: 1, Start: "e"}
	cells := []hbase.Cell{
		{Family: "i", Qualifier: "name", Value: []byte("\xff")},
		l.Cell("a", 1), l.Cell("b", 1), l.BucketCell(middle, 1), l.BucketCell(end, 1),
	}
	members, positions, buckets, err := l.Decode("lead", cells)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, members); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, positions); diff != "" {
		t.Errorf("positions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]tables.Bucket{middle, end}, buckets); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
}

func TestADirectoryThatMakesNoSenseIsCorrupt(t *testing.T) {
	for _, test := range []struct{ reason, qualifier, value string }{
		{"no bound", "\xff", "\x00\x00\x00\x01a"},
		{"no number", "\xffb", "\x00\x00\x01"},
		{"no start", "\xffb", "\x00\x00\x00\x01"},
		{"bucket 0 is the owner's row", "\xffb", "\x00\x00\x00\x00a"},
		{"it ends where it starts", "\xffb", "\x00\x00\x00\x01b"},
		{"it ends before it starts", "\xffb", "\x00\x00\x00\x01c"},
		{"its start is no position", "\xffb", "\x00\x00\x00\x01\xff"},
		{"its end is no position", "\xffb\x00", "\x00\x00\x00\x01a"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			cell := hbase.Cell{Family: tables.RoleUsers.Family, Qualifier: test.qualifier, Value: []byte(test.value)}
			if _, _, buckets, err := tables.RoleUsers.Decode("lead", []hbase.Cell{cell}); !errors.Is(err, hbase.ErrCorrupt) {
				t.Errorf("it is read as %+v, error %v", buckets, err)
			}
		})
	}
}

// first returns the first of a row's cells that a page takes.
func first(cells []hbase.Cell, page hbase.Page) []hbase.Cell {
	for i, c := range cells {
		if c.Qualifier >= page.Start && (page.Stop == "" || c.Qualifier < page.Stop) {
			return cells[i:min(len(cells), i+page.Limit)]
		}
	}
	return nil
}

// Buckets cover a list without gaps: bucket 0 up to the first bound, then one from each bound to the next.
func TestTheDirectoryFindsTheBucketOfEveryPosition(t *testing.T) {
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
		find := func(asked string) tables.Bucket {
			n := rapid.IntRange(1, 6).Draw(t, "n")
			buckets, err := l.buckets(first(row, l.directory("lead", asked, n).Page))
			if err != nil || len(buckets) == 0 || len(buckets) < n && buckets[len(buckets)-1].Stop != "" {
				t.Fatalf("the directory answers %v to who wants %d, error %v", buckets, n, err)
			}
			for i, b := range buckets[1:] {
				if b.Start != buckets[i].Stop {
					t.Fatalf("the directory answers %v", buckets)
				}
			}
			return buckets[0]
		}
		position := rapid.OneOf(names, rapid.SampledFrom(bounds)).Draw(t, "position")

		// What the position itself and those behind it lie in.
		b := find(hbase.Next(position))
		got := b.Number
		if b.Start > position {
			got = 0
		}
		if want := count(bounds, func(s string) bool { return s <= position }); got != want {
			t.Fatalf("%q lies in bucket %d, not in %d", position, want, got)
		}
		// What those before it lie in.
		b = find(position)
		got = b.Number
		if b.Start >= position {
			got = 0
		}
		if want := count(bounds, func(s string) bool { return s < position }); got != want {
			t.Fatalf("what is before %q lies in bucket %d, not in %d", position, want, got)
		}
		if b = find(""); b.Number != uint32(len(bounds)) || b.Stop != "" {
			t.Fatalf("the last bucket is %+v, not %d", b, len(bounds))
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

func TestNoPositionOfAListIsItsDirectory(t *testing.T) {
	for _, l := range lists {
		for _, b := range []tables.Bucket{{Number: 1, Start: l.cell.Qualifier}, {Number: 1, Start: l.cell.Qualifier, Stop: l.cell.Qualifier + "z"}} {
			if q := l.bucket(b).Qualifier; l.check(q) == nil || q < tables.MembersEnd {
				t.Errorf("%s: %q is a position, or before the members' end", l.name, q)
			}
		}
		if l.cell.Qualifier >= tables.MembersEnd {
			t.Errorf("%s: member %q is behind the members' end", l.name, l.cell.Qualifier)
		}
	}
}

// An entry starts with a time, which may hold the byte that separates what follows it.
func TestTimelineEntriesOfTimesThatHoldTheSeparator(t *testing.T) {
	for _, low := range []int64{0, 0xff, 0x100, 0xff00, 0xffff, 0xff_0000, 0xff_0000_0000} {
		// The last bytes of an inverted time are the complement of the time's.
		key := (&tables.Twit{AuthorName: "LiLei", PostedAt: time.UnixMilli(0xff<<32 | low), Name: "1"}).Key()
		members, _, _, err := tables.Timelines.Decode("Lucy", []hbase.Cell{tables.Timelines.Cell(key, 0)})
		if err != nil || len(members) != 1 || members[0] != key {
			t.Errorf("%q is read as %q, error %v", key, members, err)
		}
	}
}

// If an author could hold a separator, one entry would have two spellings: here that of a twit of year 8623.
func TestATimelineEntryHasOneAuthor(t *testing.T) {
	const late = "\x7f\xff\x41\x42\x43"
	entry := late + "DEF" + "n" + "\x00" + "LiLei" + "\x00" + late
	if err := tables.Timelines.Check(entry); !errors.Is(err, tables.ErrName) {
		t.Errorf("%q is a position: error %v", entry, err)
	}
}
