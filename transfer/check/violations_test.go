package check_test

import (
	"twibase/hbase"
	"twibase/hbase/tables"
)

type broken struct {
	name     string
	broken   []hbase.Mutation
	lines    []string
	restored bool
}

func violations() []broken {
	top, low := tables.Child{Name: "Top", Code: "top"}, tables.Child{Name: "Low", Code: "low"}
	sum := func(day string, count int) hbase.Mutation {
		return put("games", tables.RowKey("go"), tables.GameDays.Cell(tables.DayCount{Day: day, Count: count}, 0))
	}
	a := tables.Followers.Position(follower("a"))
	return []broken{
		{"a list lacks an edge",
			[]hbase.Mutation{out(tables.Following, "b", follower("a"))},
			[]string{missing(tables.Following, "b", follower("a"), "b follows a")}, true},
		{"a member without an edge",
			[]hbase.Mutation{in(tables.Followers, "b", follower("c")), attribute("users", "b", "followerCount", "2")},
			[]string{
				surplus(tables.Followers, "b", follower("c"), "follows has no edge for: c follows b"),
				wrongCount("users", "b", "followerCount", 2, 1, "users:f"),
			}, true},
		{"a member with another time than the edge",
			[]hbase.Mutation{
				in(tables.Following, "b", tables.Follow{Username: "a", At: day(1)}),
				attribute("users", "b", "followingCount", "2"),
			},
			[]string{
				surplus(tables.Following, "b", tables.Follow{Username: "a", At: day(1)}, "b follows a"),
				wrongCount("users", "b", "followingCount", 2, 1, "following:l"),
			}, true},
		{"an edge to an unknown user",
			[]hbase.Mutation{tables.Follows.Put("b", "x", true, day(1), age)},
			[]string{`follows "xEb\x00x" i:state: is 1, should be 0: there is no user "x"`}, false},
		{"a wrong count",
			[]hbase.Mutation{attribute("users", "a", "followerCount", "3")},
			[]string{wrongCount("users", "a", "followerCount", 3, 4, "users:f")}, true},
		{"a count of an empty list",
			[]hbase.Mutation{attribute("users", "e", "roleCount", "1")},
			[]string{wrongCount("users", "e", "roleCount", 1, 0, "user_roles:l")}, false},
		{"a wrong public count",
			[]hbase.Mutation{attribute("users", "b", "publicAlbumCount", "1")},
			[]string{wrongPublicCount("users", "b", "publicAlbumCount", 1, 0, "albums:l")}, true},
		{"a role lacks a user",
			[]hbase.Mutation{out(tables.RoleUsers, "boss", "a")},
			[]string{missing(tables.RoleUsers, "boss", "a", "a has the role boss")}, true},
		{"a role without an edge",
			[]hbase.Mutation{in(tables.UserRoles, "c", "boss"), attribute("users", "c", "roleCount", "1")},
			[]string{
				surplus(tables.UserRoles, "c", "boss", "assignments has no edge for: c has the role boss"),
				wrongCount("users", "c", "roleCount", 1, 0, "user_roles:l"),
			}, false},
		{"a parent lacks a department",
			[]hbase.Mutation{out(tables.Children, "top", low)},
			[]string{missing(tables.Children, "top", low, `the parent of department "low" is "top"`)}, true},
		{"a child of another parent",
			[]hbase.Mutation{in(tables.Children, "low", top), attribute("departments", "low", "childCount", "1")},
			[]string{
				surplus(tables.Children, "low", top, `the parent of department "top" is ""`),
				wrongCount("departments", "low", "childCount", 1, 0, "departments:c"),
			}, false},
		{"a department below itself",
			[]hbase.Mutation{attribute("departments", "top", "parent", "low")},
			[]string{
				at("departments", "low", "i:parent") + `is "top", should be absent: the department is below itself`,
				surplus(tables.Children, tables.Root, top, `the parent of department "top" is "low"`),
				wrongCount("departments", "", "childCount", 1, 0, "departments:c"),
			}, false},
		{"a department with an unknown parent",
			[]hbase.Mutation{attribute("departments", "low", "parent", "nowhere")},
			[]string{
				at("departments", "low", "i:parent") + `is "nowhere", should be absent: there is no department "nowhere"`,
				surplus(tables.Children, "top", low, `the parent of department "low" is "nowhere"`),
				wrongCount("departments", "top", "childCount", 1, 0, "departments:c"),
			}, false},
		{"the depth of the tree is too small",
			[]hbase.Mutation{attribute("departments", tables.Root, "depth", "1")},
			[]string{at("departments", tables.Root, "i:depth") + "is 1, should be 2: the depth of the tree"}, true},
		{"the depth of the tree is unreadable",
			[]hbase.Mutation{attribute("departments", tables.Root, "depth", "deep")},
			[]string{at("departments", tables.Root, "i:depth") + `is "deep", should be 2: the depth of the tree`}, true},
		{"a department lacks a role",
			[]hbase.Mutation{out(tables.DepartmentRoles, "top", "boss")},
			[]string{missing(tables.DepartmentRoles, "top", "boss", `the department of role "boss" is "top"`)}, true},
		{"a role of an unknown department",
			[]hbase.Mutation{attribute("roles", "boss", "department", "nowhere")},
			[]string{
				at("roles", "boss", "i:department") + `is "nowhere", should be absent: there is no department "nowhere"`,
				surplus(tables.DepartmentRoles, "top", "boss", `the department of role "boss" is "nowhere"`),
				wrongCount("departments", "top", "roleCount", 1, 0, "departments:r"),
			}, false},
		{"a twit without a row of its name",
			[]hbase.Mutation{without("twit_ids", tables.RowKey("t1"), "i", "key")},
			[]string{at("twit_ids", "t1", "i:key") +
				`is absent, should be "b\x00\x7f\xff\xfe\x90\xa1\x99\x17\xfft1": b posted it`}, true},
		{"the author lacks a twit that the album has",
			[]hbase.Mutation{out(tables.Twits, "b", second)},
			[]string{missing(tables.Twits, "b", second, "it is in twit_ids and in the album")}, true},
		{"a lost twit",
			[]hbase.Mutation{out(tables.Twits, "b", first)},
			[]string{
				at("twit_ids", "t1", "i:gone") + `is absent, should be 1: the twit is in no list: its content is lost`,
				wrongPublicCount("users", "b", "publicTwitCount", 1, 0, "users:t"),
				wrongCount("users", "b", "twitCount", 2, 1, "users:t"),
			}, false},
		{"a deleted twit",
			[]hbase.Mutation{put("twit_ids", tables.RowKey("t2"), tables.TwitNames.DeletedCell(0))},
			[]string{
				surplus(tables.Twits, "b", second, "twit_ids has the twit as deleted"),
				wrongCount("users", "b", "twitCount", 2, 1, "users:t"),
				surplus(tables.Timelines, "a", second.Key(), `there is no twit "t2"`),
			}, false},
		{"an album lacks a twit with photos",
			[]hbase.Mutation{out(tables.Albums, "b", second)},
			[]string{missing(tables.Albums, "b", second, "the twit has photos or is for followers")}, true},
		{"an album has a public twit without photos",
			[]hbase.Mutation{
				in(tables.Albums, "b", first),
				attribute("users", "b", "albumCount", "2"), attribute("users", "b", "publicAlbumCount", "1"),
			},
			[]string{
				surplus(tables.Albums, "b", first, "the twit has no photos and is public"),
				wrongCount("users", "b", "albumCount", 2, 1, "albums:l"),
				wrongPublicCount("users", "b", "publicAlbumCount", 1, 0, "albums:l"),
			}, true},
		{"the author lacks a comment",
			[]hbase.Mutation{out(tables.UserComments, "a", remark.Key())},
			[]string{missing(tables.UserComments, "a", remark.Key(), "a wrote it")}, true},
		{"a deleted comment",
			[]hbase.Mutation{out(tables.Comments, first.Key().String(), remark)},
			[]string{
				surplus(tables.UserComments, "a", remark.Key(), "there is no such comment"),
				wrongCount("comments", first.Key().String(), "commentCount", 1, 0, "comments:l"),
			}, false},
		{"a player lacks a game",
			[]hbase.Mutation{out(tables.UserGames, "a", tables.UserGame{Code: "go"})},
			[]string{missing(tables.UserGames, "a", tables.UserGame{Code: "go"}, "a played go")}, true},
		{"a game lacks a player",
			[]hbase.Mutation{out(tables.Players, "go", "b")},
			[]string{missing(tables.Players, "go", "b", "b played go")}, true},
		{"a player without plays",
			[]hbase.Mutation{in(tables.Players, "go", "c"), attribute("games", "go", "playerCount", "3")},
			[]string{
				surplus(tables.Players, "go", "c", "c never played go"),
				wrongCount("games", "go", "playerCount", 3, 2, "games:p"),
			}, true},
		{"a wrong sum of a player",
			[]hbase.Mutation{in(tables.UserGames, "a", tables.UserGame{Code: "go", Count: 7, Day: "2020-01-01"})},
			[]string{at("user_games", "a", "l:go") + `is "7 2020-01-01", should be "2 2020-01-01": as in plays`}, true},
		{"a wrong sum of a day",
			[]hbase.Mutation{sum("2020-01-01", 4)},
			[]string{at("games", "go", "d:2020-01-01") + "is 4, should be 5: the sum of all players on that day"}, true},
		{"a sum of a day without plays",
			[]hbase.Mutation{sum("2020-01-02", 4)},
			[]string{at("games", "go", "d:2020-01-02") + "is 4, should be absent: the sum of all players on that day"}, true},
		{"a timeline lacks a twit",
			[]hbase.Mutation{out(tables.Timelines, "a", first.Key())},
			[]string{missing(tables.Timelines, "a", first.Key(), "a follows b")}, true},
		{"a twit of an author who is not followed",
			[]hbase.Mutation{in(tables.Timelines, "c", second.Key())},
			[]string{surplus(tables.Timelines, "c", second.Key(), "c does not follow b")}, true},
		{"a member in the wrong bucket",
			[]hbase.Mutation{in(tables.Followers, "a", follower("e"))},
			[]string{surplus(tables.Followers, "a", follower("e"), `row "\xd2Na\x00f\x00\x00\x00\x03" covers it`)}, true},
		{"a moved member and pending buckets without a split",
			[]hbase.Mutation{
				put("users", tables.RowKey("c"), tables.Followers.MovedCell(a, 0)),
				put("users", tables.RowKey("c"), tables.Followers.PendingCell([]tables.Bucket{{Number: 7, Start: a}}, 0)),
			}, []string{
				surplus(tables.Followers, "c", follower("a"), `no split of the list of "c" is in progress`),
				at("users", "c", `f:"\xff\xff\xff"`) + `is present, should be absent: no split of the list of "c" is in progress`,
			}, true},
		{"an account without a user",
			[]hbase.Mutation{tables.Accounts.Put("x", "$argon2id$", age)},
			[]string{at("accounts", "x", "i:password") + `is present, should be absent: there is no user "x"`}, true},
		{"a user who is not found",
			[]hbase.Mutation{without("usernames", "b\x00b", "i", "found")},
			[]string{`usernames "b\x00b" i:found: is absent, should be present: there is a user "b"`}, true},
		{"a search row of a deleted user",
			[]hbase.Mutation{tables.Users.Search.Put("X", age)},
			[]string{`usernames "x\x00X" i:found: is present, should be absent: there is no user "X"`}, true},
		{"a search row of a user under another name",
			[]hbase.Mutation{put("usernames", "x\x00b", tables.Users.Search.Put("b", age).Cells[0])},
			[]string{`usernames "x\x00b" i:found: is present, should be absent: hbase: corrupt data: row key "x\x00b" is not the one of "b"`},
			true},
		{"a leaving broadcaster without a job",
			[]hbase.Mutation{tables.Broadcasters.Put("b", tables.Leaving(tables.NewOp(day(1), 1)), age)},
			[]string{at("broadcasters", "", "l:b") +
				`is "leaving 05nlspn8000000000000008", should be "merged": there is no job 05nlspn8000000000000008`}, false},
	}
}
