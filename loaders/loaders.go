// Package loaders reads the tables for the resolvers of one response.
//
// A call of a loader adds a read set (readset.go) to the response's batch (dataloader.go). When no
// task can add a read (scheduler.go), the batch becomes one call of the store, with merged Gets
// (merge.go). Equal Gets are sent once, except after [Forget].
//
// Loaders are safe for concurrent use. Results are index-aligned with the keys. If some keys fail,
// the error is an [Errors], and the other values are valid.
package loaders

import (
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// ObjectKey is the key of an [Object] loader. Columns is as in [hbase.Get].
type ObjectKey struct{ Key, Columns string }

// EdgeKey is the key of [Related] and [RelatedAt].
type EdgeKey struct {
	Relation *tables.Relation
	From, To string
}

// FollowKey returns the key of an edge of [tables.Follows].
func FollowKey(follower, followee string) EdgeKey { return EdgeKey{tables.Follows, follower, followee} }

// AssignmentKey returns the key of an edge of [tables.Assignments].
func AssignmentKey(username, role string) EdgeKey { return EdgeKey{tables.Assignments, username, role} }

// Play is the key of [HasPlayed].
type Play struct{ Username, Game string }

// Load returns nil for an object that does not exist.
var (
	Users       = object("users", tables.Users)
	Roles       = object("roles", tables.Roles)
	Departments = object("departments", tables.Departments)
	Games       = object("games", tables.Games)
)

// Related loads whether two objects are related.
var Related = Loader[EdgeKey, bool]{
	name: "related",
	get:  func(_ *tables.Memory, k EdgeKey) hbase.Get { return k.Relation.Related(k.From, k.To) },
	decode: func(_ *tables.Memory, k EdgeKey, cells []hbase.Cell) (bool, error) {
		related, _, err := k.Relation.Decode(cells)
		return related, err
	},
}

// RelatedAt loads the time since which two objects are related, nil if they are not.
var RelatedAt = Loader[EdgeKey, *time.Time]{
	name: "relatedAt",
	get:  func(_ *tables.Memory, k EdgeKey) hbase.Get { return k.Relation.Get(k.From, k.To) },
	decode: func(_ *tables.Memory, k EdgeKey, cells []hbase.Cell) (*time.Time, error) {
		related, at, err := k.Relation.Decode(cells)
		if !related {
			return nil, err
		}
		return &at, err
	},
}

// HasPlayed loads whether a user has played a game. After the deletion of either, it stays true
// until the operation erasePlays has deleted the plays.
var HasPlayed = Loader[Play, bool]{
	name:   "hasPlayed",
	get:    func(_ *tables.Memory, p Play) hbase.Get { return tables.Plays.Any(p.Username, p.Game) },
	decode: func(_ *tables.Memory, _ Play, cells []hbase.Cell) (bool, error) { return len(cells) > 0, nil },
}

// These lists are loaded by page.
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
	TwitDeletions   = list("twitDeletions", tables.TwitDeletions)
	FollowerChanges = list("followerChanges", tables.FollowerChanges)
)

// IsPlayed loads whether games have [Players].
var IsPlayed = Any[string]{list("isPlayed", tables.Players)}

// Broadcasters loads the broadcasters.
var Broadcasters = Loader[struct{}, []string]{
	name: "broadcasters",
	get:  func(*tables.Memory, struct{}) hbase.Get { return tables.Broadcasters.Get() },
	decode: func(_ *tables.Memory, _ struct{}, cells []hbase.Cell) ([]string, error) {
		return tables.Broadcasters.Decode(cells)
	},
}

// DayRange is the key of [GameDays].
type DayRange struct{ Game, From, To string }

// GameDays loads the days of a range on which a game was played, with the plays of all players.
var GameDays = Loader[DayRange, []tables.DayCount]{
	name: "gameDays",
	get:  func(_ *tables.Memory, k DayRange) hbase.Get { return tables.GameDays.Get(k.Game, k.From, k.To) },
	decode: func(_ *tables.Memory, _ DayRange, cells []hbase.Cell) ([]tables.DayCount, error) {
		return tables.GameDays.Decode(cells)
	},
}
