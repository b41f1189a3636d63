package relay

import (
	"testing"

	"twibase/hbase/tables"
)

// FuzzGlobalID wants that an id names one thing and a thing has one id: what is read is written again byte by byte, or names nothing.
func FuzzGlobalID(f *testing.F) {
	for _, id := range []string{"VUxpTGVp", "VUxpTGV", "VUxpTGVp\n", "VUxpTGVp=", "", "Qw9vd25lcgB___65ph_b_21___65hzmz_2ZhbgBvgZ9o34VKSA", "VHdyaXRlcgB___65oPl__3c"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := UnmarshalID(text)
		if err != nil {
			if len(text) <= MaxLength {
				t.Error("a short id is an error: ", err)
			}
			return
		}
		if again := string(AppendID(nil, id)); id != (tables.ID{}) && again != `"`+text+`"` {
			t.Errorf("it is the id of %v, whose id is %s", id, again)
		}
	})
}

// FuzzCursor wants that a cursor is of one list and one position.
func FuzzCursor(f *testing.F) {
	lists := connections()
	for _, l := range lists {
		f.Add(l.Encode("LiLei"))
	}
	f.Add("")
	f.Add("ZkxpTGVp=")
	f.Fuzz(func(t *testing.T, cursor string) {
		of := 0
		for _, l := range lists {
			position, err := l.Decode(cursor)
			if err != nil {
				continue
			}
			if of++; position == "" || l.Encode(position) != cursor {
				t.Errorf("%c has the position %q of it, whose cursor is %s", l.Letter, position, l.Encode(position))
			}
		}
		if of > 1 {
			t.Errorf("it is a cursor of %d lists", of)
		}
	})
}
