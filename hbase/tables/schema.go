package tables

import (
	"encoding/binary"

	"twibase/hbase"
)

// Definitions returns all tables, each pre-split into so many regions, at least 1.
func Definitions(regions int) []hbase.Table {
	var splits []string
	for i := 1; i < regions; i++ {
		splits = append(splits, string(binary.BigEndian.AppendUint16(nil, uint16(i*0x10000/regions))))
	}
	var all []hbase.Table
	for _, t := range []struct {
		name     string
		families []string
	}{
		{Users.Table, []string{Attributes, Followers.Family, Twits.Family}},
		{Accounts.Table, []string{Attributes}},
		{Following.Table, []string{Following.Family}},
		{Follows.Table, []string{Attributes}},
		{Albums.Table, []string{Albums.Family}},
		{Timelines.Table, []string{Timelines.Family}},
		{TwitNames.Table, []string{Attributes}},
		{Comments.Table, []string{Attributes, Comments.Family}},
		{UserComments.Table, []string{UserComments.Family}},
		{Commenters.Table, []string{Attributes}},
		{Broadcasters.Table, []string{broadcastersFamily}},
		{Jobs.Table, []string{Attributes}},
		{Roles.Table, []string{Attributes, RoleUsers.Family}},
		{UserRoles.Table, []string{UserRoles.Family}},
		{Assignments.Table, []string{Attributes}},
		{Departments.Table, []string{Attributes, Children.Family, DepartmentRoles.Family}},
		{Games.Table, []string{Attributes, Players.Family, GameDays.family}},
		{UserGames.Table, []string{UserGames.Family}},
		{Plays.Table, []string{Plays.family, Attributes}},
		{Intents.Table, []string{Attributes}},
		{Cuts.Table, []string{Attributes}},
	} {
		table := hbase.Table{Name: t.name, Splits: splits}
		for _, name := range t.families {
			table.Families = append(table.Families, family(name))
		}
		all = append(all, table)
	}
	return all
}

// family is how every family is made. ROW_INDEX_V1 makes a Get a good deal cheaper for a region server than HBase's clients'
// defaults: docs/TABLES.md says why.
func family(name string) hbase.FamilySchema {
	return hbase.FamilySchema{Name: name, Versions: 1, Encoding: "ROW_INDEX_V1", Bloom: "ROW"}
}
