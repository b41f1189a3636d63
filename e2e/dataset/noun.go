package dataset

import (
	"fmt"
	"strconv"
	"time"
)

func (g *generator) addDepartments() {
	g.add("departments", "id", "name", "parent")
	codes := []string{}
	department := func(code, name, parent string) {
		g.add("departments", code, name, parent)
		codes = append(codes, code)
	}
	department("ceo", "CEO", "")
	department("开发部", "开发部", "ceo")
	parent := "开发部"
	for i := range 12 {
		code := fmt.Sprintf("chain/%d", i)
		department(code, "Chain", parent)
		parent = code
	}
	for i := range 60 { // a broad level, with equal names
		department(fmt.Sprintf("broad:%d", i), fmt.Sprintf("Broad %d", i/2), "ceo")
	}
	for i := range 120 {
		department(fmt.Sprintf("d.%d", i), pick(g, []string{"A", "B", "研究", "A B"}), skewed(g, codes))
	}
	for i := range 25 {
		department(fmt.Sprintf("top%d", i), pick(g, []string{"T", "U"}), "")
	}
	g.add("roles", "id", "name", "department")
	g.add("roles", "admin", "Administrator", "")
	for i := range 70 {
		g.add("roles", roleCode(i), fmt.Sprintf("Role %d", i), g.maybe(2, skewed(g, codes)))
	}
}

func roleCode(i int) string { return fmt.Sprintf("org:role/%d", i) }

func (g *generator) addAssignments() {
	g.add("user_roles", "username", "role")
	g.add("user_roles", Admin, "admin")
	for _, u := range g.users {
		for i := range 60 {
			if g.IntN(40) < 1 || i == 3 && g.IntN(2) == 0 {
				g.add("user_roles", u, roleCode(i))
			}
		}
	}
}

func (g *generator) addGames() {
	g.add("games", "id", "name")
	g.add("plays", "username", "game", "day", "count")
	var codes []string
	for i := range 80 {
		code := strconv.Itoa(i)
		if i%9 == 0 {
			code = fmt.Sprintf("象棋:%d", i)
		}
		g.add("games", code, fmt.Sprintf("Game %d", i))
		codes = append(codes, code)
	}
	codes = codes[:75]
	for _, u := range g.users {
		played := map[string]bool{}
		for range g.IntN(12) {
			game := skewed(g, codes)
			if played[game] {
				continue
			}
			played[game] = true
			day := time.Date(2014, 12, 1+g.IntN(40), 0, 0, 0, 0, time.UTC)
			for range 1 + g.IntN(3) {
				g.add("plays", u, game, day.Format(time.DateOnly), strconv.Itoa(1+g.IntN(500)))
				day = day.AddDate(0, 0, 1+g.IntN(5))
			}
		}
	}
}

func (g *generator) addLikes() {
	g.add("likes", "username", "twit", "liked_at")
	seen := map[[2]string]bool{}
	for range 3000 {
		t, user := skewed(g, g.twits), pick(g, g.users)
		if pair := [2]string{user, t.id}; !seen[pair] {
			seen[pair] = true
			at := stamp(t.at.Add(time.Duration(g.IntN(50)) * time.Second))
			if g.IntN(3) == 0 {
				at = ""
			}
			g.add("likes", user, t.id, at)
		}
	}
}
