// Package dataset makes up data for tests: a crowd in CSV files, in the form that an import reads, from a seed.
//
// It has what real data sets lack: follows in one direction, with times and without; twits and comments of the same instant; photos
// and posts for followers alone; names of any script; people who have nothing at all.
package dataset

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Users are the usernames with a part of their own: the rest of the crowd has generated ones.
const (
	Hub     = "hub"      // most follow it
	Admin   = "admin.小红" // has the role admin
	Nobody  = "nobody"   // has nothing and follows nobody
	Special = "李雷_Ünï.٣" // is like the others but for the name
)

type crowd struct {
	*rand.Rand
	files map[string][][]string
	users []string
	twits []twit
}

type twit struct {
	id, author string
	at         time.Time
}

// Write makes the data of a seed and writes it into the folder. The same seed makes the same files.
func Write(folder string, seed uint64) error {
	c := &crowd{Rand: rand.New(rand.NewPCG(seed, 1)), files: map[string][][]string{}}
	for _, fill := range []func(){c.people, c.tree, c.assignments, c.follows, c.posts, c.remarks, c.games, c.likes} {
		fill()
	}
	for name, rows := range c.files {
		var text bytes.Buffer
		if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name+".csv"), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (c *crowd) add(file string, row ...string) { c.files[file] = append(c.files[file], row) }

// maybe returns s once in n times, and nothing otherwise.
func (c *crowd) maybe(n int, s string) string {
	if c.IntN(n) > 0 {
		return ""
	}
	return s
}

func pick[T any](c *crowd, list []T) T { return list[c.IntN(len(list))] }

// skewed picks from the beginning of the list more often than from its end.
func skewed[T any](c *crowd, list []T) T { return list[c.IntN(1+c.IntN(len(list)))] }

// moment is a time out of few, so that some are equal, and to the millisecond once in a while.
func (c *crowd) moment() time.Time {
	t := time.Date(2014, 1, 1+c.IntN(700), 8, c.IntN(3), 0, 0, time.UTC)
	if c.IntN(5) == 0 {
		t = t.Add(time.Duration(c.IntN(1000)) * time.Millisecond)
	}
	return t
}

func stamp(t time.Time) string { return t.Format(time.RFC3339Nano) }

var words = strings.Fields("the people 关注 转发 of Ж 🙂 flight 微博 late, \"again\" 𠜎 <b>&amp; naïve — # @hub \\n 今天 two\tthree")

func (c *crowd) text() string {
	var all []string
	for range 1 + c.IntN(12) {
		all = append(all, pick(c, words))
	}
	return strings.Join(all, pick(c, []string{" ", " ", "\n"}))
}

func (c *crowd) people() {
	c.users = []string{Hub, Special, Admin}
	for i := range 350 {
		name := fmt.Sprintf("u%05d", i)
		switch i % 50 {
		case 7:
			name = fmt.Sprintf("小红%d", i)
		case 8:
			name = fmt.Sprintf("U.%d-x", i)
		case 9:
			name = strings.Repeat("長", 60) + strconv.Itoa(1000+i) // as long as can be
		}
		c.users = append(c.users, name)
	}
	c.add("users", "username", "name", "email", "age", "avatar_url", "created_at")
	for _, u := range append(slices.Clone(c.users), Nobody) {
		c.add("users", u, "User "+u, c.maybe(3, fmt.Sprintf("mail%d@example.org", len(c.files["users"]))), c.maybe(3, strconv.Itoa(c.IntN(120))),
			c.maybe(3, "https://example.org/"+strconv.Itoa(c.IntN(9))+".jpg"), c.maybe(3, stamp(c.moment())))
	}
}

func (c *crowd) follows() {
	c.add("follows", "follower", "followee", "followed_at")
	for i, follower := range c.users {
		followed := map[string]bool{follower: true}
		for range c.IntN(40) {
			followee := skewed(c, c.users)
			if c.IntN(3) > 0 {
				followee = pick(c, c.users)
			}
			c.follow(followed, follower, followee)
		}
		if i%10 < 7 {
			c.follow(followed, follower, Hub)
		}
	}
}

func (c *crowd) follow(followed map[string]bool, follower, followee string) {
	if !followed[followee] {
		followed[followee] = true
		c.add("follows", follower, followee, c.maybe(2, stamp(c.moment())))
	}
}

func (c *crowd) posts() {
	c.add("twits", "id", "author", "posted_at", "content", "photo_urls", "title", "visibility")
	for i := range 1200 {
		t := twit{fmt.Sprintf("t%d", i*7919%1200), skewed(c, c.users), c.moment()}
		c.twits = append(c.twits, t)
		var photos []string
		for range c.IntN(8) / 5 * (1 + c.IntN(3)) {
			photos = append(photos, fmt.Sprintf("https://example.org/%d.jpg?a=1&b=%%E5", c.IntN(100)))
		}
		c.add("twits", t.id, t.author, stamp(t.at), c.text(), strings.Join(photos, " "), c.maybe(4, pick(c, words)+" "+pick(c, words)),
			pick(c, []string{"", "PUBLIC", "FOLLOWERS", ""}))
	}
	// The newest posts of one author are for followers alone: more of them than a short page of a stranger looks at.
	for i := range 30 {
		c.add("twits", fmt.Sprintf("moment/%d", i), Special, stamp(time.Date(2016, 1, 1, 0, i, 0, 0, time.UTC)), c.text(), "", "", "FOLLOWERS")
	}
}

func (c *crowd) remarks() {
	c.add("comments", "twit", "author", "posted_at", "content")
	for range 4000 {
		t := skewed(c, c.twits)
		author, at, text := pick(c, c.users), t.at.Add(time.Duration(c.IntN(50))*time.Second), c.text()
		for range 1 + c.IntN(11)/10*c.IntN(3) { // doubles
			c.add("comments", t.id, author, stamp(at), text)
		}
		if c.IntN(20) == 0 { // one of the same author and instant
			c.add("comments", t.id, author, stamp(at), c.text())
		}
	}
}
