package main

import (
	"embed"
	"encoding/json"
	"slices"

	"twibase/graph/relay"
	"twibase/hbase/tables"
)

//go:embed queries
var queryFiles embed.FS

// query is what is asked, and the program that was written for it.
type query struct {
	name, text string
	ids        []string // the variable, if there is one
	viewer     string   // empty: a stranger
	hand       func(b []byte, a asked) []byte
}

// queries returns the published queries, the reference query first.
func (w *world) queries() []*query {
	h := handwritten{w}
	all := []*query{
		{name: "reference", hand: h.reference},
		{name: "1-deep", hand: h.deep},
		{name: "2-wide", hand: h.wide},
		{name: "3-aliases", hand: h.aliases},
		{name: "4-node", hand: h.nodes, ids: w.ids(25)},
		{name: "5-ids", hand: h.ids},
		{name: "6-comments", hand: h.seen, viewer: username(42)},
		{name: "7-subtree", hand: h.subtree},
		{name: "8-page", hand: h.page},
		{name: "9-twits", hand: h.posts},
		{name: "10-one", hand: h.one},
	}
	for _, q := range all {
		text, err := queryFiles.ReadFile("queries/" + q.name + ".graphql")
		if err != nil {
			panic(err) // it was not built in
		}
		q.text = string(text)
	}
	return all
}

// ids returns n global ids of each of four nouns, in turns.
func (w *world) ids(n int) []string {
	var all []string
	roles, departments := sortedKeys(w.role), sortedKeys(w.department)
	for i := range n {
		for _, id := range []tables.ID{
			w.users[i].ID(), w.twits[username(i*7)].nodes[i%twitCount].ID(),
			w.role[roles[i*3]].ID(), w.department[departments[i*5]].ID(),
		} {
			text := relay.AppendID(nil, id)
			all = append(all, string(text[1:len(text)-1]))
		}
	}
	return all
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// body returns the body of the request.
func (q *query) body() []byte {
	request := map[string]any{"query": q.text}
	if q.ids != nil {
		request["variables"] = map[string]any{"ids": q.ids}
	}
	body, err := json.Marshal(request)
	if err != nil {
		panic(err) // it is made of strings
	}
	return body
}

// answer returns the body of the answer that the query must have.
func (q *query) answer() []byte {
	return append(q.hand([]byte(`{"data":`), asked{q.ids, q.viewer}), '}')
}

// program answers the queries, each by what was written for it.
type program map[string]*query

func (w *world) program() program {
	p := program{}
	for _, q := range w.queries() {
		p[q.text] = q
	}
	return p
}

// answer appends the body of the answer to the body of a request.
func (p program) answer(b, body []byte, viewer string) []byte {
	var request struct {
		Query     string
		Variables struct{ IDs []string }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		panic(err) // it was made here
	}
	q := p[request.Query]
	return append(q.hand(append(b, `{"data":`...), asked{request.Variables.IDs, viewer}), '}')
}
