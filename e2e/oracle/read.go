package oracle

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Read reads a folder's files, each with or without .gz. A missing file is empty. An unknown object
// in a row is an error.
func Read(folder string) (*Model, error) {
	m := &Model{
		Users: map[string]*User{}, Roles: map[string]*Role{}, Departments: map[string]*Department{},
		Games: map[string]*Game{},
		Twits: map[string]*Twit{}, follows: map[[2]*User]bool{},
	}
	r := &reader{folder: folder}
	for _, file := range []struct {
		name string
		row  func(*reader)
	}{
		{"users", m.user}, {"departments", m.department}, {"roles", m.role}, {"games", m.game}, {"user_roles", m.userRole},
		{"follows", m.follow}, {"twits", m.twit}, {"comments", m.comment}, {"likes", m.like}, {"plays", m.play},
	} {
		if err := r.each(file.name, file.row); err != nil {
			return nil, err
		}
	}
	m.sort()
	return m, nil
}

type reader struct {
	folder, file string
	line         int
	columns      map[string]int
	row          []string
	err          error
}

func (r *reader) text(column string) string {
	if i, ok := r.columns[column]; ok {
		return r.row[i]
	}
	return ""
}

func (r *reader) optional(column string) *string {
	if s := r.text(column); s != "" {
		return &s
	}
	return nil
}

func (r *reader) fail(err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s, row %d: %w", r.file, r.line, err)
	}
}

func (r *reader) number(column string) int {
	n, err := strconv.Atoi(r.text(column))
	r.fail(err)
	return n
}

func (r *reader) time(column string) time.Time {
	t, err := time.Parse(time.RFC3339, r.text(column))
	r.fail(err)
	return t.UTC().Truncate(time.Millisecond)
}

func (r *reader) optionalTime(column string) *time.Time {
	if r.text(column) == "" {
		return nil
	}
	t := r.time(column)
	return &t
}

func find[T any](r *reader, objects map[string]*T, column string) *T {
	object, ok := objects[r.text(column)]
	if !ok {
		r.fail(fmt.Errorf("unknown %s %q", column, r.text(column)))
		return new(T)
	}
	return object
}

func (r *reader) each(name string, read func(*reader)) error {
	in, err := open(filepath.Join(r.folder, name+".csv"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r.file, r.columns = name, map[string]int{}
	for i, column := range rows[0] {
		r.columns[column] = i
	}
	for i, row := range rows[1:] {
		r.line, r.row = i, row
		read(r)
	}
	return r.err
}

func open(path string) (io.ReadCloser, error) {
	plain, err := os.Open(path)
	if !errors.Is(err, os.ErrNotExist) {
		return plain, err
	}
	packed, err := os.Open(path + ".gz")
	if err != nil {
		return nil, err
	}
	unpacked, err := gzip.NewReader(packed)
	return struct {
		io.Reader
		io.Closer
	}{unpacked, packed}, err
}

func (m *Model) user(r *reader) {
	u := &User{Username: r.text("username"), Name: r.text("name"), Email: r.optional("email"),
		AvatarURL: r.optional("avatar_url"), Bio: r.optional("bio"),
		CreatedAt: r.optionalTime("created_at"), plays: map[*Game]map[string]int{}}
	if r.text("age") != "" {
		age := r.number("age")
		u.Age = &age
	}
	m.Users[u.Username] = u
}

func (m *Model) department(r *reader) {
	d := &Department{Code: r.text("id"), Name: r.text("name")}
	if r.text("parent") == "" {
		m.top = append(m.top, d)
	} else {
		d.Parent = find(r, m.Departments, "parent")
		d.Parent.Children = append(d.Parent.Children, d)
	}
	m.Departments[d.Code] = d
}

func (m *Model) role(r *reader) {
	role := &Role{Code: r.text("id"), Name: r.text("name")}
	if r.text("department") != "" {
		role.Department = find(r, m.Departments, "department")
		role.Department.roles = append(role.Department.roles, role)
	}
	m.Roles[role.Code] = role
}

func (m *Model) game(r *reader) {
	m.Games[r.text("id")] = &Game{Code: r.text("id"), Name: r.text("name")}
}

func (m *Model) userRole(r *reader) {
	user, role := find(r, m.Users, "username"), find(r, m.Roles, "role")
	if !slices.Contains(user.roles, role) {
		user.roles, role.users = append(user.roles, role), append(role.users, user)
	}
}

func (m *Model) follow(r *reader) {
	a, b, at := find(r, m.Users, "follower"), find(r, m.Users, "followee"), r.optionalTime("followed_at")
	if !m.follows[[2]*User{a, b}] {
		m.follows[[2]*User{a, b}] = true
		a.following, b.followers = append(a.following, &follow{b, at}), append(b.followers, &follow{a, at})
	}
}

func (m *Model) twit(r *reader) {
	t := &Twit{ID: r.text("id"), Author: find(r, m.Users, "author"), PostedAt: r.time("posted_at"),
		Content: r.text("content"),
		Title:   r.optional("title"), Photos: strings.Fields(r.text("photo_urls")),
		FollowersOnly: r.text("visibility") == "FOLLOWERS"}
	t.Author.twits = append(t.Author.twits, t)
	m.Twits[t.ID] = t
}

func (m *Model) comment(r *reader) {
	c := &Comment{Twit: find(r, m.Twits, "twit"), Author: find(r, m.Users, "author"), PostedAt: r.time("posted_at"),
		Content: r.text("content"), line: r.line}
	c.Twit.Comments = append(c.Twit.Comments, c)
}

func (m *Model) like(r *reader) {
	user, twit, at := find(r, m.Users, "username"), find(r, m.Twits, "twit"), r.optionalTime("liked_at")
	if !m.Likes(user, twit) {
		user.liked, twit.likes = append(user.liked, &like{twit, at}), append(twit.likes, &follow{user, at})
	}
}

func (m *Model) play(r *reader) {
	user, game := find(r, m.Users, "username"), find(r, m.Games, "game")
	if user.plays[game] == nil {
		user.plays[game] = map[string]int{}
		game.players = append(game.players, user)
	}
	user.plays[game][r.text("day")] = r.number("count")
}

func (m *Model) sort() {
	byCode := func(a, b *Role) int { return cmp.Compare(a.Code, b.Code) }
	byUsername := func(a, b *User) int { return cmp.Compare(a.Username, b.Username) }
	byName := func(a, b *Department) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Code, b.Code)) }
	for _, u := range m.Users {
		sorted(u.followers, latest)
		sorted(u.following, latest)
		sorted(u.twits, newest)
		sorted(u.roles, byCode)
		sorted(u.liked, latestLike)
	}
	for _, r := range m.Roles {
		sorted(r.users, byUsername)
	}
	for _, g := range m.Games {
		sorted(g.players, byUsername)
	}
	for _, d := range m.Departments {
		sorted(d.Children, byName)
		sorted(d.roles, byCode)
	}
	sorted(m.top, byName)
	for _, t := range m.Twits {
		sorted(t.Comments, newestComment)
		sorted(t.likes, latest)
	}
}

func latest(a, b *follow) int {
	return cmp.Or(later(a.at, b.at), cmp.Compare(a.user.Username, b.user.Username))
}

func latestLike(a, b *like) int {
	return cmp.Or(later(a.at, b.at), cmp.Compare(a.twit.Author.Username, b.twit.Author.Username), newest(a.twit, b.twit))
}

func later(a, b *time.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return b.Compare(*a)
}

func newestComment(a, b *Comment) int {
	return cmp.Or(b.PostedAt.Compare(a.PostedAt), cmp.Compare(a.Author.Username, b.Author.Username),
		cmp.Compare(a.line, b.line))
}
