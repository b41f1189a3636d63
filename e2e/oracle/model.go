package oracle

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

type User struct {
	Username, Name       string
	Email, AvatarURL     *string
	Bio                  *string
	Age                  *int
	CreatedAt            *time.Time
	followers, following []*follow // sorted
	twits                []*Twit   // newest first
	roles                []*Role   // by code
	liked                []*like   // newest first
	plays                map[*Game]map[string]int
}

type like struct {
	twit *Twit
	at   *time.Time
}

type follow struct {
	user *User
	at   *time.Time
}

type Role struct {
	Code, Name string
	Department *Department
	users      []*User // by username
}

type Department struct {
	Code, Name string
	Parent     *Department
	Children   []*Department // by name, then code
	roles      []*Role       // by code
}

type Twit struct {
	ID            string
	Author        *User
	PostedAt      time.Time
	Content       string
	Title         *string
	Photos        []string
	FollowersOnly bool
	Comments      []*Comment // newest first
	likes         []*follow  // newest first
	deleted       bool
}

type Comment struct {
	Twit     *Twit
	Author   *User
	PostedAt time.Time
	Content  string
	line     int
}

type Game struct {
	Code, Name string
	players    []*User // by username
}

type Model struct {
	Users       map[string]*User
	Roles       map[string]*Role
	Departments map[string]*Department
	Games       map[string]*Game
	Twits       map[string]*Twit
	top         []*Department
	follows     map[[2]*User]bool
}

func (m *Model) Follows(follower, followee string) bool {
	return m.follows[[2]*User{m.Users[follower], m.Users[followee]}]
}

// Unfollow models a store in which the edge row is deleted, but not the entries in lists.
func (m *Model) Unfollow(follower, followee string) {
	delete(m.follows, [2]*User{m.Users[follower], m.Users[followee]})
}

// Delete models a store that has the twit in timelines, but not in its author's lists.
func (m *Model) Delete(twit string) { m.Twits[twit].deleted = true }

func (m *Model) Likes(user *User, twit *Twit) bool {
	return slices.ContainsFunc(twit.likes, func(l *follow) bool { return l.user == user })
}

func (m *Model) HasRole(username, code string) bool {
	user, role := m.Users[username], m.Roles[code]
	return user != nil && role != nil && slices.Contains(user.roles, role)
}

func (u *User) Followers() []string {
	names := make([]string, len(u.followers))
	for i, f := range u.followers {
		names[i] = f.user.Username
	}
	return names
}

func (u *User) Twits() []*Twit { return u.twits }

func (u *User) Roles() []*Role { return u.roles }

func (u *User) Games() []*Game {
	return slices.SortedFunc(maps.Keys(u.plays), func(a, b *Game) int { return cmp.Compare(a.Code, b.Code) })
}

// Timeline includes deleted twits.
func (u *User) Timeline() []*Twit {
	var all []*Twit
	for _, f := range u.following {
		all = append(all, f.user.twits...)
	}
	all = sorted(all, newest)
	return all[:min(len(all), timelineBound)]
}

const timelineBound = 10_000

func (u *User) sum(game *Game) (count int, last string) {
	for day, n := range u.plays[game] {
		count, last = count+n, max(last, day)
	}
	return count, last
}

func (g *Game) Players() []*User { return g.players }

func (r *Role) Users() []*User { return r.users }

type Descendant struct {
	*Department
	Depth int
}

// Descendants returns the subtree by level, parent, name and code.
func (d *Department) Descendants() []Descendant {
	var all []Descendant
	level := []*Department{d}
	for depth := 1; len(level) > 0; depth++ {
		var next []*Department
		for _, parent := range level {
			next = append(next, parent.Children...)
		}
		for _, child := range next {
			all = append(all, Descendant{child, depth})
		}
		level = next
	}
	return all
}

func newest(a, b *Twit) int {
	return cmp.Or(b.PostedAt.Compare(a.PostedAt), cmp.Compare(a.ID, b.ID))
}

func sorted[T any](list []T, by func(a, b T) int) []T {
	slices.SortFunc(list, by)
	return list
}
