package oracle

import (
	"fmt"
	"time"
)

var userFields = map[string]resolver{
	"User.id":             ofParent(func(u *User) any { return id("User", u.Username) }),
	"User.username":       ofParent(func(u *User) any { return u.Username }),
	"User.name":           ofParent(func(u *User) any { return u.Name }),
	"User.age":            ofParent(func(u *User) any { return deref(u.Age) }),
	"User.avatarUrl":      ofParent(func(u *User) any { return deref(u.AvatarURL) }),
	"User.bio":            ofParent(func(u *User) any { return deref(u.Bio) }),
	"User.createdAt":      ofParent(func(u *User) any { return instant(u.CreatedAt) }),
	"User.followerCount":  ofParent(func(u *User) any { return len(u.followers) }),
	"User.followingCount": ofParent(func(u *User) any { return len(u.following) }),
	"User.email": ofCall(func(c *call, u *User) any {
		if !c.owns(u) {
			return nil
		}
		return deref(u.Email)
	}),
	"User.isFollowing": ofCall(func(c *call, u *User) any { return c.Follows(u.Username, c.text("username")) }),
	"User.viewerFollows": ofCall(func(c *call, u *User) any {
		return c.viewer.Username != "" && c.Follows(c.viewer.Username, u.Username)
	}),
	"User.hasRole": ofCall(func(c *call, u *User) any { return c.HasRole(u.Username, c.text("code")) }),
	"User.hasPlayed": ofCall(func(c *call, u *User) any {
		game := c.Games[c.text("code")]
		return game != nil && len(u.plays[game]) > 0
	}),
	"User.followers": paged("User", func(c *call, u *User) list { return c.follows("User.followers", u, u.followers) }),
	"User.following": paged("User", func(c *call, u *User) list { return c.follows("User.following", u, u.following) }),
	"User.twits": paged("Twit", func(c *call, u *User) list {
		return c.posts("User.twits", u, func(*Twit) bool {
			return true
		})
	}),
	"User.album": paged("Twit", func(c *call, u *User) list {
		return c.posts("User.album", u, func(t *Twit) bool { return t.FollowersOnly || len(t.Photos) > 0 })
	}),
	"User.twitCount": ofCall(func(c *call, u *User) any {
		return deref(c.posts("User.twits", u, func(*Twit) bool { return true }).total)
	}),
	"User.timeline": func(c *call) (any, error) {
		u := c.parent.(*User)
		page, err := c.timeline(u).page("Twit", c.args)
		if err != nil || !c.owns(u) {
			return nil, err
		}
		return page, nil
	},
	"User.likedTwits": paged("Twit", func(c *call, u *User) list {
		l := list{kind: "User.likedTwits", owner: u.Username,
			visible: func(node any) bool { return c.seesTwit(node.(*Twit)) }}
		for _, liked := range u.liked {
			t := liked.twit
			key := recent(liked.at) + t.Author.Username + "\x00" + recent(&t.PostedAt) + t.ID
			l.entries = append(l.entries, entry{key: key, node: t})
		}
		return l
	}),
	"User.roles": paged("Role", func(_ *call, u *User) list { return roles("User.roles", u.Username, u.roles) }),
	"User.games": paged("Game", func(c *call, u *User) list {
		return c.cached("User.games", u.Username, func() list {
			l := list{kind: "User.games", owner: u.Username}
			for _, game := range u.Games() {
				count, day := u.sum(game)
				l.entries = append(l.entries, entry{key: game.Code, node: game, day: &day, count: &count})
			}
			return l.counted()
		})
	}),
}

func (l list) counted() list {
	n := len(l.entries)
	l.total = &n
	return l
}

func (o *Oracle) follows(kind string, u *User, follows []*follow) list {
	return o.cached(kind, u.Username, func() list {
		l := list{kind: kind, owner: u.Username}
		for _, f := range follows {
			l.entries = append(l.entries, entry{key: recent(f.at) + f.user.Username, node: f.user, followedAt: f.at})
		}
		return l.counted()
	})
}

func (c *call) posts(kind string, u *User, which func(*Twit) bool) list {
	l, total := list{kind: kind, owner: u.Username, visible: func(node any) bool { return c.seesTwit(node.(*Twit)) }}, 0
	l.reversed = c.args["orderBy"] == "OLDEST_FIRST"
	since, until := c.instant("since"), c.instant("until")
	for _, t := range u.twits {
		if t.deleted || !which(t) || since != nil && t.PostedAt.Before(*since) || until != nil && !t.PostedAt.Before(*until) {
			continue
		}
		l.entries = append(l.entries, entry{key: recent(&t.PostedAt) + t.ID, node: t})
		if c.seesTwit(t) {
			total++
		}
	}
	if since == nil && until == nil {
		l.total = &total
	}
	return l
}

func (c *call) instant(arg string) *time.Time {
	text, given := c.args[arg].(string)
	if !given {
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return &at
}

func (c *call) timeline(u *User) list {
	l := c.cached("User.timeline", u.Username, func() list {
		l := list{kind: "User.timeline", owner: u.Username}
		for _, t := range u.Timeline() {
			l.entries = append(l.entries, entry{key: recent(&t.PostedAt) + t.ID, node: t})
		}
		return l
	})
	l.visible = func(node any) bool {
		t := node.(*Twit)
		return c.seesTwit(t) && c.Follows(u.Username, t.Author.Username)
	}
	return l
}

func roles(kind, owner string, roles []*Role) list {
	l := list{kind: kind, owner: owner}
	for _, r := range roles {
		l.entries = append(l.entries, entry{key: r.Code, node: r})
	}
	return l.counted()
}

func users(kind, owner string, users []*User) list {
	l := list{kind: kind, owner: owner}
	for _, u := range users {
		l.entries = append(l.entries, entry{key: u.Username, node: u})
	}
	return l.counted()
}

// The parent of the top level is empty.
func subDepartments(parent string, children []*Department) list {
	l := list{kind: "Department.subDepartments", owner: parent}
	for _, d := range children {
		l.entries = append(l.entries, entry{key: d.Name + "\x00" + d.Code, node: d})
	}
	return l.counted()
}

func (o *Oracle) descendants(d *Department, maxDepth int) list {
	l := o.cached("Department.descendants", d.Code, func() list {
		l := list{kind: "Department.descendants", owner: d.Code}
		for i, below := range d.Descendants() {
			l.entries = append(l.entries, entry{key: fmt.Sprintf("%03d %09d",
				below.Depth, i), node: below.Department, depth: &below.Depth})
		}
		return l
	})
	n := 0
	for n < len(l.entries) && *l.entries[n].depth <= maxDepth {
		n++
	}
	l.entries = l.entries[:n]
	return l
}
