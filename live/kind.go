package live

import (
	"fmt"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Kind is the type of a row with subscribers.
type Kind uint8

// The types of rows.
const (
	Posts     Kind = iota // of a user
	Timeline              // of a user
	Comments              // on a twit; the owner is the twit's key
	Deletions             // of a user's twits
	Changes               // of a user's followers
)

// list is a list whose positions begin with an inverted time.
type list struct {
	*tables.AnyList
	// positionsOnly is true if the entries have texts. Polls, which read an entry many times, omit
	// the texts. Options.Visible reads them.
	positionsOnly bool
	decode        func(owner string, cells []hbase.Cell) (members []member, positions []string, err error)
}

func (k Kind) list() list {
	switch k {
	case Timeline:
		return list{&tables.Timelines.AnyList, false, decodeTimeline}
	case Comments:
		return positionsOf(&tables.Comments.AnyList)
	case Deletions:
		return listOf(tables.TwitDeletions)
	case Changes:
		return listOf(tables.FollowerChanges)
	default:
		return positionsOf(&tables.Twits.AnyList)
	}
}

type member struct {
	Key
	at    time.Time
	entry any // nil if Options.Visible reads it
	// old is true if a follow copied the entry into the timeline more than [MaxClockSkew] after the
	// twit was posted.
	old bool
}

func positionsOf(l *tables.AnyList) list {
	return list{l, true, func(owner string, cells []hbase.Cell) ([]member, []string, error) {
		members, positions := make([]member, len(cells)), make([]string, len(cells))
		for i, c := range cells {
			at, err := tables.TimeAt(c.Qualifier)
			if err != nil {
				return nil, nil, fmt.Errorf("%s of %q: %w", l.Table, owner, err)
			}
			members[i], positions[i] = member{Key: Key{owner, c.Qualifier}, at: at}, c.Qualifier
		}
		return members, positions, nil
	}}
}

func listOf[E any](l *tables.List[E]) list {
	return list{&l.AnyList, false, func(owner string, cells []hbase.Cell) ([]member, []string, error) {
		entries, positions, err := l.Decode(owner, cells)
		members := make([]member, len(entries))
		for i, entry := range entries {
			at, _ := tables.TimeAt(positions[i]) // Decode has checked it
			members[i] = member{Key: Key{owner, positions[i]}, at: at, entry: entry}
		}
		return members, positions, err
	}}
}

func decodeTimeline(owner string, cells []hbase.Cell) ([]member, []string, error) {
	keys, positions, err := tables.Timelines.Decode(owner, cells)
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
