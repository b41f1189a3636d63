//go:build linux

package kill

import (
	"fmt"
	"strconv"
)

type noun struct {
	name  string
	kinds []string
	// mutate may return nil.
	mutate func(c *client) *mutation
	read   func(c *client) (facts, error)
}

// nouns are compared in this order: readers may rely on facts of earlier nouns.
var nouns = []noun{
	{"user", []string{"user"}, mutateUser, readUsers},
	{"follow", []string{"follow"}, mutateFollow, readFollows},
	{"twit", []string{"twit"}, mutateTwit, readTwits},
	{"comment", []string{"comment"}, mutateComment, readComments},
	{"role", []string{"role", "has"}, mutateRole, readRoles},
	{"game", []string{"game", "played"}, mutateGame, readGames},
	{"department", []string{"department"}, mutateDepartment, readDepartments},
	{"timeline", []string{"timeline"}, mutateTimeline, readTimelines},
}

type facts map[string]string

// A fact that is read twice differs from every expected value.
func (f facts) add(fact, value string) {
	if first, found := f[fact]; found {
		value = first + ", and again " + value
	}
	f[fact] = value
}

func mutateUser(c *client) *mutation {
	existing := c.existing("user")
	username, found := c.pick(existing)
	switch n := c.rand.IntN(20); {
	case n < 1 && len(existing) < 4:
		username = c.newName("new")
		return &mutation{name: "signUp", viewer: c.name, retryable: true, allowedErrors: []string{"LIMIT_EXCEEDED"},
			input:   map[string]any{"username": username, "name": "A", "password": "correct horse", "idempotencyKey": username},
			effects: map[string]string{"user " + username: "A"}}
	case n < 6 && len(existing) < 4:
		username, key := c.newName("made"), c.newName("key")
		return &mutation{name: "createUser", retryable: true,
			input:   map[string]any{"username": username, "name": "B", "idempotencyKey": key},
			effects: map[string]string{"user " + username: "B"}}
	case n < 14 && found:
		name := c.newName("name")
		return &mutation{name: "updateUser", input: map[string]any{"username": username, "name": name}, retryable: true,
			effects: map[string]string{"user " + username: name}}
	case found && len(existing) > 1:
		return &mutation{name: "deleteUser", input: map[string]any{"username": username},
			effects: c.deletion("user " + username)}
	}
	return nil
}

func readUsers(c *client) (facts, error) {
	found := facts{}
	for _, username := range c.possible("user") {
		user, err := c.f.object(fmt.Sprintf("user(username:%q){name}", username))
		if err != nil {
			return nil, err
		}
		if user != nil {
			found.add("user "+username, text(user, "name"))
		}
	}
	return found, nil
}

func (c *client) readLists(field, selection string, each func(username string, edge any)) error {
	for _, username := range c.users() {
		user := fmt.Sprintf("user(username:%q)", username)
		if err := c.f.eachEdge(user, field, selection, func(edge any) { each(username, edge) }); err != nil {
			return err
		}
	}
	return nil
}

func mutateFollow(c *client) *mutation {
	from, to := c.user(), c.user()
	if from == to {
		return nil
	}
	value, _ := c.value("follow " + from + " " + to)
	if value == "" || c.rand.IntN(2) == 0 {
		return follow(c, from, to)
	}
	return unfollow(from, to)
}

func follow(c *client, from, to string) *mutation {
	fact := "follow " + from + " " + to
	c.dependsOn(fact, "user "+from)
	c.dependsOn(fact, "user "+to)
	return &mutation{name: "follow", viewer: from, input: map[string]any{"username": to}, retryable: true,
		effects: map[string]string{fact: "1"}}
}

func unfollow(from, to string) *mutation {
	return &mutation{name: "unfollow", viewer: from, input: map[string]any{"username": to}, retryable: true,
		effects: map[string]string{"follow " + from + " " + to: ""}}
}

func readFollows(c *client) (facts, error) {
	found := facts{}
	return found, c.readLists("following", "node{username}", func(username string, edge any) {
		found.add("follow "+username+" "+text(edge, "node", "username"), "1")
	})
}

func mutateTwit(c *client) *mutation {
	existing := c.existing("twit")
	if content, found := c.pick(existing); found && c.rand.IntN(100) < 20+len(existing) {
		return &mutation{name: "deleteTwit", input: map[string]any{"id": c.ids[content]},
			effects: c.deletion("twit " + content)}
	}
	return postTwit(c, c.user())
}

func postTwit(c *client, author string) *mutation {
	content := c.newName("twit")
	input := map[string]any{"content": content}
	if c.rand.IntN(3) == 0 {
		input["photoUrls"] = []string{"https://example.org/1.jpg"}
	}
	if c.rand.IntN(3) == 0 {
		input["visibility"] = "FOLLOWERS"
	}
	retryable := c.rand.IntN(2) == 0
	if retryable {
		input["idempotencyKey"] = content
	}
	c.dependsOn("twit "+content, "user "+author)
	return &mutation{name: "postTwit", viewer: author, input: input, selection: "twit{id content}", retryable: retryable,
		effects: map[string]string{"twit " + content: author},
		onSuccess: func(payload any) {
			if c.ids[content] = text(payload, "twit", "id"); text(payload, "twit", "content") != content {
				c.f.errorf("the payload of postTwit %s has %v", content, payload)
			}
		}}
}

func readTwits(c *client) (facts, error) {
	found := facts{}
	return found, c.readLists("twits", "node{id content}", func(username string, edge any) {
		content := text(edge, "node", "content")
		found.add("twit "+content, username)
		c.ids[content] = text(edge, "node", "id")
	})
}

func mutateComment(c *client) *mutation {
	existing := c.existing("comment")
	if content, found := c.pick(existing); found && c.rand.IntN(100) < 20+len(existing) {
		return &mutation{name: "deleteComment", input: map[string]any{"id": c.ids[content]},
			effects: map[string]string{"comment " + content: ""}}
	}
	author, content, twit := c.user(), c.newName("comment"), c.f.star
	if on, found := c.pick(c.existing("twit")); found && c.rand.IntN(2) == 0 {
		author, twit = c.name, c.ids[on]
		c.dependsOn("comment "+content, "twit "+on)
	}
	c.dependsOn("comment "+content, "user "+author)
	input := map[string]any{"twitId": twit, "content": content}
	retryable := c.rand.IntN(2) == 0
	if retryable {
		input["idempotencyKey"] = content
	}
	return &mutation{name: "addComment", viewer: author, input: input, selection: "comment{id}", retryable: retryable,
		allowedErrors: []string{"NOT_FOUND"}, // if the twit is for followers
		effects:       map[string]string{"comment " + content: "1"},
		onSuccess:     func(payload any) { c.ids[content] = text(payload, "comment", "id") }}
}

func readComments(c *client) (facts, error) {
	found := facts{}
	twits := []string{c.f.star}
	for _, content := range c.existing("twit") {
		twits = append(twits, c.ids[content])
	}
	for _, id := range twits {
		err := c.f.eachEdge(fmt.Sprintf("twit(id:%q)", id), "comments", "node{id content}", func(edge any) {
			content := text(edge, "node", "content")
			if _, own := c.facts["comment "+content]; own || id != c.f.star {
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

func mutateRole(c *client) *mutation {
	existing := c.existing("role")
	code, found := c.pick(existing)
	switch n := c.rand.IntN(20); {
	case n < 2 && len(existing) < 4 || !found:
		code = c.newName("role")
		return &mutation{name: "createRole", retryable: true,
			input:   map[string]any{"code": code, "name": "R", "department": "top", "idempotencyKey": code},
			effects: map[string]string{"role " + code: "R top"}}
	case n < 4:
		name := c.newName("name")
		return &mutation{name: "updateRole", retryable: true,
			input:   map[string]any{"code": code, "name": name, "department": nil},
			effects: map[string]string{"role " + code: name + " "}}
	case n < 5:
		return &mutation{name: "deleteRole", input: map[string]any{"code": code}, effects: c.deletion("role " + code)}
	}
	username := c.user()
	fact := "has " + username + " " + code
	input := map[string]any{"username": username, "role": code}
	if value, _ := c.value(fact); value != "" {
		return &mutation{name: "revokeRole", input: input, retryable: true, effects: map[string]string{fact: ""}}
	}
	c.dependsOn(fact, "user "+username)
	c.dependsOn(fact, "role "+code)
	return &mutation{name: "assignRole", input: input, retryable: true, effects: map[string]string{fact: "1"}}
}

func readRoles(c *client) (facts, error) {
	found := facts{}
	for _, code := range c.possible("role") {
		role, err := c.f.object(fmt.Sprintf("role(code:%q){name department{code}}", code))
		if err != nil {
			return nil, err
		}
		if role != nil {
			found.add("role "+code, text(role, "name")+" "+text(role, "department", "code"))
		}
	}
	return found, c.readLists("roles", "node{code}", func(username string, edge any) {
		found.add("has "+username+" "+text(edge, "node", "code"), "1")
	})
}

func mutateGame(c *client) *mutation {
	existing := c.existing("game")
	code, found := c.pick(append(existing, "go"))
	switch n := c.rand.IntN(20); {
	case n < 2 && len(existing) < 4:
		code = c.newName("game")
		return &mutation{name: "createGame", retryable: true,
			input:   map[string]any{"code": code, "name": "G", "idempotencyKey": code},
			effects: map[string]string{"game " + code: "G"}}
	case n < 4 && found && code != "go":
		name := c.newName("name")
		return &mutation{name: "updateGame", input: map[string]any{"code": code, "name": name}, retryable: true,
			effects: map[string]string{"game " + code: name}}
	case n < 5 && found && code != "go":
		return &mutation{name: "deleteGame", input: map[string]any{"code": code}, effects: c.deletion("game " + code)}
	}
	username, count := c.user(), 1+c.rand.IntN(3)
	fact := "played " + username + " " + code
	value, _ := c.value(fact)
	sum, _ := strconv.Atoi(value)
	input := map[string]any{"game": code, "count": count, "day": fmt.Sprintf("2020-01-%02d", 1+c.rand.IntN(3))}
	retryable := c.rand.IntN(2) == 0
	if retryable {
		input["idempotencyKey"] = c.newName("key")
	}
	c.dependsOn(fact, "user "+username)
	c.dependsOn(fact, "game "+code)
	return &mutation{name: "recordPlay", viewer: username, input: input, retryable: retryable,
		effects: map[string]string{fact: strconv.Itoa(sum + count)}}
}

func readGames(c *client) (facts, error) {
	found := facts{}
	for _, code := range c.possible("game") {
		game, err := c.f.object(fmt.Sprintf("game(code:%q){name}", code))
		if err != nil {
			return nil, err
		}
		if game != nil {
			found.add("game "+code, text(game, "name"))
		}
	}
	return found, c.readLists("games", "count node{code}", func(username string, edge any) {
		found.add("played "+username+" "+text(edge, "node", "code"), fmt.Sprint(dig(edge, "count")))
	})
}
