package tables

import (
	"fmt"
	"time"

	"twibase/hbase"
)

// Change events record deletions of a user's twits, and new and former followers, for
// subscriptions. Imports and repairs ignore them, because nothing is derived from them.

const (
	// EventsKept is how long events are readable.
	EventsKept = 24 * time.Hour
	// eventTTL is longer, because clocks differ, and requests read events after they check the
	// cursor.
	eventTTL = EventsKept + time.Hour

	eventTable = "events"
)

// TwitDeletion is a change event of the author.
type TwitDeletion struct {
	At         time.Time // to the millisecond
	Twit       TwitKey
	Visibility Visibility
}

// TwitDeletions are the deletions of a user's twits, newest first.
var TwitDeletions = newList(List[*TwitDeletion]{
	AnyList: AnyList{Table: eventTable, Family: "d", Owner: &Users.AnyObject, Cursor: 'x',
		Check: func(qualifier string) error {
			_, _, err := deletionParts(qualifier)
			return err
		}},
	decode: func(_ *Memory, owner, qualifier string, value []byte) (*TwitDeletion, error) {
		at, position, err := deletionParts(qualifier)
		if err != nil {
			return nil, err
		}
		visibility, err := ParseVisibility(string(value))
		return &TwitDeletion{at, TwitKey{owner, position}, visibility}, err
	},
	encode: func(d *TwitDeletion) (string, []byte) {
		return invert(d.At) + d.Twit.Position, []byte(d.Visibility.String())
	},
})

func deletionParts(qualifier string) (at time.Time, position string, err error) {
	if at, position, err = revert(qualifier); err == nil {
		err = checkTwitPosition(position)
	}
	return at, position, err
}

func (d *TwitDeletion) DeletedID() ID { return ID{NounTwit, d.Twit.String()} }

func (d *TwitDeletion) Position() string { return TwitDeletions.Position(d) }

func (d *TwitDeletion) Put() hbase.Put { return putEvent(TwitDeletions, d.Twit.Author, d, d.At) }

// FollowerChange is a change event of the followed user.
type FollowerChange struct {
	At                 time.Time // to the millisecond
	Followed, Follower string
	Added              bool // false for an unfollow
}

// FollowerChanges are changes of a user's followers, newest first.
var FollowerChanges = newList(List[*FollowerChange]{
	AnyList: AnyList{Table: eventTable, Family: "f", Owner: &Users.AnyObject, Cursor: 'w',
		Check: func(qualifier string) error {
			_, _, err := changeParts(qualifier)
			return err
		}},
	decode: func(_ *Memory, owner, qualifier string, value []byte) (*FollowerChange, error) {
		at, follower, err := changeParts(qualifier)
		if err != nil {
			return nil, err
		}
		kind := JobKind(value)
		if kind != Followed && kind != Unfollowed {
			err = fmt.Errorf("%w: %q is neither a follow nor an unfollow", ErrName, kind)
		}
		return &FollowerChange{at, owner, follower, kind == Followed}, err
	},
	encode: func(c *FollowerChange) (string, []byte) {
		kind := Unfollowed
		if c.Added {
			kind = Followed
		}
		return invert(c.At) + c.Follower, []byte(kind)
	},
})

func changeParts(qualifier string) (at time.Time, follower string, err error) {
	if at, follower, err = revert(qualifier); err == nil {
		err = CheckUsername(follower)
	}
	return at, follower, err
}

func (c *FollowerChange) FollowerID() ID { return ID{NounUser, c.Follower} }

func (c *FollowerChange) Position() string { return FollowerChanges.Position(c) }

func (c *FollowerChange) Put() hbase.Put { return putEvent(FollowerChanges, c.Followed, c, c.At) }

// putEvent uses the event's time as timestamp, so the TTL begins then.
func putEvent[E any](l *List[E], owner string, e E, at time.Time) hbase.Put {
	return hbase.PutCells(l.Table, l.Row(owner, 0), l.Cell(e, at.UnixMilli()))
}
