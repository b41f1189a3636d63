package tables

import (
	"fmt"
	"strings"
	"time"

	"twibase/hbase"
)

// User is a person, maybe without an account.
type User struct {
	Username       string
	Name           *string
	Version        *string
	Email          *string
	Age            *int
	AvatarURL      *string
	Bio            *string
	CreatedAt      *time.Time
	FollowerCount  *int
	FollowingCount *int
	// TwitCount and AlbumCount include the twits for followers.
	TwitCount        *int
	PublicTwitCount  *int
	AlbumCount       *int
	PublicAlbumCount *int
	RoleCount        *int
	GameCount        *int
	// Lazy is set by [Object.NewLazy].
	Lazy bool
}

func (u *User) ID() ID { return ID{NounUser, u.Username} }

// Users share rows with [Followers] and [Twits], because they are often read together.
var Users = &Object[User]{
	AnyObject: AnyObject{Noun: NounUser, Name: "user", Table: "users", CheckKey: CheckUsername,
		Search: &Search{Table: "usernames", Cursor: 'u', punctuation: usernamePunctuation, maxCharacters: MaxUsername}},

	key: func(u *User) *string { return &u.Username }, keyColumn: "username",
	lazy: func(u *User) *bool { return &u.Lazy },
	attributes: []attribute[User]{
		text("name", func(u *User) **string { return &u.Name }).inFile("name", ParseLine).writable(OfLine),
		version(func(u *User) **string { return &u.Version }),
		text("email", func(u *User) **string { return &u.Email }).optional("email", parseEmail).writable(OfEmail),
		number("age", func(u *User) **int { return &u.Age }).optional("age", parseAge).writable(OfAge),
		text("avatarUrl", func(u *User) **string { return &u.AvatarURL }).optional("avatar_url", ParseURL).writable(OfURL),
		text("bio", func(u *User) **string { return &u.Bio }).optional("bio", ParseLine).writable(OfLine),
		instant("createdAt", func(u *User) **time.Time { return &u.CreatedAt }).optional("created_at", parseInstant),
		count("followerCount", func(u *User) **int { return &u.FollowerCount }),
		count("followingCount", func(u *User) **int { return &u.FollowingCount }),
		count("twitCount", func(u *User) **int { return &u.TwitCount }),
		count("publicTwitCount", func(u *User) **int { return &u.PublicTwitCount }, "twitCount"),
		count("albumCount", func(u *User) **int { return &u.AlbumCount }),
		count("publicAlbumCount", func(u *User) **int { return &u.PublicAlbumCount }, "albumCount"),
		count("roleCount", func(u *User) **int { return &u.RoleCount }),
		count("gameCount", func(u *User) **int { return &u.GameCount }),
	},
}

// Accounts have the password hashes, so that no read of [Users] returns one.
var Accounts = accounts{Table: "accounts"}

type accounts struct{ Table string }

const accountPassword = "password"

func (a accounts) Get(username string) hbase.Get {
	return hbase.Get{Table: a.Table, Row: RowKey(username), Columns: Attributes + ":" + accountPassword}
}

// Decode returns the hash and its timestamp, or "" without an account.
func (a accounts) Decode(cells []hbase.Cell) (hash string, timestamp int64, err error) {
	if len(cells) == 0 {
		return "", 0, nil
	}
	hash = string(cells[0].Value)
	if !strings.HasPrefix(hash, "$") || strings.ContainsFunc(hash, func(r rune) bool { return r <= ' ' || r > '~' }) {
		// The value may be secret.
		return "", 0, fmt.Errorf("%w: an account's password is no hash", hbase.ErrCorrupt)
	}
	return hash, cells[0].Timestamp, nil
}

func (a accounts) Put(username, hash string, timestamp int64) hbase.Put {
	return hbase.Put{Table: a.Table, Row: RowKey(username), Cells: []hbase.Cell{
		textCell(accountPassword, hash, timestamp)}}
}

func (a accounts) Delete(username string, timestamp int64) hbase.Delete {
	return hbase.Delete{Table: a.Table, Row: RowKey(username), Columns: []hbase.Deletion{
		{Kind: hbase.AllVersions, Family: Attributes, Qualifier: accountPassword, Timestamp: timestamp}}}
}
