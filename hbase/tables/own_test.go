package tables

import (
	"slices"
	"testing"
)

func TestEveryTableBelongsToANounOrToNone(t *testing.T) {
	ours := []string{Accounts.Table, TwitNames.Table, Commenters.Table, Broadcasters.Table, Jobs.Table, Intents.Table, Cuts.Table} // which no object has
	for _, table := range Definitions(1) {
		owners := 0
		for _, own := range own {
			if slices.Contains(own, table.Name) {
				owners++
			}
		}
		if slices.Contains(ours, table.Name) {
			owners++
		}
		if owners != 1 {
			t.Errorf("%s belongs to %d", table.Name, owners)
		}
	}
}

func TestWhatIsOfAnID(t *testing.T) {
	lei := RowKey("LiLei")
	for row, is := range map[string]bool{
		lei: true, edgeKey("LiLei", "HanMeimei"): true, Followers.Row("LiLei", 3): true,
		RowKey("LiLeilei"): false, lei + "lei": false, edgeKey("HanMeimei", "LiLei"): false, "": false,
	} {
		if IsOf(row, lei) != is {
			t.Errorf("%q is of LiLei: %t", row, !is)
		}
	}
}
