package tables

import (
	"time"

	"twibase/hbase"
)

// Follows relate users to users.
var Follows = &Relation{
	Name: "follow", Inverse: "unfollow", Verb: "follows", Table: "follows", File: "follows",
	From:        End{List: &Following.AnyList, Column: "follower", Argument: "Follower"},
	To:          End{List: &Followers.AnyList, Column: "followee", Argument: "Followed", Input: "username"},
	Irreflexive: true, DateColumn: "followed_at", Job: Followed, InverseJob: Unfollowed,
	Event: func(follower, followed string, added bool, at time.Time) hbase.Put {
		return (&FollowerChange{at, followed, follower, added}).Put()
	},
}

// Followers are a user's followers, newest first.
var Followers = followList(
	AnyList{Table: "users", Family: "f", Owner: &Users.AnyObject, Count: "followerCount", Cursor: 'f'})

// Following are the users that a user follows, newest first.
var Following = followList(
	AnyList{Table: "following", Family: "l", Owner: &Users.AnyObject, Count: "followingCount", Cursor: 'g'})

// Follow is a member of [Followers], [Following] and [TwitLikes].
type Follow struct {
	Username string
	At       time.Time // or UnknownTime
}

// UnknownTime is for follows and likes imported without a time.
var UnknownTime = time.UnixMilli(0).UTC()

func followList(l AnyList) *List[Follow] {
	l.Dated = true
	return newList(List[Follow]{
		AnyList: l,
		decode: func(_ *Memory, _, qualifier string, _ []byte) (Follow, error) {
			at, username, err := revert(qualifier)
			if err == nil {
				err = CheckUsername(username)
			}
			return Follow{username, at}, err
		},
		encode: func(f Follow) (string, []byte) { return invert(f.At) + f.Username, nil },
	})
}
