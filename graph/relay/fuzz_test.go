package relay

import (
	"testing"

	"twibase/hbase/tables"
)

func FuzzGlobalID(f *testing.F) {
	for _, id := range []string{
		"VUxpTGVp", "VUxpTGV", "VUxpTGVp\n", "VUxpTGVp=", "", "Qw9vd25lcgB___65ph_b_21___65hzmz_2ZhbgBvgZ9o34VKSA",
		"VHdyaXRlcgB___65oPl__3c",
	} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := UnmarshalID(text)
		if err != nil {
			if len(text) <= MaxLength {
				t.Error("error for a short id: ", err)
			}
			return
		}
		if again := string(AppendID(nil, id)); id != (tables.ID{}) && again != `"`+text+`"` {
			t.Errorf("got %v, which has the id %s", id, again)
		}
	})
}

func FuzzCursor(f *testing.F) {
	lists := connections()
	for _, l := range lists {
		f.Add(l.Encode("LiLei"))
	}
	f.Add("")
	f.Add("ZkxpTGVp=")
	f.Fuzz(func(t *testing.T, cursor string) {
		matches := 0
		for _, l := range lists {
			position, err := l.Decode(cursor)
			if err != nil {
				continue
			}
			if matches++; position == "" || l.Encode(position) != cursor {
				t.Errorf("%c: got position %q, which has the cursor %s", l.Letter, position, l.Encode(position))
			}
		}
		if matches > 1 {
			t.Errorf("cursor of %d lists", matches)
		}
	})
}
