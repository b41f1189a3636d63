package tables

import (
	"slices"
	"testing"
)

// loaders.Mask hides a deleted object by table and row key.
func TestTablesHaveOneKindOfOwner(t *testing.T) {
	for _, s := range tableFamilies() {
		for _, other := range tableFamilies() {
			if s.table == other.table && s.owner != other.owner {
				t.Errorf("%s has the owners %v and %v", s.table, s.owner, other.owner)
			}
		}
	}
	for id, want := range map[ID][]string{
		{Noun: NounUser}: {"users", "following", "albums", "timelines", "user_comments", "user_roles", "user_games",
			"liked_twits", "assignments", "follows", "likes", "plays"},
		{Noun: NounRole}: {"roles"}, {Noun: NounDepartment}: {"departments"}, {Noun: NounGame}: {"games"},
		{Noun: NounTwit}: {"comments", "twit_likes"}, {Noun: NounComment}: nil,
	} {
		if got := id.Tables(); !slices.Equal(got, want) {
			t.Errorf("%c: got tables %v, want %v", id.Noun, got, want)
		}
	}
}

func TestRowsBelongToTheirOwner(t *testing.T) {
	lei := RowKey("LiLei")
	for row, is := range map[string]bool{
		lei: true, edgeKey("LiLei", "HanMeimei"): true, Followers.Row("LiLei", 3): true,
		RowKey("LiLeilei"): false, lei + "lei": false, edgeKey("HanMeimei", "LiLei"): false, "": false,
	} {
		if BelongsTo(row, lei) != is {
			t.Errorf("BelongsTo(%q): got %t, want %t", row, !is, is)
		}
	}
}
