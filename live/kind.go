package live

import (
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Kind is the type of a row with subscribers.
type Kind uint8

// The types of rows.
const (
	Posts     Kind = iota // the twits of a user
	Timeline              // the timeline of a user
	Comments              // the comments on a twit; the owner is the twit's key
	Deletions             // the deletions of a user's twits
	Changes               // the changes of a user's followers
)

// Positions begin with an inverted time, the newest first.
type list struct {
	*tables.AnyList
	decode func(owner string, cells []hbase.Cell) (members []member, positions []string, err error)
}

func (k Kind) list() list {
	switch k {
	case Timeline:
		return list{&tables.Timelines.AnyList, decodeTimeline}
	case Comments:
		return listOf(tables.Comments)
	case Deletions:
		return listOf(tables.TwitDeletions)
	case Changes:
		return listOf(tables.FollowerChanges)
	default:
		return listOf(tables.Twits)
	}
}

type member struct {
	Key
	at    time.Time
	entry any // nil in timelines
	// old is true if a follow after the twit added the entry, even if clocks differ.
	old bool
}

func listOf[E any](l *tables.List[E]) list {
	return list{&l.AnyList, func(owner string, cells []hbase.Cell) ([]member, []string, error) {
		entries, positions, _, err := l.Decode(owner, cells)
		members := make([]member, len(entries))
		for i, entry := range entries {
			at, _ := tables.TimeAt(positions[i]) // Decode has checked it
			members[i] = member{Key: Key{owner, positions[i]}, at: at, entry: entry}
		}
		return members, positions, err
	}}
}

func decodeTimeline(owner string, cells []hbase.Cell) ([]member, []string, error) {
	keys, positions, _, err := tables.Timelines.Decode(owner, cells)
	followed := make(map[string]int64, len(cells)) // an entry has the timestamp of its follow
	for _, c := range cells {
		followed[c.Qualifier] = c.Timestamp
	}
	members := make([]member, len(keys))
	for i, key := range keys {
		at, _ := tables.TimeAt(key.Position) // Decode has checked it
		old := at.Add(MaxClockSkew).UnixMilli() < followed[positions[i]]
		members[i] = member{Key: Key{key.Author, key.Position}, at: at, old: old}
	}
	return members, positions, err
}
