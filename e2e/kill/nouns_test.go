//go:build linux

package kill

import (
	"fmt"
	"strconv"
)

// noun is what there is to be changed: whoever adds mutations adds one here.
type noun struct {
	name string
	// kinds are those of its facts.
	kinds []string
	// act returns a mutation of the client's, nil if it finds none to make.
	act func(c *client) *op
	// read says of all that the client may have changed what there is, by fact. Twice is what is there twice.
	read func(c *client, w *world) (facts, error)
}

// facts are what was read.
type facts map[string]string

func (f facts) add(fact, value string) {
	if was, there := f[fact]; there {
		value = was + ", and again " + value
	}
	f[fact] = value
}

// nouns are all.
var nouns = []noun{
	{"user", []string{"user"}, actUser, readUsers},
	{"follow", []string{"follow"}, actFollow, readFollows},
	{"twit", []string{"twit"}, actTwit, readTwits},
	{"comment", []string{"comment"}, actComment, readComments},
	{"role", []string{"role", "has"}, actRole, readRoles},
	{"game", []string{"game", "played"}, actGame, readGames},
	{"department", []string{"department"}, actDepartment, readDepartments},
	{"timeline", []string{"timeline"}, actTide, readTimelines},
}

// Users.

func actUser(c *client) *op {
	mine := c.known("user")
	name, some := c.one(mine)
	switch n := c.rand.IntN(20); {
	case n < 1 && len(mine) < 4:
		name = c.fresh("new")
		return &op{name: "signUp", input: map[string]any{"username": name, "name": "A", "password": "correct horse", "idempotencyKey": name}, as: c.name, again: true,
			accepts: []string{"LIMIT_EXCEEDED"}, makes: map[string]string{"user " + name: "A"}}
	case n < 6 && len(mine) < 4:
		name, key := c.fresh("made"), c.fresh("key")
		return &op{name: "createUser", input: map[string]any{"username": name, "name": "B", "idempotencyKey": key}, again: true,
			makes: map[string]string{"user " + name: "B"}}
	case n < 14 && some:
		shown := c.fresh("name")
		return &op{name: "updateUser", input: map[string]any{"username": name, "name": shown}, again: true, makes: map[string]string{"user " + name: shown}}
	case some && len(mine) > 1:
		return &op{name: "deleteUser", input: map[string]any{"username": name}, makes: c.ending("user " + name)}
	}
	return nil
}

func readUsers(c *client, w *world) (facts, error) {
	found := facts{}
	for _, name := range c.mentioned("user") {
		data, err := w.see("query($u:String!){user(username:$u){name}}", map[string]any{"u": name})
		if err != nil {
			return nil, err
		}
		if shown := text(data, "user", "name"); shown != "" {
			found.add("user "+name, shown)
		}
	}
	return found, nil
}

// everyone are all users whose things the client may have changed.
func (c *client) everyone() []string { return append(c.mentioned("user"), c.name) }

// Follows.

func actFollow(c *client) *op {
	from, to := c.actor(), c.actor()
	if from == to {
		return nil
	}
	is, _ := c.is("follow " + from + " " + to)
	return follow(c, from, to, is == "" || c.rand.IntN(2) == 0)
}

func follow(c *client, from, to string, does bool) *op {
	fact := "follow " + from + " " + to
	if !does {
		return &op{name: "unfollow", as: from, input: map[string]any{"username": to}, again: true, makes: map[string]string{fact: ""}}
	}
	c.ends(fact, "user "+from)
	c.ends(fact, "user "+to)
	return &op{name: "follow", as: from, input: map[string]any{"username": to}, again: true, makes: map[string]string{fact: "1"}}
}

func readFollows(c *client, w *world) (facts, error) {
	found := facts{}
	for _, name := range c.everyone() {
		err := w.pages(`query($u:String!,$after:String){user(username:$u){c:following(first:100,after:$after){edges{node{username}} pageInfo{hasNextPage endCursor}}}}`,
			map[string]any{"u": name}, []string{"user", "c"}, func(edge any) { found.add("follow "+name+" "+text(edge, "node", "username"), "1") })
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Twits.

func actTwit(c *client) *op {
	mine := c.known("twit")
	if content, some := c.one(mine); some && c.rand.IntN(100) < 20+len(mine) {
		return &op{name: "deleteTwit", input: map[string]any{"id": c.ids[content]}, makes: c.ending("twit " + content)}
	}
	return post(c, c.actor())
}

func post(c *client, who string) *op {
	content := c.fresh("twit")
	input := map[string]any{"content": content}
	if c.rand.IntN(3) == 0 {
		input["photoUrls"] = []string{"https://example.org/1.jpg"}
	}
	if c.rand.IntN(3) == 0 {
		input["visibility"] = "FOLLOWERS"
	}
	again := c.rand.IntN(2) == 0
	if again {
		input["idempotencyKey"] = content
	}
	c.ends("twit "+content, "user "+who)
	return &op{name: "postTwit", as: who, input: input, selection: "twit{id content}", again: again, makes: map[string]string{"twit " + content: who},
		done: func(payload any) {
			if c.ids[content] = text(payload, "twit", "id"); text(payload, "twit", "content") != content {
				c.w.wrong("the payload of postTwit %s shows %v", content, payload)
			}
		}}
}

func readTwits(c *client, w *world) (facts, error) {
	found := facts{}
	for _, name := range c.everyone() {
		err := w.pages(`query($u:String!,$after:String){user(username:$u){c:twits(first:100,after:$after){edges{node{id content}} pageInfo{hasNextPage endCursor}}}}`,
			map[string]any{"u": name}, []string{"user", "c"}, func(edge any) {
				content := text(edge, "node", "content")
				found.add("twit "+content, name)
				c.ids[content] = text(edge, "node", "id")
			})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Comments.

func actComment(c *client) *op {
	mine := c.known("comment")
	if content, some := c.one(mine); some && c.rand.IntN(100) < 20+len(mine) {
		return &op{name: "deleteComment", input: map[string]any{"id": c.ids[content]}, makes: map[string]string{"comment " + content: ""}}
	}
	// Others comment on the star's, too.
	who, content, twit := c.actor(), c.fresh("comment"), c.w.star
	if on, some := c.one(c.known("twit")); some && c.rand.IntN(2) == 0 {
		who, twit = c.name, c.ids[on]
		c.ends("comment "+content, "twit "+on)
	}
	c.ends("comment "+content, "user "+who)
	input := map[string]any{"twitId": twit, "content": content}
	again := c.rand.IntN(2) == 0
	if again {
		input["idempotencyKey"] = content
	}
	return &op{name: "addComment", as: who, input: input, selection: "comment{id}", again: again, accepts: []string{"NOT_FOUND"}, // a twit for followers, say
		makes: map[string]string{"comment " + content: "1"}, done: func(payload any) { c.ids[content] = text(payload, "comment", "id") }}
}

func readComments(c *client, w *world) (facts, error) {
	found := facts{}
	twits := []string{w.star}
	for _, content := range c.known("twit") {
		twits = append(twits, c.ids[content])
	}
	for _, id := range twits {
		err := w.pages(`query($id:ID!,$after:String){twit(id:$id){c:comments(first:100,after:$after){edges{node{id content author{username}}} pageInfo{hasNextPage endCursor}}}}`,
			map[string]any{"id": id}, []string{"twit", "c"}, func(edge any) {
				content := text(edge, "node", "content")
				if _, mine := c.facts["comment "+content]; mine || id != w.star {
					found.add("comment "+content, "1")
					c.ids[content] = text(edge, "node", "id")
				}
			})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Roles and who has them.

func actRole(c *client) *op {
	mine := c.known("role")
	code, some := c.one(mine)
	switch n := c.rand.IntN(20); {
	case n < 2 && len(mine) < 4 || !some:
		code = c.fresh("role")
		return &op{name: "createRole", input: map[string]any{"code": code, "name": "R", "department": "top", "idempotencyKey": code}, again: true,
			makes: map[string]string{"role " + code: "R top"}}
	case n < 4:
		shown := c.fresh("name")
		return &op{name: "updateRole", input: map[string]any{"code": code, "name": shown, "department": nil}, again: true,
			makes: map[string]string{"role " + code: shown + " "}}
	case n < 5:
		return &op{name: "deleteRole", input: map[string]any{"code": code}, makes: c.ending("role " + code)}
	}
	who := c.actor()
	fact := "has " + who + " " + code
	input := map[string]any{"username": who, "role": code}
	if is, _ := c.is(fact); is != "" {
		return &op{name: "revokeRole", input: input, again: true, makes: map[string]string{fact: ""}}
	}
	c.ends(fact, "user "+who)
	c.ends(fact, "role "+code)
	return &op{name: "assignRole", input: input, again: true, makes: map[string]string{fact: "1"}}
}

func readRoles(c *client, w *world) (facts, error) {
	found := facts{}
	for _, code := range c.mentioned("role") {
		data, err := w.see("query($r:String!){role(code:$r){name department{code}}}", map[string]any{"r": code})
		if err != nil {
			return nil, err
		}
		if dig(data, "role") != nil {
			found.add("role "+code, text(data, "role", "name")+" "+text(data, "role", "department", "code"))
		}
	}
	for _, name := range c.everyone() {
		err := w.pages(`query($u:String!,$after:String){user(username:$u){c:roles(first:100,after:$after){edges{node{code}} pageInfo{hasNextPage endCursor}}}}`,
			map[string]any{"u": name}, []string{"user", "c"}, func(edge any) { found.add("has "+name+" "+text(edge, "node", "code"), "1") })
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Games and plays.

func actGame(c *client) *op {
	mine := c.known("game")
	code, some := c.one(append(mine, "go"))
	switch n := c.rand.IntN(20); {
	case n < 2 && len(mine) < 4:
		code = c.fresh("game")
		return &op{name: "createGame", input: map[string]any{"code": code, "name": "G", "idempotencyKey": code}, again: true,
			makes: map[string]string{"game " + code: "G"}}
	case n < 4 && some && code != "go":
		shown := c.fresh("name")
		return &op{name: "updateGame", input: map[string]any{"code": code, "name": shown}, again: true, makes: map[string]string{"game " + code: shown}}
	case n < 5 && some && code != "go":
		return &op{name: "deleteGame", input: map[string]any{"code": code}, makes: c.ending("game " + code)}
	}
	who, count := c.actor(), 1+c.rand.IntN(3)
	fact := "played " + who + " " + code
	value, _ := c.is(fact)
	sum, _ := strconv.Atoi(value)
	input := map[string]any{"game": code, "count": count, "day": fmt.Sprintf("2020-01-%02d", 1+c.rand.IntN(3))}
	again := c.rand.IntN(2) == 0
	if again {
		input["idempotencyKey"] = c.fresh("key")
	}
	c.ends(fact, "user "+who)
	c.ends(fact, "game "+code)
	return &op{name: "recordPlay", as: who, input: input, again: again, makes: map[string]string{fact: strconv.Itoa(sum + count)}}
}

func readGames(c *client, w *world) (facts, error) {
	found := facts{}
	for _, code := range c.mentioned("game") {
		data, err := w.see("query($g:String!){game(code:$g){name}}", map[string]any{"g": code})
		if err != nil {
			return nil, err
		}
		if dig(data, "game") != nil {
			found.add("game "+code, text(data, "game", "name"))
		}
	}
	for _, name := range c.everyone() {
		err := w.pages(`query($u:String!,$after:String){user(username:$u){c:games(first:100,after:$after){edges{count node{code}} pageInfo{hasNextPage endCursor}}}}`,
			map[string]any{"u": name}, []string{"user", "c"}, func(edge any) {
				found.add("played "+name+" "+text(edge, "node", "code"), fmt.Sprint(dig(edge, "count")))
			})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
