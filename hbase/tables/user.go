package tables

import "time"

// User is a person, with or without an account. Fields other than the username are nil if they were not read or are absent;
// absent counts are zero.
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
	// TwitCount and AlbumCount count all, the Public ones what everybody may see.
	TwitCount        *int
	PublicTwitCount  *int
	AlbumCount       *int
	PublicAlbumCount *int
	RoleCount        *int
	GameCount        *int
	// Lazy marks a lazy object: if its row is missing, it becomes null. See [Object.NewLazy].
	Lazy bool
}

// ID names the user.
func (u *User) ID() ID { return ID{NounUser, u.Username} }

// Users are the people, by username. Their rows also carry two lists, each in a family of its own, that are often read along with
// the attributes: [Followers] and [Twits].
var Users = &Object[User]{
	AnyObject: AnyObject{Noun: NounUser, Name: "user", Table: "users", check: CheckUsername},

	key: func(u *User) *string { return &u.Username }, keyColumn: "username",
	lazy: func(u *User) *bool { return &u.Lazy },
	attributes: []attribute[User]{
		text("name", func(u *User) **string { return &u.Name }).in("name", ParseLine).writable(OfLine),
		version(func(u *User) **string { return &u.Version }),
		text("email", func(u *User) **string { return &u.Email }).mayBeIn("email", parseEmail).writable(OfEmail),
		number("age", func(u *User) **int { return &u.Age }).mayBeIn("age", parseAge).writable(OfAge),
		text("avatarUrl", func(u *User) **string { return &u.AvatarURL }).mayBeIn("avatar_url", ParseURL).writable(OfURL),
		text("bio", func(u *User) **string { return &u.Bio }).mayBeIn("bio", ParseLine).writable(OfLine),
		instant("createdAt", func(u *User) **time.Time { return &u.CreatedAt }).mayBeIn("created_at", parseInstant),
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
