package oracle

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

var roleFields = map[string]resolver{
	"Role.id":         ofParent(func(r *Role) any { return id("Role", r.Code) }),
	"Role.code":       ofParent(func(r *Role) any { return r.Code }),
	"Role.name":       ofParent(func(r *Role) any { return r.Name }),
	"Role.department": ofParent(func(r *Role) any { return object(r.Department) }),
	"Role.userCount":  ofParent(func(r *Role) any { return len(r.users) }),
	"Role.users":      paged("User", func(_ *call, r *Role) list { return users("Role.users", r.Code, r.users) }),
}

var departmentFields = map[string]resolver{
	"Department.id":     ofParent(func(d *Department) any { return id("Department", d.Code) }),
	"Department.code":   ofParent(func(d *Department) any { return d.Code }),
	"Department.name":   ofParent(func(d *Department) any { return d.Name }),
	"Department.parent": ofParent(func(d *Department) any { return object(d.Parent) }),
	"Department.ancestors": ofParent(func(d *Department) any {
		above := []any{}
		for d = d.Parent; d != nil; d = d.Parent {
			above = append(above, d)
		}
		return above
	}),
	"Department.subDepartments": paged("Department", func(_ *call, d *Department) list {
		return subDepartments(d.Code, d.Children)
	}),
	"Department.roles": paged("Role", func(_ *call, d *Department) list {
		return roles("Department.roles", d.Code, d.roles)
	}),
	"Department.descendants": func(c *call) (any, error) {
		maxDepth := math.MaxInt
		if c.args["maxDepth"] != nil {
			maxDepth = number(c.args["maxDepth"])
		}
		page, err := c.descendants(c.parent.(*Department), maxDepth).page("Department", c.args)
		switch {
		case err != nil:
			return nil, err
		case maxDepth < 0:
			return nil, errBadInput
		}
		return page, nil
	},
}

var twitFields = map[string]resolver{
	"Twit.id":           ofParent(func(t *Twit) any { return id("Twit", t.ID) }),
	"Twit.author":       ofParent(func(t *Twit) any { return t.Author }),
	"Twit.title":        ofParent(func(t *Twit) any { return deref(t.Title) }),
	"Twit.content":      ofParent(func(t *Twit) any { return t.Content }),
	"Twit.photoUrls":    ofParent(func(t *Twit) any { return elements(t.Photos, func(url string) any { return url }) }),
	"Twit.postedAt":     ofParent(func(t *Twit) any { return instant(&t.PostedAt) }),
	"Twit.commentCount": ofParent(func(t *Twit) any { return len(t.Comments) }),
	"Twit.likeCount":    ofParent(func(t *Twit) any { return len(t.likes) }),
	"Twit.viewerLikes": func(c *call) (any, error) {
		viewer := c.Users[c.viewer.Username]
		return viewer != nil && c.Likes(viewer, c.parent.(*Twit)), nil
	},
	"Twit.likes": paged("User", func(_ *call, t *Twit) list {
		l := list{kind: "Twit.likes", owner: t.ID}
		for _, f := range t.likes {
			l.entries = append(l.entries, entry{key: recent(f.at) + f.user.Username, node: f.user})
		}
		return l.counted()
	}),
	"Twit.visibility": ofParent(func(t *Twit) any {
		if t.FollowersOnly {
			return "FOLLOWERS"
		}
		return "PUBLIC"
	}),
	"Twit.comments": paged("Comment", func(c *call, t *Twit) list {
		l := list{kind: "Twit.comments", owner: t.ID, visible: func(node any) bool { return c.seesComment(node.(*Comment)) }}
		for i, comment := range t.Comments {
			l.entries = append(l.entries, entry{key: fmt.Sprintf("%s%s\x00%06d",
				recent(&comment.PostedAt), comment.Author.Username, i), node: comment})
		}
		return l.counted()
	}),

	"Comment.id": ofParent(func(c *Comment) any {
		return id("Comment", fmt.Sprintf("%s %d", c.Twit.ID, slices.Index(c.Twit.Comments, c)))
	}),
	"Comment.author":   ofParent(func(c *Comment) any { return c.Author }),
	"Comment.content":  ofParent(func(c *Comment) any { return c.Content }),
	"Comment.postedAt": ofParent(func(c *Comment) any { return instant(&c.PostedAt) }),
	"Comment.twit": ofCall(func(call *call, c *Comment) any {
		if !call.seesTwit(c.Twit) {
			return nil
		}
		return c.Twit
	}),
}

func (m *Model) commentOf(key string) *Comment {
	twit, at, _ := strings.Cut(key, " ")
	var i int
	if _, err := fmt.Sscan(at, &i); err != nil {
		panic(err)
	}
	return m.Twits[twit].Comments[i]
}

type dayPlays struct {
	day   string
	count int
}

var gameFields = map[string]resolver{
	"Game.id":          ofParent(func(g *Game) any { return id("Game", g.Code) }),
	"Game.code":        ofParent(func(g *Game) any { return g.Code }),
	"Game.name":        ofParent(func(g *Game) any { return g.Name }),
	"Game.playerCount": ofParent(func(g *Game) any { return len(g.players) }),
	"Game.isPlayed":    ofParent(func(g *Game) any { return len(g.players) > 0 }),
	"Game.players":     paged("User", func(_ *call, g *Game) list { return users("Game.players", g.Code, g.players) }),
	"Game.plays": func(c *call) (any, error) {
		from, to := c.text("from"), c.text("to")
		for _, day := range []string{from, to} {
			if t, err := time.Parse(time.DateOnly, day); err != nil || t.Year() < 1970 {
				return nil, errBadInput
			}
		}
		if from > to {
			return nil, errBadInput
		}
		return c.parent.(*Game).days(from, to), nil
	},
	"DayPlays.day":   ofParent(func(p dayPlays) any { return p.day }),
	"DayPlays.count": ofParent(func(p dayPlays) any { return p.count }),
}

func (g *Game) days(from, to string) []any {
	sums := map[string]int{}
	for _, player := range g.players {
		for day, count := range player.plays[g] {
			if day >= from && day <= to {
				sums[day] += count
			}
		}
	}
	return elements(slices.Sorted(maps.Keys(sums)), func(day string) any { return dayPlays{day, sums[day]} })
}
