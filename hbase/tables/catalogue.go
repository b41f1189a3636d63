// Package tables declares how twibase's nouns are stored, a file per noun. docs/TABLES.md draws the
// bytes, and docs/GLOSSARY.md has the terms.
//
// The package does no I/O: functions that read, scan, write or delete return an [hbase.Get], Scan,
// Put or Delete. Decoders return [hbase.ErrCorrupt] for damage. Functions that check or parse a
// name, an id or a position return [ErrName].
//
// Declarations are safe for concurrent use.
package tables

import (
	"slices"
	"strings"
	"time"

	"twibase/hbase"
)

var (
	objects = []*AnyObject{
		&Users.AnyObject,
		&Roles.AnyObject,
		&Departments.AnyObject,
		&Games.AnyObject,
		PostedTwits,
	}
	lists = []*AnyList{
		&Followers.AnyList,
		&Following.AnyList,
		&Twits.AnyList,
		&Albums.AnyList,
		&Timelines.AnyList,
		&Comments.AnyList,
		&UserComments.AnyList,
		&UserRoles.AnyList,
		&RoleUsers.AnyList,
		&Children.AnyList,
		&DepartmentRoles.AnyList,
		&UserGames.AnyList,
		&Players.AnyList,
		&LikedTwits.AnyList,
		&TwitLikes.AnyList,
	}
	relations = []*Relation{
		Assignments,
		Follows,
		Likes,
	}
	// changeEvents are stored like lists, but expire: see event.go.
	changeEvents = []*AnyList{
		&TwitDeletions.AnyList,
		&FollowerChanges.AnyList,
	}
	references = []*Reference{
		Parents,
		Definers,
	}
)

// Objects returns a read-only slice.
func Objects() []*AnyObject { return objects }

// Lists returns a read-only slice.
func Lists() []*AnyList { return lists }

// Relations returns a read-only slice.
func Relations() []*Relation { return relations }

// References returns a read-only slice.
func References() []*Reference { return references }

// ObjectNamed returns the object with an [AnyObject.Name], or nil.
func ObjectNamed(name string) *AnyObject {
	for _, o := range objects {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// TargetOf returns the object type whose key an attribute has, or nil.
func TargetOf(attribute string) *AnyObject {
	for _, r := range references {
		if r.Attribute == attribute {
			return r.List.Owner
		}
	}
	return nil
}

func objectOf(noun Noun) *AnyObject {
	for _, o := range objects {
		if o.Noun == noun {
			return o
		}
	}
	return nil
}

// ListOf returns the list in a column family, or nil.
func ListOf(table, family string) *AnyList {
	for _, l := range lists {
		if l.Table == table && l.Family == family {
			return l
		}
	}
	return nil
}

// MaxCell returns the assumed bytes of an unread cell. Few cells are larger.
func MaxCell(table, family string) int {
	const member, attribute = 256, 1 << 10
	switch l := ListOf(table, family); {
	case l == nil:
		return attribute
	case l.MaxMember > 0:
		return l.MaxMember
	}
	return member
}

type tableFamily struct {
	table, family string
	owner         *AnyObject // of the rows, or nil
	ttl           time.Duration
}

func tableFamilies() (all []tableFamily) {
	for _, o := range objects {
		all = append(all, tableFamily{o.Table, Attributes, o, 0})
		if o.Search != nil {
			all = append(all, tableFamily{o.Search.Table, Attributes, nil, 0})
		}
	}
	for _, l := range lists {
		all = append(all, tableFamily{l.Table, l.Family, l.Owner, 0})
	}
	for _, r := range relations {
		all = append(all, tableFamily{r.Table, Attributes, r.From.Object(), 0})
	}
	for _, e := range changeEvents {
		all = append(all, tableFamily{e.Table, e.Family, nil, eventTTL})
	}
	return append(all,
		tableFamily{Plays.Table, Plays.Family, &Users.AnyObject, 0},
		tableFamily{Plays.Table, Attributes, &Users.AnyObject, 0},
		tableFamily{GameDays.Table, GameDays.family, &Games.AnyObject, 0},
		tableFamily{Accounts.Table, Attributes, nil, 0},
		tableFamily{TwitNames.Table, Attributes, nil, 0},
		tableFamily{Commenters.Table, Attributes, nil, 0},
		tableFamily{Broadcasters.Table, broadcastersFamily, nil, 0},
		tableFamily{Jobs.Table, Attributes, nil, 0},
		tableFamily{Intents.Table, Attributes, nil, 0},
		tableFamily{Splits.Table, Attributes, nil, 0},
	)
}

// Tables returns the tables with the object's row, lists, edges and plays: see [BelongsTo]. It
// omits other tables with the object's key, such as those of change events and accounts.
func (id ID) Tables() []string { return ownTables[id.Noun] }

var ownTables = tablesOfNouns()

func tablesOfNouns() map[Noun][]string {
	own := map[Noun][]string{}
	for _, f := range tableFamilies() {
		if f.owner != nil && !slices.Contains(own[f.owner.Noun], f.table) {
			own[f.owner.Noun] = append(own[f.owner.Noun], f.table)
		}
	}
	return own
}

// Definitions returns all tables, sorted by name, each pre-split into regions (at least 1).
func Definitions(regions int) []hbase.Table {
	splits, byLetter := splitsByHash(regions), splitsByLetter(regions)
	var all []hbase.Table
	for _, f := range tableFamilies() {
		i := slices.IndexFunc(all, func(t hbase.Table) bool { return t.Name == f.table })
		if i < 0 {
			i, all = len(all), append(all, hbase.Table{Name: f.table, Splits: splits})
			if IsSearch(f.table) {
				all[i].Splits = byLetter
			}
		}
		all[i].Families = append(all[i].Families, hbase.FamilySchema{Name: f.family, TTL: f.ttl})
	}
	slices.SortFunc(all, func(a, b hbase.Table) int { return strings.Compare(a.Name, b.Name) })
	return all
}

var original = []string{
	"accounts", "albums", "assignments", "broadcasters", "commenters", "comments", "cuts", "departments", "errands",
	"following", "follows", "games", "intents", "plays", "roles", "timelines", "twit_ids", "user_comments", "user_games",
	"user_roles", "users",
}

// IsSearch reports whether a [Search] has the table.
func IsSearch(table string) bool {
	return slices.ContainsFunc(objects, func(o *AnyObject) bool { return o.Search != nil && o.Search.Table == table })
}

// Original reports whether the first version of twibase had the table. If only some of these tables
// exist, data is lost, or their creation was interrupted.
func Original(table string) bool { return slices.Contains(original, table) }
