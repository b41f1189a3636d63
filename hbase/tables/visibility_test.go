package tables_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestZeroVisibilityIsNotPublic(t *testing.T) {
	twit := &tables.Twit{AuthorName: "LiLei", PostedAt: noon, Name: "t1", Content: "hi"}
	if twit.Visibility == tables.Public || !twit.InAlbum() {
		t.Error("the zero visibility is public")
	}
	stored, _, err := tables.Twits.Decode("LiLei", []hbase.Cell{tables.Twits.Cell(twit, 1)})
	if err != nil || stored[0].Visibility != tables.FollowersOnly {
		t.Errorf("the zero visibility is stored as %v, error %v", stored, err)
	}
}

func TestVisibilityNamesMatchExactly(t *testing.T) {
	for _, v := range []tables.Visibility{tables.Public, tables.FollowersOnly} {
		if again, err := tables.ParseVisibility(v.String()); err != nil || again != v {
			t.Errorf("got %s, error %v, want %s", again, err, v)
		}
		text, err := json.Marshal(v)
		again := !v
		if err != nil || json.Unmarshal(text, &again) != nil || again != v {
			t.Errorf("JSON %s: got %s, error %v, want %s", text, again, err, v)
		}
	}
	for _, name := range []string{
		"", "public", "Public", "followers", "Followers", "PUBLIC ", " FOLLOWERS", "FOLLOWERS\x00", "true", "PRIVATE",
	} {
		if v, err := tables.ParseVisibility(name); !errors.Is(err, tables.ErrName) || v == tables.Public {
			t.Errorf("%q: got %s, error %v, want %v", name, v, err, tables.ErrName)
		}
	}
}

func TestVisibilityInGraphQLMatchesExactly(t *testing.T) {
	for _, v := range []tables.Visibility{tables.Public, tables.FollowersOnly} {
		again, text := !v, strings.Builder{}
		if err := again.UnmarshalGQL(v.String()); err != nil || again != v {
			t.Errorf("got %s, error %v, want %s", again, err, v)
		}
		if v.MarshalGQL(&text); text.String() != `"`+v.String()+`"` {
			t.Errorf("got %s, want %q", text.String(), v)
		}
	}
	for _, value := range []any{
		"followers", "Followers", "public", "", " PUBLIC", "PRIVATE", true, 1, nil, []any{"PUBLIC"},
	} {
		v := tables.FollowersOnly
		if err := v.UnmarshalGQL(value); !errors.Is(err, tables.ErrName) || v == tables.Public {
			t.Errorf("%#v: got %s, error %v, want %v", value, v, err, tables.ErrName)
		}
	}
}

func TestVisibilityInJSONRejectsOtherValues(t *testing.T) {
	for _, text := range []string{`null`, `true`, `1`, `""`, `"public"`, `["PUBLIC"]`, `{}`} {
		v := tables.FollowersOnly
		if err := json.Unmarshal([]byte(text), &v); err == nil || v == tables.Public {
			t.Errorf("%s: got %s, error %v, want an error", text, v, err)
		}
	}
}

func TestUnknownVisibilityOfAStoredTwitIsCorrupt(t *testing.T) {
	twit := &tables.Twit{AuthorName: "LiLei", PostedAt: noon, Name: "t1", Content: "hi", Visibility: tables.Public}
	for name, bytes := range map[string]string{
		"a text in the field":        "\x22\x01x",
		"the field twice":            "\x22\x00\x22\x00",
		"a number in the field":      "\x20\x00",
		"the field truncated":        "\x22",
		"a later version's field":    "\x2a\x00",
		"the field's name of PUBLIC": "\x22\x06PUBLIC",
	} {
		for _, list := range []*tables.List[*tables.Twit]{tables.Twits, tables.Albums} {
			cell := list.Cell(twit, 1)
			cell.Value = append(cell.Value, bytes...)
			twits, _, err := list.Decode("LiLei", []hbase.Cell{cell})
			if !errors.Is(err, hbase.ErrCorrupt) || len(twits) != 0 {
				t.Errorf("%s in %s: got %v, error %v, want %v", name, list.Table, twits, err, hbase.ErrCorrupt)
			}
		}
	}
}

func TestUnknownVisibilityOfAnIntentIsCorrupt(t *testing.T) {
	for arguments, ok := range map[string]bool{
		`{"Name":"t1","Visibility":"PUBLIC"}`:    true,
		`{"Name":"t1","Visibility":"FOLLOWERS"}`: true,
		`{"Name":"t1"}`:                          true,
		`{"Name":"t1","Visibility":"followers"}`: false,
		`{"Name":"t1","Visibility":""}`:          false,
		`{"Name":"t1","Visibility":null}`:        false,
		`{"Name":"t1","Visibility":true}`:        false,
	} {
		intent := write
		intent.Arguments = arguments
		put := tables.Intents.Put(intent)
		_, _, err := tables.Intents.Decode(put.Row, put.Cells)
		if (err == nil) != ok || err != nil && !errors.Is(err, hbase.ErrCorrupt) {
			t.Errorf("%s: got error %v, want valid %v", arguments, err, ok)
		}
	}
}
