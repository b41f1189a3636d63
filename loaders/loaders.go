// Package loaders reads the tables for the resolvers, many keys at a time.
//
// A request's reads go through one [Loaders]. It reads each Get once, and sends those that are asked
// for together as one call of the store, of all loaders and tables: see dataloader.go. A loader
// declares its name in reports, how a key becomes a Get, and how cells become a value.
//
// All loaders are safe for concurrent use, and their results are index-aligned with the keys. Where
// some keys fail the error is an [Errors], and the other values are good.
package loaders

import "twibase/hbase/tables"

// Row is the key of an object's loader: the object's own key, and the columns to read of it, as in
// [hbase.Get].
type Row struct{ Key, Columns string }

// Relation is the key of [Related]: a relation and two objects.
type Relation struct {
	Kind *tables.Relation
	A, B string
}

// Follows is the question whether a user follows another.
func Follows(follower, followee string) Relation { return Relation{tables.Follows, follower, followee} }

// Has is the question whether a user has a role.
func Has(username, role string) Relation { return Relation{tables.Assignments, username, role} }

// Play is the key of [HasPlayed].
type Play struct{ Username, Game string }

// The loaders of objects answer nil for one that does not exist.
var (
	Users       = object("users", tables.Users)
	Roles       = object("roles", tables.Roles)
	Departments = object("departments", tables.Departments)
	Games       = object("games", tables.Games)
)

// Related answers whether there is such a relation. Relations of all kinds may be asked for at
// once.
var Related = Loader[Relation, bool]{
	name: "related",
	get:  func(_ *memory, r Relation) get { return r.Kind.Related(r.A, r.B) },
	decode: func(_ *memory, r Relation, cells []cell) (bool, error) {
		related, _, err := r.Kind.Decode(cells)
		return related, err
	},
}

// HasPlayed answers whether the user ever played the game.
var HasPlayed = exists("hasPlayed", func(p Play) get { return tables.Plays.Any(p.Username, p.Game) })

// The loaders of lists.
var (
	Followers       = list("followers", tables.Followers)
	Following       = list("following", tables.Following)
	Twits           = list("twits", tables.Twits)
	Albums          = list("albums", tables.Albums)
	Timelines       = list("timelines", tables.Timelines)
	Comments        = list("comments", tables.Comments)
	UserRoles       = list("userRoles", tables.UserRoles)
	RoleUsers       = list("roleUsers", tables.RoleUsers)
	Children        = list("children", tables.Children)
	DepartmentRoles = list("departmentRoles", tables.DepartmentRoles)
	UserGames       = list("userGames", tables.UserGames)
	Players         = list("players", tables.Players)
	LikedTwits      = list("likedTwits", tables.LikedTwits)
	TwitLikes       = list("twitLikes", tables.TwitLikes)
)

// Broadcasters answers the authors whose twits are to be merged into the timelines of those who
// follow them.
var Broadcasters = Loader[struct{}, []string]{
	name:   "broadcasters",
	get:    func(*memory, struct{}) get { return tables.Broadcasters.Get() },
	decode: func(_ *memory, _ struct{}, cells []cell) ([]string, error) { return tables.Broadcasters.Decode(cells) },
}

// IsPlayed answers whether anybody plays the game.
var IsPlayed = exists("isPlayed", func(game string) get { return tables.Players.Get(game, 0, page{Limit: 1}) })

// DayRange is the key of [GameDays]: a game, and the first and the last day.
type DayRange struct{ Game, From, To string }

// GameDays answers how much all players together played on each day.
var GameDays = Loader[DayRange, []tables.DayCount]{
	name: "gameDays",
	get:  func(_ *memory, k DayRange) get { return tables.GameDays.Get(k.Game, k.From, k.To) },
	decode: func(_ *memory, _ DayRange, cells []cell) ([]tables.DayCount, error) {
		return tables.GameDays.Decode(cells)
	},
}
