package writers_test

import (
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestAddCommentIsIdempotentUnderItsKey(t *testing.T) {
	r := newFixture(t)
	twit := &tables.Twit{AuthorName: "LiLei", PostedAt: time.Unix(1, 0).UTC(), Name: "t", Content: "Hi",
		Visibility: tables.Public}
	write := func(mutations ...hbase.Mutation) {
		t.Helper()
		if errs, err := r.store.Mutate(t.Context(), mutations); errs != nil || err != nil {
			t.Fatal(errs, err)
		}
	}
	write(newUser("LiLei"), newUser("Lucy"), tables.TwitNames.Put(twit, 1))
	key := "once"
	add := func(content string) tables.CommentKey {
		t.Helper()
		added, err := r.w.AddComment(t.Context(), "Lucy", twit, content, &key)
		if err != nil {
			t.Fatal(err)
		}
		return added
	}
	first := add("Hello")
	for _, content := range []string{"Hello", "Hello again", "Good bye"} {
		if again := add(content); again != first {
			t.Errorf("%q: got key %q, want %q", content, again, first)
		}
	}
	results, err := r.store.Get(t.Context(), []hbase.Get{tables.Comments.Get(twit.Key().String(), 0, hbase.Page{})})
	if err != nil || results[0].Err != nil {
		t.Fatal(err, results[0].Err)
	}
	comments, _, err := tables.Comments.Decode(twit.Key().String(), results[0].Cells)
	if len(comments) != 1 || comments[0].Key() != first || err != nil {
		t.Errorf("got comments %v, %v; want one", comments, err)
	}
	// older comments have no stored mark
	at, _, err := first.Parts()
	if err != nil {
		t.Fatal(err)
	}
	old := tables.Commenters.AddedCell(key, at, "", at.UnixMilli()+1)
	write(hbase.Put{Table: tables.Commenters.Table, Row: tables.Commenters.Row(twit.Key(), "Lucy"),
		Cells: []hbase.Cell{old}})
	if again := add("Hello"); again != first {
		t.Errorf("without a mark: got key %q, want %q", again, first)
	}
}
