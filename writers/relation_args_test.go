package writers

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"twibase/hbase/tables"
)

// The keys of the second end are not UTF-8.
var likes = &tables.Relation{
	From: tables.End{List: &tables.Following.AnyList, Argument: "User"},
	To:   tables.End{List: &tables.Comments.AnyList, Argument: "Twit"},
}

func TestArgumentsOfRelationsSurviveJSON(t *testing.T) {
	twit := (&tables.Twit{AuthorName: "Lucy", PostedAt: millis(1000), Name: "7"}).Key().String()
	if utf8.ValidString(twit) {
		t.Fatalf("%q is valid UTF-8", twit)
	}
	for _, a := range []relationArgs{
		{relation: tables.Follows, from: "LiLei", to: "小红"},
		{tables.Follows, "LiLei", "Lucy", unrelateArgs{Since: 7, FromDeleted: true}},
		{tables.Assignments, "LiLei", `a"b`, unrelateArgs{IfMissing: true}},
		{relation: likes, from: "LiLei", to: twit},
		{relation: likes},
	} {
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		intent := tables.Intent{ID: tables.NewOp(millis(1), 1), OpType: "x", Arguments: string(text), At: 1}
		put := tables.Intents.Put(intent)
		if stored, _, err := tables.Intents.Decode(put.Row, put.Cells); err != nil || stored != intent {
			t.Errorf("an intent with %s is not decoded: %v", text, err)
		}
		got := relationArgs{relation: a.relation}
		if err := json.Unmarshal(text, &got); err != nil || got != a {
			t.Errorf("%s: got %+v, want %+v; error %v", text, got, a, err)
		}
	}
	damaged := relationArgs{relation: likes}
	if err := json.Unmarshal([]byte(`{"User":"LiLei","Twit":"?"}`), &damaged); err == nil {
		t.Errorf("an invalid base64 key is decoded as %q", damaged.to)
	}
}
