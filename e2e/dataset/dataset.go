// Package dataset generates CSV files for tests from a seed.
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

const (
	Hub     = "hub"      // followed by most users
	Admin   = "admin.小红" // has the role admin
	Nobody  = "nobody"   // has no data
	Special = "李雷_Ünï.٣"
)

type generator struct {
	*rand.Rand
	files map[string][][]string
	users []string
	twits []twit
}

type twit struct {
	id, author string
	at         time.Time
}

func Write(folder string, seed uint64) error {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), files: map[string][][]string{}}
	for _, add := range []func(){
		g.addUsers, g.addDepartments, g.addAssignments, g.addFollows, g.addTwits, g.addComments, g.addGames, g.addLikes,
	} {
		add()
	}
	for name, rows := range g.files {
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

func (g *generator) add(file string, row ...string) { g.files[file] = append(g.files[file], row) }

func (g *generator) maybe(n int, s string) string {
	if g.IntN(n) > 0 {
		return ""
	}
	return s
}

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

func skewed[T any](g *generator, list []T) T { return list[g.IntN(1+g.IntN(len(list)))] }

func (g *generator) randomTime() time.Time {
	t := time.Date(2014, 1, 1+g.IntN(700), 8, g.IntN(3), 0, 0, time.UTC)
	if g.IntN(5) == 0 {
		t = t.Add(time.Duration(g.IntN(1000)) * time.Millisecond)
	}
	return t
}

func stamp(t time.Time) string { return t.Format(time.RFC3339Nano) }

var words = strings.Fields("the people 关注 转发 of Ж 🙂 flight 微博 late, \"again\" 𠜎 <b>&amp; naïve — # @hub \\n 今天 two\tthree")

func (g *generator) text() string {
	var all []string
	for range 1 + g.IntN(12) {
		all = append(all, pick(g, words))
	}
	return strings.Join(all, pick(g, []string{" ", " ", "\n"}))
}

func (g *generator) addUsers() {
	g.users = []string{Hub, Special, Admin}
	for i := range 350 {
		name := fmt.Sprintf("u%05d", i)
		switch i % 50 {
		case 7:
			name = fmt.Sprintf("小红%d", i)
		case 8:
			name = fmt.Sprintf("U.%d-x", i)
		case 9:
			name = strings.Repeat("長", 60) + strconv.Itoa(1000+i)
		}
		g.users = append(g.users, name)
	}
	g.add("users", "username", "name", "email", "age", "avatar_url", "created_at")
	for _, u := range append(slices.Clone(g.users), Nobody) {
		g.add("users", u, "User "+u, g.maybe(3, fmt.Sprintf("mail%d@example.org",
			len(g.files["users"]))), g.maybe(3, strconv.Itoa(g.IntN(120))),
			g.maybe(3, "https://example.org/"+strconv.Itoa(g.IntN(9))+".jpg"), g.maybe(3, stamp(g.randomTime())))
	}
}

func (g *generator) addFollows() {
	g.add("follows", "follower", "followee", "followed_at")
	for i, follower := range g.users {
		followed := map[string]bool{follower: true}
		for range g.IntN(40) {
			followee := skewed(g, g.users)
			if g.IntN(3) > 0 {
				followee = pick(g, g.users)
			}
			g.follow(followed, follower, followee)
		}
		if i%10 < 7 {
			g.follow(followed, follower, Hub)
		}
	}
}

func (g *generator) follow(followed map[string]bool, follower, followee string) {
	if !followed[followee] {
		followed[followee] = true
		g.add("follows", follower, followee, g.maybe(2, stamp(g.randomTime())))
	}
}

func (g *generator) addTwits() {
	g.add("twits", "id", "author", "posted_at", "content", "photo_urls", "title", "visibility")
	for i := range 1200 {
		t := twit{fmt.Sprintf("t%d", i*7919%1200), skewed(g, g.users), g.randomTime()}
		g.twits = append(g.twits, t)
		var photos []string
		for range g.IntN(8) / 5 * (1 + g.IntN(3)) {
			photos = append(photos, fmt.Sprintf("https://example.org/%d.jpg?a=1&b=%%E5", g.IntN(100)))
		}
		g.add("twits", t.id, t.author, stamp(t.at), g.text(), strings.Join(photos, " "),
			g.maybe(4, pick(g, words)+" "+pick(g, words)),
			pick(g, []string{"", "PUBLIC", "FOLLOWERS", ""}))
	}
	// More than an unauthenticated client's short page reads.
	for i := range 30 {
		g.add("twits", fmt.Sprintf("moment/%d",
			i), Special, stamp(time.Date(2016, 1, 1, 0, i, 0, 0, time.UTC)), g.text(), "", "", "FOLLOWERS")
	}
}

func (g *generator) addComments() {
	g.add("comments", "twit", "author", "posted_at", "content")
	for range 4000 {
		t := skewed(g, g.twits)
		author, at, text := pick(g, g.users), t.at.Add(time.Duration(g.IntN(50))*time.Second), g.text()
		for range 1 + g.IntN(11)/10*g.IntN(3) {
			g.add("comments", t.id, author, stamp(at), text)
		}
		if g.IntN(20) == 0 {
			g.add("comments", t.id, author, stamp(at), g.text())
		}
	}
}
