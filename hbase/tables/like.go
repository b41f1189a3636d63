package tables

import "time"

// Likes relate users to twits.
var Likes = &Relation{
	Name: "like", Inverse: "unlike", Verb: "likes", Table: "likes", File: "likes",
	From:       End{List: &LikedTwits.AnyList, Column: "username", Argument: "User"},
	To:         End{List: &TwitLikes.AnyList, Column: "twit", Argument: "Twit", Input: "twitId"},
	DateColumn: "liked_at",
}

// TwitLikes are the users who like a twit, newest like first.
var TwitLikes = followList(
	AnyList{Table: "twit_likes", Family: "l", Owner: PostedTwits, Count: "likeCount", Cursor: 'k'})

// LikedTwits are the twits that a user likes, newest like first. They have no count, because the
// visible number depends on the viewer.
var LikedTwits = newList(List[LikedTwit]{
	AnyList: AnyList{Table: "liked_twits", Family: "l", Owner: &Users.AnyObject, Cursor: 'i', Dated: true},
	decode: func(_ *Memory, _, qualifier string, _ []byte) (LikedTwit, error) {
		at, key, err := revert(qualifier)
		if err != nil {
			return LikedTwit{}, err
		}
		twit, err := ParseTwitKey(key)
		return LikedTwit{twit, at}, err
	},
	encode: func(l LikedTwit) (string, []byte) { return invert(l.At) + l.Twit.String(), nil },
})

// LikedTwit is a member of [LikedTwits].
type LikedTwit struct {
	Twit TwitKey
	At   time.Time // or UnknownTime
}
