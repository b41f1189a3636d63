package check_test

import (
	"twibase/hbase"
	"twibase/hbase/tables"
)

// broken is damage, and the lines that report it.
type broken struct {
	name   string
	broken []hbase.Mutation
	lines  []string
	// restored is whether all is as before when it is repaired: what is lost can't come back.
	restored bool
}

func violations() []broken {
	return []broken{
		{"an edge that a list lacks", []hbase.Mutation{out(tables.Following, "b", follower("a"))},
			[]string{atMember(tables.Following, "b", follower("a")) + "is absent, should be there: b follows a"}, true},
		{"a member without an edge", []hbase.Mutation{in(tables.Followers, "b", follower("c")), attribute("users", "b", "followerCount", "2")},
			[]string{
				atMember(tables.Followers, "b", follower("c")) + "is there, should be absent: follows says that c follows b no longer, or never did",
				at("users", "b", "i:followerCount") + "is 2, should be 1: users:f has so many members",
			}, true},
		{"a member of another time than the edge", []hbase.Mutation{in(tables.Following, "b", tables.Follow{Username: "a", At: day(1)}), attribute("users", "b", "followingCount", "2")},
			[]string{
				atMember(tables.Following, "b", tables.Follow{Username: "a", At: day(1)}) + "is there, should be absent: b follows a",
				at("users", "b", "i:followingCount") + "is 2, should be 1: following:l has so many members",
			}, true},
		{"an edge to nobody", []hbase.Mutation{tables.Follows.Put("b", "x", true, day(1), age)},
			[]string{`follows "xEb\x00x" i:state: is 1, should be 0: there is no user "x"`}, false},
		{"a count that is wrong", []hbase.Mutation{attribute("users", "a", "followerCount", "3")},
			[]string{at("users", "a", "i:followerCount") + "is 3, should be 4: users:f has so many members"}, true},
		{"a count of a list that is not there", []hbase.Mutation{attribute("users", "e", "roleCount", "1")},
			[]string{at("users", "e", "i:roleCount") + "is 1, should be 0: user_roles:l has so many members"}, false},
		{"a public count", []hbase.Mutation{attribute("users", "b", "publicAlbumCount", "1")},
			[]string{at("users", "b", "i:publicAlbumCount") + "is 1, should be 0: albums:l has so many members"}, true},
		{"a role that somebody has, and that does not know", []hbase.Mutation{out(tables.RoleUsers, "boss", "a")},
			[]string{atMember(tables.RoleUsers, "boss", "a") + "is absent, should be there: a has the role boss"}, true},
		{"a role in a list alone", []hbase.Mutation{in(tables.UserRoles, "c", "boss"), attribute("users", "c", "roleCount", "1")},
			[]string{
				atMember(tables.UserRoles, "c", "boss") + "is there, should be absent: assignments says that c has the role boss no longer, or never did",
				at("users", "c", "i:roleCount") + "is 1, should be 0: user_roles:l has so many members",
			}, false},
		{"a department that its parent does not list", []hbase.Mutation{out(tables.Children, "top", tables.Child{Name: "Low", Code: "low"})},
			[]string{atMember(tables.Children, "top", tables.Child{Name: "Low", Code: "low"}) + `is absent, should be there: the parent of department "low" is "top"`}, true},
		{"a child that is somewhere else", []hbase.Mutation{in(tables.Children, "low", tables.Child{Name: "Top", Code: "top"}), attribute("departments", "low", "childCount", "1")},
			[]string{
				atMember(tables.Children, "low", tables.Child{Name: "Top", Code: "top"}) + `is there, should be absent: the parent of department "top" is ""`,
				at("departments", "low", "i:childCount") + "is 1, should be 0: departments:c has so many members",
			}, false},
		{"a department below itself", []hbase.Mutation{attribute("departments", "top", "parent", "low")},
			[]string{
				at("departments", "low", "i:parent") + `is "top", should be absent: the department is below itself`,
				atMember(tables.Children, tables.Root, tables.Child{Name: "Top", Code: "top"}) + `is there, should be absent: the parent of department "top" is "low"`,
				at("departments", "", "i:childCount") + "is 1, should be 0: departments:c has so many members",
			}, false},
		{"a department below none", []hbase.Mutation{attribute("departments", "low", "parent", "nowhere")},
			[]string{
				at("departments", "low", "i:parent") + `is "nowhere", should be absent: there is no department "nowhere"`,
				atMember(tables.Children, "top", tables.Child{Name: "Low", Code: "low"}) + `is there, should be absent: the parent of department "low" is "nowhere"`,
				at("departments", "top", "i:childCount") + "is 1, should be 0: departments:c has so many members",
			}, false},
		{"a tree that is deeper than it says", []hbase.Mutation{attribute("departments", tables.Root, "depth", "1")},
			[]string{at("departments", tables.Root, "i:depth") + "is 1, should be 2: the tree has so many levels"}, true},
		{"a tree that can't say how deep it is", []hbase.Mutation{attribute("departments", tables.Root, "depth", "deep")},
			[]string{at("departments", tables.Root, "i:depth") + `is "deep", should be 2: the tree has so many levels`}, true},
		{"a role of a department that does not know it", []hbase.Mutation{out(tables.DepartmentRoles, "top", "boss")},
			[]string{atMember(tables.DepartmentRoles, "top", "boss") + `is absent, should be there: the department of role "boss" is "top"`}, true},
		{"a role of no department", []hbase.Mutation{attribute("roles", "boss", "department", "nowhere")},
			[]string{
				at("roles", "boss", "i:department") + `is "nowhere", should be absent: there is no department "nowhere"`,
				atMember(tables.DepartmentRoles, "top", "boss") + `is there, should be absent: the department of role "boss" is "nowhere"`,
				at("departments", "top", "i:roleCount") + "is 1, should be 0: departments:r has so many members",
			}, false},
		{"a twit that nobody finds by its id", []hbase.Mutation{without("twit_ids", tables.RowKey("t1"), "i", "key")},
			[]string{at("twit_ids", "t1", "i:key") + `is absent, should be "b\x00\x7f\xff\xfe\x90\xa1\x99\x17\xfft1": b posted it`}, true},
		{"a twit that its author does not list, and the album does", []hbase.Mutation{out(tables.Twits, "b", second)},
			[]string{atMember(tables.Twits, "b", second) + "is absent, should be there: twit_ids names it, and the album has it"}, true},
		{"a twit that is lost", []hbase.Mutation{out(tables.Twits, "b", first)},
			[]string{
				at("twit_ids", "t1", "i:gone") + `is absent, should be 1: the twit is in no list: what it said is lost`,
				at("users", "b", "i:publicTwitCount") + "is 1, should be 0: users:t has so many members",
				at("users", "b", "i:twitCount") + "is 2, should be 1: users:t has so many members",
			}, false},
		{"a twit that was deleted", []hbase.Mutation{put("twit_ids", tables.RowKey("t2"), tables.TwitNames.DeletedCell(0))},
			[]string{
				atMember(tables.Twits, "b", second) + "is there, should be absent: twit_ids says that the twit was deleted",
				at("users", "b", "i:twitCount") + "is 2, should be 1: users:t has so many members",
				atMember(tables.Timelines, "a", second.Key()) + `is there, should be absent: there is no twit "t2"`,
			}, false},
		{"an album without a photo", []hbase.Mutation{out(tables.Albums, "b", second)},
			[]string{atMember(tables.Albums, "b", second) + "is absent, should be there: the twit has photos or is for followers"}, true},
		{"a twit in an album that has no photo", []hbase.Mutation{in(tables.Albums, "b", first), attribute("users", "b", "albumCount", "2"), attribute("users", "b", "publicAlbumCount", "1")},
			[]string{
				atMember(tables.Albums, "b", first) + "is there, should be absent: the twit has no photos and is for everybody",
				at("users", "b", "i:albumCount") + "is 2, should be 1: albums:l has so many members",
				at("users", "b", "i:publicAlbumCount") + "is 1, should be 0: albums:l has so many members",
			}, true},
		{"a comment that its author does not know of", []hbase.Mutation{out(tables.UserComments, "a", remark.Key())},
			[]string{atMember(tables.UserComments, "a", remark.Key()) + "is absent, should be there: a wrote it"}, true},
		{"a comment that was deleted", []hbase.Mutation{out(tables.Comments, first.Key().String(), remark)},
			[]string{
				atMember(tables.UserComments, "a", remark.Key()) + "is there, should be absent: there is no such comment",
				at("comments", first.Key().String(), "i:commentCount") + "is 1, should be 0: comments:l has so many members",
			}, false},
		{"a game that its player does not list", []hbase.Mutation{out(tables.UserGames, "a", tables.UserGame{Code: "go"})},
			[]string{atMember(tables.UserGames, "a", tables.UserGame{Code: "go"}) + "is absent, should be there: a played go"}, true},
		{"a player that a game does not list", []hbase.Mutation{out(tables.Players, "go", "b")},
			[]string{atMember(tables.Players, "go", "b") + "is absent, should be there: b played go"}, true},
		{"a player who never played", []hbase.Mutation{in(tables.Players, "go", "c"), attribute("games", "go", "playerCount", "3")},
			[]string{
				atMember(tables.Players, "go", "c") + "is there, should be absent: c never played go",
				at("games", "go", "i:playerCount") + "is 3, should be 2: games:p has so many members",
			}, true},
		{"a sum of a player", []hbase.Mutation{in(tables.UserGames, "a", tables.UserGame{Code: "go", Count: 7, Day: "2020-01-01"})},
			[]string{at("user_games", "a", "l:go") + `is "7 2020-01-01", should be "2 2020-01-01": plays says so`}, true},
		{"a sum of a day", []hbase.Mutation{put("games", tables.RowKey("go"), tables.GameDays.Cell(tables.DayCount{Day: "2020-01-01", Count: 4}, 0))},
			[]string{at("games", "go", "d:2020-01-01") + "is 4, should be 5: so much did all players play on that day"}, true},
		{"a day on which nobody played", []hbase.Mutation{put("games", tables.RowKey("go"), tables.GameDays.Cell(tables.DayCount{Day: "2020-01-02", Count: 4}, 0))},
			[]string{at("games", "go", "d:2020-01-02") + "is 4, should be absent: so much did all players play on that day"}, true},
		{"a twit that a timeline lacks", []hbase.Mutation{out(tables.Timelines, "a", first.Key())},
			[]string{atMember(tables.Timelines, "a", first.Key()) + "is absent, should be there: a follows b"}, true},
		{"a twit of somebody who is not followed", []hbase.Mutation{in(tables.Timelines, "c", second.Key())},
			[]string{atMember(tables.Timelines, "c", second.Key()) + "is there, should be absent: c does not follow b"}, true},
		{"a member in the wrong bucket", []hbase.Mutation{in(tables.Followers, "a", follower("e"))},
			[]string{atMember(tables.Followers, "a", follower("e")) + `is there, should be absent: row "\xd2Na\x00f\x00\x00\x00\x03" covers it`}, true},
		{"a member that tells of another bucket, and pending buckets of no split", []hbase.Mutation{
			put("users", tables.RowKey("c"), tables.Followers.MovedCell(tables.Followers.Position(follower("a")), 0)),
			put("users", tables.RowKey("c"), tables.Followers.PendingCell([]tables.Bucket{{Number: 7, Start: tables.Followers.Position(follower("a"))}}, 0)),
		}, []string{
			atMember(tables.Followers, "c", follower("a")) + `is there, should be absent: no split of the list of "c" is in progress`,
			at("users", "c", `f:"\xff\xff\xff"`) + `is there, should be absent: no split of the list of "c" is in progress`,
		}, true},
		{"an account of nobody", []hbase.Mutation{tables.Accounts.Put("x", "$argon2id$", age)},
			[]string{at("accounts", "x", "i:password") + `is there, should be absent: there is no user "x"`}, true},
		{"a broadcaster who waits for nothing", []hbase.Mutation{tables.Broadcasters.Put("b", tables.Leaving(tables.NewOp(day(1), 1)), age)},
			[]string{at("broadcasters", "", "l:b") + `is "leaving 05nlspn8000000000000008", should be "merged": there is no job 05nlspn8000000000000008`}, false},
	}
}
