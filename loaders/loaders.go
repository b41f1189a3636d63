// Package loaders reads the tables for the resolvers, many keys at a time.
//
// A request's reads go through one [Loaders], which dedupes them and sends those that are asked for together as one call
// of the store, whatever their loaders and tables: [core.go]. On that core a loader is one line: how its key becomes a Get and
// how cells become its value.
//
// All loaders are safe for concurrent use, and their results are index-aligned with the keys. Where some keys fail the error
// is an [Errors], and the other values are good.
package loaders

import "twibase/hbase/tables"

// Row is the key of an object's loader: the object's own key, and the columns to read of it, as in [hbase.Get].
type Row struct{ Key, Columns string }

// Pair is the key of a loader of what relates two things.
type Pair struct{ A, B string }

// The loaders of objects answer nil for one that does not exist.
var (
	Users       = object(tables.Users)
	Roles       = object(tables.Roles)
	Departments = object(tables.Departments)
	Games       = object(tables.Games)
)

// The loaders of relations answer whether A is related to B: whether user A follows B, has role B, ever played game B.
var (
	Follows     = edge(tables.Follows)
	Assignments = edge(tables.Assignments)
	HasPlayed   = exists(func(k Pair) get { return tables.Plays.Any(k.A, k.B) })
)

// The loaders of lists.
var (
	Followers       = list(tables.Followers)
	Following       = list(tables.Following)
	Twits           = list(tables.Twits)
	Albums          = list(tables.Albums)
	Timelines       = list(tables.Timelines)
	Comments        = list(tables.Comments)
	UserRoles       = list(tables.UserRoles)
	RoleUsers       = list(tables.RoleUsers)
	Children        = list(tables.Children)
	DepartmentRoles = list(tables.DepartmentRoles)
	UserGames       = list(tables.UserGames)
	Players         = list(tables.Players)
)

// CommentCounts answers how many comments the twit of a key has.
var CommentCounts = Loader[string, int]{
	get: func(twit string) get {
		return get{Table: tables.Comments.Table, Row: tables.RowKey(twit), Columns: tables.CommentCount}
	},
	decode: func(_ string, cells []cell) (int, error) { return tables.DecodeCount(cells) },
}

// IsPlayed answers whether anybody plays the game.
var IsPlayed = exists(func(game string) get { return tables.Players.Get(game, 0, page{Limit: 1}) })

// DayRange is the key of [GameDays]: a game, and the first and the last day.
type DayRange struct{ Game, From, To string }

// GameDays answers how much all players together played on each day.
var GameDays = Loader[DayRange, []tables.DayCount]{
	get:    func(k DayRange) get { return tables.GameDays.Get(k.Game, k.From, k.To) },
	decode: func(_ DayRange, cells []cell) ([]tables.DayCount, error) { return tables.GameDays.Decode(cells) },
}
