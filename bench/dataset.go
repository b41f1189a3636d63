package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
)

const (
	userCount     = 1000
	followerCount = 100
	twitCount     = 10
	commentCount  = 6
	rolesEach     = 3
	holders       = 6
)

type dataset struct {
	users       []*tables.User
	user        map[string]*tables.User
	department  map[string]*tables.Department
	role        map[string]*tables.Role
	twit        map[string]*tables.Twit
	followers   map[string]*page[model.UserEdge, tables.User]
	twits       map[string]*page[model.TwitEdge, tables.Twit]
	comments    map[*tables.Twit][]*tables.Comment
	descendants map[string]*page[model.DepartmentEdge, tables.Department]
	children    map[string][]*tables.Department
	roles       map[string]*page[model.RoleEdge, tables.Role]
	holders     map[string]*page[model.UserEdge, tables.User]
	follows     map[[2]string]bool
}

type page[E, T any] struct {
	edges   []*E
	nodes   []*T
	cursors []string
	total   int
}

func (p *page[E, T]) add(edge *E, node *T, cursor string) {
	p.edges, p.nodes, p.cursors = append(p.edges, edge), append(p.nodes, node), append(p.cursors, cursor)
	p.total++
}

func (p *page[E, T]) first(size int) int { return min(size, len(p.nodes)) }

func newDataset(seed uint64) *dataset {
	w := &dataset{
		user:        map[string]*tables.User{},
		department:  map[string]*tables.Department{},
		role:        map[string]*tables.Role{},
		twit:        map[string]*tables.Twit{},
		followers:   map[string]*page[model.UserEdge, tables.User]{},
		twits:       map[string]*page[model.TwitEdge, tables.Twit]{},
		comments:    map[*tables.Twit][]*tables.Comment{},
		descendants: map[string]*page[model.DepartmentEdge, tables.Department]{},
		children:    map[string][]*tables.Department{},
		roles:       map[string]*page[model.RoleEdge, tables.Role]{},
		holders:     map[string]*page[model.UserEdge, tables.User]{},
		follows:     map[[2]string]bool{},
	}
	random := rand.New(rand.NewPCG(seed, 0))
	w.addUsers(random)
	w.addFollowers(random)
	w.addTwits(random)
	w.addDepartments(random)
	return w
}

func username(i int) string { return fmt.Sprintf("u%05d", i) }

var epoch = time.Date(2014, 1, 1, 0, 0, 0, 0, time.UTC)

func (w *dataset) addUsers(random *rand.Rand) {
	for i := range userCount {
		u := &tables.User{Username: username(i), FollowerCount: new(followerCount)}
		u.Name, u.Age, u.CreatedAt = new(fmt.Sprintf("User %d 李雷",
			i)), new(random.IntN(90)), new(epoch.Add(time.Duration(i)*time.Hour))
		u.AvatarURL = new(fmt.Sprintf("https://example.org/avatars/%d.jpg?size=%d", i, random.IntN(500)))
		w.users, w.user[u.Username] = append(w.users, u), u
	}
	slices.SortFunc(w.users, func(a, b *tables.User) int {
		return strings.Compare(tables.RowKey(a.Username), tables.RowKey(b.Username))
	})
}

func (w *dataset) addFollowers(random *rand.Rand) {
	for i := range userCount {
		list := &page[model.UserEdge, tables.User]{}
		for j, who := range random.Perm(userCount - 1)[:followerCount] {
			follower := w.user[username((i+1+who)%userCount)]
			at := epoch.Add(time.Duration(followerCount-j) * time.Minute)
			position := tables.Followers.Position(tables.Follow{Username: follower.Username, At: at})
			cursor := relay.CursorsOf(&tables.Followers.AnyList).Encode(position)
			list.add(&model.UserEdge{Cursor: cursor, Node: follower, FollowedAt: &at}, follower, cursor)
			w.follows[[2]string{follower.Username, username(i)}] = true
		}
		w.followers[username(i)] = list
	}
}

var words = strings.Fields("the people 关注 转发 of flight 微博 late, \"again\" <b>&amp; naïve — # @hub \\n 今天 two")

func text(random *rand.Rand, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = words[random.IntN(len(words))]
	}
	return strings.Join(all, " ")
}

func (w *dataset) addTwits(random *rand.Rand) {
	for i := range userCount {
		list := &page[model.TwitEdge, tables.Twit]{}
		for j := range twitCount {
			t := &tables.Twit{AuthorName: username(i), Name: fmt.Sprintf("t%d",
				i*twitCount+j), Content: text(random, 8+random.IntN(8)),
				PostedAt: epoch.Add(time.Duration(twitCount-j) * time.Hour), Visibility: tables.Public}
			if j%3 == 0 {
				t.PhotoURLs, t.Title = []string{fmt.Sprintf("https://example.org/%d.jpg?a=1", i)}, new(text(random, 3))
			}
			cursor := relay.CursorsOf(&tables.Twits.AnyList).Encode(tables.Twits.Position(t))
			list.add(&model.TwitEdge{Cursor: cursor, Node: t}, t, cursor)
			w.twit[t.Key().String()] = t
			for k := range random.IntN(commentCount + 1) {
				c := &tables.Comment{Twit: t.Key(), AuthorName: username(random.IntN(userCount)), Content: text(random, 6),
					PostedAt: t.PostedAt.Add(time.Duration(commentCount-k) * time.Minute)}
				c.Mark = tables.CommentMark(c.AuthorName, c.Content, 0)
				w.comments[t] = append(w.comments[t], c)
			}
		}
		w.twits[username(i)] = list
	}
}

// breadth is the number of children of a department by level.
var breadth = []int{1, 6, 6, 6}

func (w *dataset) addDepartments(random *rand.Rand) {
	level := []string{tables.Root}
	for _, n := range breadth {
		var next []string
		for _, parent := range level {
			for i := range n {
				d := &tables.Department{Code: strings.TrimPrefix(fmt.Sprintf("%s/%d", parent, i), "/")}
				if d.Name = new("Department " + d.Code); parent != tables.Root {
					d.ParentCode = &parent
				}
				next, w.department[d.Code], w.children[parent] = append(next, d.Code), d, append(w.children[parent], d)
				w.addRoles(random, d)
			}
		}
		level = next
	}
	for code := range w.department {
		list := &page[model.DepartmentEdge, tables.Department]{}
		for depth, level := 1, w.children[code]; len(level) > 0; depth++ {
			var next []*tables.Department
			for i, d := range level {
				cursor := relay.Cursors{Letter: relay.Descendants}.Encode(fmt.Sprintf("%d.%d.%s", depth, i, d.Code))
				list.add(&model.DepartmentEdge{Cursor: cursor, Node: d, Depth: &depth}, d, cursor)
				next = append(next, w.children[d.Code]...)
			}
			level = next
		}
		w.descendants[code] = list
	}
}

func (w *dataset) addRoles(random *rand.Rand, d *tables.Department) {
	roles := &page[model.RoleEdge, tables.Role]{}
	for i := range rolesEach {
		r := &tables.Role{Code: fmt.Sprintf("%s:%d", d.Code, i), Name: new(fmt.Sprintf("Role %d",
			i)), DepartmentCode: &d.Code, UserCount: new(holders)}
		cursor := relay.CursorsOf(&tables.DepartmentRoles.AnyList).Encode(r.Code)
		roles.add(&model.RoleEdge{Cursor: cursor, Node: r}, r, cursor)
		w.role[r.Code] = r
		users, some := &page[model.UserEdge, tables.User]{}, random.Perm(userCount)[:holders]
		slices.Sort(some)
		for _, who := range some {
			u, cursor := w.user[username(who)], relay.CursorsOf(&tables.RoleUsers.AnyList).Encode(username(who))
			users.add(&model.UserEdge{Cursor: cursor, Node: u}, u, cursor)
		}
		w.holders[r.Code] = users
	}
	w.roles[d.Code] = roles
}
