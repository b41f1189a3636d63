package main

import (
	"embed"
	"encoding/json"
	"maps"
	"slices"

	"twibase/graph/relay"
	"twibase/hbase/tables"
)

//go:embed queries
var queryFiles embed.FS

type query struct {
	name, text string
	ids        []string
	viewer     string // empty: anonymous
	hand       func(b []byte, a arguments) []byte
}

func (w *dataset) queries() []*query {
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
			panic(err)
		}
		q.text = string(text)
	}
	return all
}

func (w *dataset) ids(n int) []string {
	var all []string
	roles, departments := slices.Sorted(maps.Keys(w.role)), slices.Sorted(maps.Keys(w.department))
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

func (q *query) body() []byte {
	request := map[string]any{"query": q.text}
	if q.ids != nil {
		request["variables"] = map[string]any{"ids": q.ids}
	}
	body, err := json.Marshal(request)
	if err != nil {
		panic(err)
	}
	return body
}

func (q *query) response() []byte {
	return append(q.hand([]byte(`{"data":`), arguments{q.ids, q.viewer}), '}')
}

type program map[string]*query

func (w *dataset) program() program {
	p := program{}
	for _, q := range w.queries() {
		p[q.text] = q
	}
	return p
}

func (p program) respond(b, body []byte, viewer string) []byte {
	var request struct {
		Query     string
		Variables struct{ IDs []string }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		panic(err)
	}
	q := p[request.Query]
	return append(q.hand(append(b, `{"data":`...), arguments{request.Variables.IDs, viewer}), '}')
}
