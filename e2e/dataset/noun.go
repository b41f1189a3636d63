package dataset

import (
	"fmt"
	"strconv"
	"time"
)

// tree makes departments and the roles that they define.
func (c *crowd) tree() {
	c.add("departments", "id", "name", "parent")
	codes := []string{}
	department := func(code, name, parent string) {
		c.add("departments", code, name, parent)
		codes = append(codes, code)
	}
	department("ceo", "CEO", "")
	department("开发部", "开发部", "ceo")
	parent := "开发部"
	for i := range 12 { // a long chain
		code := fmt.Sprintf("chain/%d", i)
		department(code, "Chain", parent)
		parent = code
	}
	for i := range 60 { // a broad level, some of the same name
		department(fmt.Sprintf("broad:%d", i), fmt.Sprintf("Broad %d", i/2), "ceo")
	}
	for i := range 120 {
		department(fmt.Sprintf("d.%d", i), pick(c, []string{"A", "B", "研究", "A B"}), skewed(c, codes))
	}
	for i := range 25 {
		department(fmt.Sprintf("top%d", i), pick(c, []string{"T", "U"}), "")
	}
	c.add("roles", "id", "name", "department")
	c.add("roles", "admin", "Administrator", "")
	for i := range 70 {
		c.add("roles", roleCode(i), fmt.Sprintf("Role %d", i), c.maybe(2, skewed(c, codes)))
	}
}

func roleCode(i int) string { return fmt.Sprintf("org:role/%d", i) }

func (c *crowd) assignments() {
	c.add("user_roles", "username", "role")
	c.add("user_roles", Admin, "admin")
	for _, u := range c.users {
		for i := range 60 { // the last roles have nobody
			if c.IntN(40) < 1 || i == 3 && c.IntN(2) == 0 {
				c.add("user_roles", u, roleCode(i))
			}
		}
	}
}

// games makes games, the last of which nobody plays.
func (c *crowd) games() {
	c.add("games", "id", "name")
	c.add("plays", "username", "game", "day", "count")
	var codes []string
	for i := range 80 {
		code := strconv.Itoa(i)
		if i%9 == 0 {
			code = fmt.Sprintf("象棋:%d", i)
		}
		c.add("games", code, fmt.Sprintf("Game %d", i))
		codes = append(codes, code)
	}
	codes = codes[:75]
	for _, u := range c.users {
		played := map[string]bool{}
		for range c.IntN(12) {
			game := skewed(c, codes)
			if played[game] {
				continue
			}
			played[game] = true
			day := time.Date(2014, 12, 1+c.IntN(40), 0, 0, 0, 0, time.UTC)
			for range 1 + c.IntN(3) {
				c.add("plays", u, game, day.Format(time.DateOnly), strconv.Itoa(1+c.IntN(500)))
				day = day.AddDate(0, 0, 1+c.IntN(5))
			}
		}
	}
}

// likes are skewed, so that some twits have many. A third of them has no time.
func (c *crowd) likes() {
	c.add("likes", "username", "twit", "liked_at")
	seen := map[[2]string]bool{}
	for range 3000 {
		t, user := skewed(c, c.twits), pick(c, c.users)
		if pair := [2]string{user, t.id}; !seen[pair] {
			seen[pair] = true
			at := stamp(t.at.Add(time.Duration(c.IntN(50)) * time.Second))
			if c.IntN(3) == 0 {
				at = ""
			}
			c.add("likes", user, t.id, at)
		}
	}
}
