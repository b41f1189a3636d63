package oracle

import (
	"cmp"
	"slices"
	"time"
)

// User is a person.
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
	at   *time.Time // nil if nobody knows
}

type follow struct {
	user *User
	at   *time.Time // nil if nobody knows
}

// Role is what a person can be.
type Role struct {
	Code, Name string
	Department *Department
	users      []*User // by username
}

// Department is a node of the tree.
type Department struct {
	Code, Name string
	Parent     *Department
	Children   []*Department // by name, then code
	roles      []*Role       // by code
}

// Twit is a post.
type Twit struct {
	ID            string
	Author        *User
	PostedAt      time.Time
	Content       string
	Title         *string
	Photos        []string
	FollowersOnly bool
	Comments      []*Comment // newest first
	likes         []*follow  // newest first: by whom
	deleted       bool
}

// Comment is a remark on a twit.
type Comment struct {
	Twit     *Twit
	Author   *User
	PostedAt time.Time
	Content  string
	line     int // where it stands in its file
}

// Game is what people play.
type Game struct {
	Code, Name string
	players    []*User // by username
}

// Model is what the files say.
type Model struct {
	Users       map[string]*User
	Roles       map[string]*Role
	Departments map[string]*Department
	Games       map[string]*Game
	Twits       map[string]*Twit
	top         []*Department
	follows     map[[2]*User]bool
}

// Follows reports whether the one follows the other.
func (m *Model) Follows(follower, followee string) bool {
	return m.follows[[2]*User{m.Users[follower], m.Users[followee]}]
}

// Unfollow is what a store looks like whose edge between the two alone says that it is no more: the lists still have it.
func (m *Model) Unfollow(follower, followee string) {
	delete(m.follows, [2]*User{m.Users[follower], m.Users[followee]})
}

// Delete is what a store looks like in which the twit is gone from its author's lists; timelines still refer to it.
func (m *Model) Delete(twit string) { m.Twits[twit].deleted = true }

// Likes reports whether the user likes the twit.
func (m *Model) Likes(user *User, twit *Twit) bool {
	return slices.ContainsFunc(twit.likes, func(l *follow) bool { return l.user == user })
}

// HasRole reports whether the user has the role.
func (m *Model) HasRole(username, code string) bool {
	user, role := m.Users[username], m.Roles[code]
	return user != nil && role != nil && slices.Contains(user.roles, role)
}

// Followers are the usernames of those who follow the user, newest first.
func (u *User) Followers() []string {
	names := make([]string, len(u.followers))
	for i, f := range u.followers {
		names[i] = f.user.Username
	}
	return names
}

// Twits are the user's posts, newest first.
func (u *User) Twits() []*Twit { return u.twits }

// Roles are the user's roles, by code.
func (u *User) Roles() []*Role { return u.roles }

// Games are the games that the user played, by code.
func (u *User) Games() []*Game {
	games := make([]*Game, 0, len(u.plays))
	for game := range u.plays {
		games = append(games, game)
	}
	return sorted(games, func(a, b *Game) int { return cmp.Compare(a.Code, b.Code) })
}

// Timeline are the posts of all whom the user follows, newest first, deleted ones among them.
func (u *User) Timeline() []*Twit {
	var all []*Twit
	for _, f := range u.following {
		all = append(all, f.user.twits...)
	}
	all = sorted(all, newest)
	return all[:min(len(all), timelineBound)]
}

// timelineBound is how many entries a timeline keeps.
const timelineBound = 10_000

// sum returns how often the user played the game, and when last.
func (u *User) sum(game *Game) (count int, last string) {
	for day, n := range u.plays[game] {
		count, last = count+n, max(last, day)
	}
	return count, last
}

// Players are those who play the game, by username.
func (g *Game) Players() []*User { return g.players }

// Users are those who have the role, by username.
func (r *Role) Users() []*User { return r.users }

// Placed is a department in a subtree, and how many levels below.
type Placed struct {
	*Department
	Depth int
}

// Descendants are all departments below, level by level, each level in its parents' order, then by name, then by code.
func (d *Department) Descendants() []Placed {
	var all []Placed
	level := []*Department{d}
	for depth := 1; len(level) > 0; depth++ {
		var next []*Department
		for _, parent := range level {
			next = append(next, parent.Children...)
		}
		for _, child := range next {
			all = append(all, Placed{child, depth})
		}
		level = next
	}
	return all
}

// newest orders twits: newest first, then by id.
func newest(a, b *Twit) int {
	return cmp.Or(b.PostedAt.Compare(a.PostedAt), cmp.Compare(a.ID, b.ID))
}

func sorted[T any](list []T, by func(a, b T) int) []T {
	slices.SortFunc(list, by)
	return list
}
