package tables

import "slices"

// The catalogue has every kind of object, list and relation, a line each. Tables, ownership, import, export, rebuild and
// checks are derived from it: nothing else enumerates them.

// Objects returns the kinds of objects.
func Objects() []*AnyObject { return objects }

var objects = []*AnyObject{
	&Users.AnyObject,
	&Roles.AnyObject,
	&Departments.AnyObject,
	&Games.AnyObject,
	PostedTwits,
}

// objectOf returns the kind of object whose ids begin with a noun, nil if there is none.
func objectOf(noun Noun) *AnyObject {
	for _, o := range objects {
		if o.Noun == noun {
			return o
		}
	}
	return nil
}

// Lists returns the kinds of lists.
func Lists() []*AnyList { return lists }

var lists = []*AnyList{
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

// ListOf returns the kind of list whose members are in a family of a table, nil if there is none.
func ListOf(table, family string) *AnyList {
	for _, l := range lists {
		if l.Table == table && l.Family == family {
			return l
		}
	}
	return nil
}

// MaxCell returns about how many bytes a cell of a family has at most: writers accept no longer texts.
func MaxCell(table, family string) int {
	const few, attribute = 256, 1 << 10
	switch l := ListOf(table, family); {
	case l == nil:
		return attribute
	case l.MaxMember > 0:
		return l.MaxMember
	}
	return few
}

// Relations returns the kinds of relations.
func Relations() []*Relation { return relations }

var relations = []*Relation{
	Assignments,
	Follows,
	Likes,
}

// References returns the kinds of references.
func References() []*Reference { return references }

var references = []*Reference{
	Parents,
	Definers,
}

// stored is a family of a table, and the kind of object that its rows belong to; nil if they belong to none.
type stored struct {
	table, family string
	owner         *AnyObject
}

// storage returns every family of every table. Those of one table are in the order in which the table has them.
func storage() (all []stored) {
	for _, o := range objects {
		all = append(all, stored{o.Table, Attributes, o})
	}
	for _, l := range lists {
		all = append(all, stored{l.Table, l.Family, l.Owner})
	}
	for _, r := range relations {
		all = append(all, stored{r.Table, Attributes, r.From.Object()})
	}
	return append(all,
		stored{Plays.Table, Plays.family, &Users.AnyObject},
		stored{Plays.Table, Attributes, &Users.AnyObject},
		stored{GameDays.Table, GameDays.family, &Games.AnyObject},
		stored{Accounts.Table, Attributes, nil},
		stored{TwitNames.Table, Attributes, nil},
		stored{Commenters.Table, Attributes, nil},
		stored{Broadcasters.Table, broadcastersFamily, nil},
		stored{Jobs.Table, Attributes, nil},
		stored{Intents.Table, Attributes, nil},
		stored{Splits.Table, Attributes, nil},
	)
}

// Tables returns the tables that have rows which belong to the object: its attributes, its lists, and its edges to others.
// These are the rows for which [BelongsTo] holds.
func (id ID) Tables() []string { return own[id.Noun] }

var own = owned()

// owned returns the tables that objects of each noun have rows in.
func owned() map[Noun][]string {
	own := map[Noun][]string{}
	for _, s := range storage() {
		if s.owner != nil && !slices.Contains(own[s.owner.Noun], s.table) {
			own[s.owner.Noun] = append(own[s.owner.Noun], s.table)
		}
	}
	return own
}
