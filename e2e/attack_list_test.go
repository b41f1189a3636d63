package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"twibase/graph/explain"
)

// attack is a request that asks for too much, or for nothing that makes sense.
type attack struct {
	name string
	body string
	code string // of the error
	// header, if any, is what the request has with the value 1.
	header string
}

// headers are those that the attack has beside the usual ones.
func (a attack) headers() http.Header {
	h := http.Header{}
	if a.header != "" {
		h.Set(a.header, "1")
	}
	return h
}

// attacks are known ways to make a GraphQL server work.
func attacks() (all []attack) {
	add := func(code, name, query string) {
		all = append(all, attack{name: name, body: asBody(query, nil), code: code})
	}
	with := func(code, name, query string, variables any) {
		all = append(all, attack{name: name, body: asBody(query, variables), code: code})
	}
	raw := func(code, name, body string) { all = append(all, attack{name: name, body: body, code: code}) }
	const limit, bad = "LIMIT_EXCEEDED", "BAD_USER_INPUT"
	rep := strings.Repeat

	for _, n := range []int{10, 20, 100, 1000} {
		add(limit, fmt.Sprintf("a chain of %d fragments, each of which spreads the next twice", n), chain(n))
	}
	add(bad, "a fragment that spreads itself", `{...A} fragment A on Query{...A}`)
	add(bad, "fragments that spread each other", `{...A} fragment A on Query{...B ...B} fragment B on Query{...A ...A}`)
	add(limit, "a field 4,000 times", "{"+rep("__typename ", 4000)+"}")
	add(limit, "a field 100,000 times", "{"+rep("__typename ", 100_000)+"}")
	add(limit, "a field of the longest query 999 times", "{"+rep("hello ", 999)+"}")
	add(limit, "fragments with the same nested fields", merged(60, 8, ""))
	add(limit, "fragments with conflicting arguments", merged(60, 8, "first:%d"))
	add(limit, "10,000 aliases", "{"+numbered(10_000, "a%d:__typename ")+"}")
	add(limit, "10,000 directives on a field", "{__typename"+rep(" @skip(if:false)", 10_000)+"}")
	add(limit, "10,000 unknown directives", "{__typename"+rep(" @x", 9_000)+"}")
	add(limit, "fields 10,000 deep", rep("{a", 10_000)+rep("}", 10_000))
	add(limit, "fields 400 deep", `{user(username:"u")`+rep("{followers{nodes", 200)+"{name}"+rep("}}", 200)+"}")
	add(limit, "inline fragments 10,000 deep", rep("{...", 10_000)+"{a}"+rep("}", 10_000))
	add(limit, "lists in values 10,000 deep", "{node(id:"+rep("[", 10_000)+rep("]", 10_000)+"){id}}")
	add(limit, "lists in types 10,000 deep", "query($a:"+rep("[", 10_000)+"Int"+rep("]", 10_000)+"){__typename}")
	for _, filler := range []string{"{", ",", "#", "#\n", `"\u0041" `, `""" \""" """ `} {
		add(limit, fmt.Sprintf("a megabyte of %q", filler), rep(filler, (1<<20-100)/len(mustJSON(filler))))
	}
	add(limit, "10,000 operations", numbered(10_000, "query Q%d{__typename} "))
	add(limit, "10,000 variables", "query("+numbered(10_000, "$v%d:Int ")+"){__typename}")
	with(limit, "values of unknown variables, a megabyte", `{__typename}`, map[string]any{"x": rep("x", 1<<20-100)})
	with(limit, "lists in variables", `{__typename}`, map[string]any{"x": make([]int, 10_000)})
	raw(bad, "JSON 100,000 deep", `{"query":"{__typename}","variables":{"a":`+rep("[", 100_000)+rep("]", 100_000)+`}}`)
	raw(limit, "a body over its limit", `{"query":"{__typename}","variables":{"a":"`+rep("x", 2<<20)+`"}}`)
	raw(bad, "JSON with a key twice, the last of another type", `{"query":"{__typename}","query":{}}`)
	raw(limit, "a number of 10,000 digits", `{"query":"{__typename}","variables":{"a":1`+rep("0", 10_000)+`}}`)
	add(limit, "an introspection of ofType × 1,000", `{__schema{types`+rep("{ofType", 1000)+"{name}"+rep("}", 1000)+"}}")
	add(bad, "an introspection that goes round", `{__schema{types`+rep("{fields{type", 10)+"{name}"+rep("}}", 10)+"}}")
	add(limit, "a page of 2147483647", `{user(username:"u"){followers(first:2147483647){nodes{name}}}}`)
	add(bad, "a page of 0", `{user(username:"u"){followers(first:0){nodes{name}}}}`)
	add(bad, "a page of -1", `{user(username:"u"){followers(first:-1){nodes{name}}}}`)
	add(limit, "pages of 100 in pages of 100 in pages of 100", `{user(username:"u"){followers(first:100){nodes{followers(first:100){nodes{followers(first:100){nodes{name}}}}}}}}`)
	add(limit, "the same of keys alone", `{user(username:"u"){followers(first:100){nodes{followers(first:100){nodes{followers(first:100){nodes{username}}}}}}}}`)
	add(limit, "a question about each of 100 in 100 under 199 names", `{user(username:"u"){followers(first:100){nodes{followers(first:100){nodes{`+
		numbered(199, "a%d:viewerFollows ")+`}}}}}}`)
	add(limit, "10,000 ids", `{nodes(ids:[`+rep(`"x",`, 10_000)+`]){id}}`)
	add(limit, "an id of 10,000 bytes", `{node(id:"`+rep("x", 10_000)+`"){id}}`)
	for name, cursor := range map[string]string{"no base64": "%%%", "nothing": "", "of nothing": base64.StdEncoding.EncodeToString([]byte("x")),
		"with a zero byte": "AAAA", "of 10,000 bytes": rep("x", 10_000)} {
		code := bad
		if len(cursor) > 512 {
			code = limit
		}
		add(code, "a cursor that is "+name, `{user(username:"u"){followers(after:"`+cursor+`"){nodes{name}}}}`)
	}
	for name, query := range map[string]string{
		"64 levels of each of 199 questions": `{department(code:"x"){` + numbered(199, "a%d:ancestors{code} ") + `}}`,
		"a name of 128 bytes, and what is below": `{` + rep("x", 128) + `:user(username:"u"){` +
			numbered(190, `a%d:followers(first:1){nodes{followerCount hasRole(code:"x") viewerFollows}} `) + `}}`,
	} {
		all = append(all, attack{name: "the plan of " + name, body: asBody(query, nil), code: limit, header: explain.Header})
	}
	add(bad, "40 errors", "{"+rep("x ", 40)+"}")
	add(limit, "a name of 10,000 bytes", "{"+rep("x", 10_000)+"}")
	return all
}

// chain is a short query for 2ⁿ fields.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("{...F0}")
	for i := range n {
		fmt.Fprintf(&b, " fragment F%d on Query{...F%d ...F%d}", i, i+1, i+1)
	}
	fmt.Fprintf(&b, " fragment F%d on Query{__typename}", n)
	return b.String()
}

// merged spreads n fragments, in each of which the same fields nest.
func merged(n, depth int, argument string) string {
	var b strings.Builder
	b.WriteString(`{user(username:"u"){` + numbered(n, "...F%d ") + "}}")
	for i := range n {
		fmt.Fprintf(&b, " fragment F%d on User", i)
		for range depth {
			b.WriteString("{followers")
			if argument != "" {
				fmt.Fprintf(&b, "("+argument+")", i)
			}
			b.WriteString("{nodes")
		}
		b.WriteString("{name}" + strings.Repeat("}}", depth))
	}
	return b.String()
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func asBody(query string, variables any) string {
	return mustJSON(map[string]any{"query": query, "variables": variables})
}

func mustJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
