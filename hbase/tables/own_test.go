package tables

import (
	"slices"
	"testing"
)

// What belongs to an object is left out of what is read after its deletion: no row may belong to two objects.
func TestEveryTableBelongsToOneKindOfObjectOrToNone(t *testing.T) {
	for _, s := range storage() {
		for _, other := range storage() {
			if s.table == other.table && s.owner != other.owner {
				t.Errorf("%s belongs to %v and %v", s.table, s.owner, other.owner)
			}
		}
	}
	for id, want := range map[ID][]string{
		{Noun: NounUser}: {"users", "following", "albums", "timelines", "user_comments", "user_roles", "user_games", "liked_twits",
			"assignments", "follows", "likes", "plays"},
		{Noun: NounRole}: {"roles"}, {Noun: NounDepartment}: {"departments"}, {Noun: NounGame}: {"games"},
		{Noun: NounTwit}: {"comments", "twit_likes"}, {Noun: NounComment}: nil,
	} {
		if got := id.Tables(); !slices.Equal(got, want) {
			t.Errorf("%c owns rows in %v, not in %v", id.Noun, got, want)
		}
	}
}

func TestWhatIsOfAnID(t *testing.T) {
	lei := RowKey("LiLei")
	for row, is := range map[string]bool{
		lei: true, edgeKey("LiLei", "HanMeimei"): true, Followers.Row("LiLei", 3): true,
		RowKey("LiLeilei"): false, lei + "lei": false, edgeKey("HanMeimei", "LiLei"): false, "": false,
	} {
		if BelongsTo(row, lei) != is {
			t.Errorf("%q is of LiLei: %t", row, !is)
		}
	}
}
