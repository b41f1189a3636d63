package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"twibase/graph/apierr"
	"twibase/graph/explain"
	"twibase/graph/limits"
)

// attack is a request that asks for too much, or for nothing that makes sense.
type attack struct {
	name string
	body string
	code apierr.Code // of the error
	says string      // how its message begins
	// header, if any, is what the request has with the value 1.
	header string
	// raw tells that a WebSocket may be closed for it: it is no message, or a longer one than is read.
	raw bool
}

// headers are those that the attack has beside the usual ones.
func (a attack) headers() http.Header {
	h := http.Header{}
	if a.header != "" {
		h.Set(a.header, "1")
	}
	return h
}

// over is a document that exceeds a limit, and none of those that are looked at before.
func over(limit limits.Limit, name, query string) attack {
	return attack{name: name, body: asBody(query, nil), code: apierr.CodeLimitExceeded, says: limits.Known[limit].What + " is limited to"}
}

// wrong is a document within the limits that is refused for something else.
func wrong(says, name, query string) attack {
	return attack{name: name, body: asBody(query, nil), code: apierr.CodeBadUserInput, says: says}
}

func (a attack) with(variables any) attack {
	var of struct{ Query string }
	if err := json.Unmarshal([]byte(a.body), &of); err != nil {
		panic(err)
	}
	a.body = asBody(of.Query, variables)
	return a
}

// attacks are known ways to make a GraphQL server work.
func attacks() []attack {
	return slices.Concat(coarse(), within(), valid(), values(), pages(), bodies(), plans())
}

var rep = strings.Repeat

// coarse are documents that are refused before they are parsed.
func coarse() (all []attack) {
	for _, filler := range []string{"{", ",", "#", "#\n", `"\u0041" `, `""" \""" """ `} {
		all = append(all, over(limits.Bytes, fmt.Sprintf("a megabyte of %q", filler), rep(filler, (1<<20-100)/len(mustJSON(filler)))))
	}
	return append(all,
		over(limits.Bytes, "10,000 aliases", "{"+numbered(10_000, "a%d:__typename ")+"}"),
		over(limits.Bytes, "10,000 directives on a field", "{__typename"+rep(" @skip(if:false)", 10_000)+"}"),
		over(limits.Bytes, "10,000 operations", numbered(10_000, "query Q%d{__typename} ")),
		over(limits.Bytes, "10,000 variables", "query("+numbered(10_000, "$v%d:Int ")+"){__typename}"),
		over(limits.Tokens, "a chain of 1,000 fragments, each of which spreads the next twice", chain(1000)),
		over(limits.Tokens, "9,000 unknown directives", "{__typename"+rep(" @x", 9_000)+"}"),
		over(limits.Tokens, "fields 10,000 deep", rep("{a", 10_000)+rep("}", 10_000)),
		over(limits.Tokens, "inline fragments 10,000 deep", rep("{...", 10_000)+"{a}"+rep("}", 10_000)),
		over(limits.Tokens, "lists in values 10,000 deep", "{node(id:"+rep("[", 10_000)+rep("]", 10_000)+"){id}}"),
		over(limits.Tokens, "lists in types 10,000 deep", "query($a:"+rep("[", 10_000)+"Int"+rep("]", 10_000)+"){__typename}"),
		over(limits.Tokens, "10,000 ids", `{nodes(ids:[`+rep(`"x",`, 10_000)+`]){id}}`),
		over(limits.Name, "a name of 10,000 bytes", "{"+rep("x", 10_000)+"}"),
		over(limits.Depth, "9,990 brackets", rep("{", 9_990)),
		over(limits.Depth, "fields 3,300 deep", rep("{a", 3300)+rep("}", 3300)),
		over(limits.Depth, "fields 400 deep", `{user(username:"u")`+rep("{followers{nodes", 200)+"{name}"+rep("}}", 200)+"}"),
		over(limits.Depth, "inline fragments 3,300 deep", rep("{...", 3300)+"{a}"+rep("}", 3300)),
		over(limits.Depth, "lists in values 4,990 deep", "{node(id:"+rep("[", 4990)+rep("]", 4990)+"){id}}"),
		over(limits.Depth, "lists in types 4,990 deep", "query($a:"+rep("[", 4990)+"Int"+rep("]", 4990)+"){__typename}"),
		over(limits.Depth, "an introspection of ofType × 1,000", `{__schema{types`+rep("{ofType", 1000)+"{name}"+rep("}", 1000)+"}}"),
		wrong("The document is empty", "65,000 commas", rep(",", 65_000)),
		wrong("The document is empty", "a comment of 65,000 bytes", rep("#", 65_000)),
		wrong("The document is empty", "9,990 comments", rep("#\n", 9_990)),
		wrong("Unexpected String", "7,000 strings", rep(`"\u0041" `, 7_000)),
		wrong("Unexpected BlockString", "4,600 block strings", rep(`""" \""" """ `, 4_600)),
	)
}

// within are documents that are within all that is measured before they are parsed, some only just.
func within() []attack {
	return []attack{
		over(limits.Fragments, "a chain of 990 fragments, each of which spreads the next twice", chain(990)),
		over(limits.Fragments, "a chain of 100 fragments, each of which spreads the next twice", chain(100)),
		over(limits.Fields, "a chain of 99 fragments, each of which spreads the next twice", chain(99)),
		over(limits.Fields, "a chain of 10 fragments, each of which spreads the next twice", chain(10)),
		over(limits.Operations, "1,990 operations", numbered(1990, "query Q%d{__typename} ")),
		over(limits.Variables, "2,490 variables", "query("+numbered(2490, "$v%d:Int ")+"){__typename}"),
		over(limits.RootFields, "9,990 root fields", "{"+rep("a ", 9_990)+"}"),
		over(limits.RootFields, "a field of the longest query 999 times", "{"+rep("hello ", 999)+"}"),
		over(limits.Fields, "9,990 fields", `{user(username:"u"){`+rep("id ", 9_980)+"}}"),
		over(limits.Fields, "60 fragments with the same nested fields", merged(60, 8, "")),
		over(limits.Fields, "60 fragments with conflicting arguments", merged(60, 8, "first:%d")),
		over(limits.Path, "a path of 23 aliases of 120 bytes", `{user(username:"u"){`+rep(rep("x", 120)+":followers{nodes{", 23)+"name"+rep("}}", 23)+"}}"),
		over(limits.Aliases, "998 aliases", `{user(username:"u"){`+numbered(998, "a%d:name ")+"}}"),
		over(limits.PlaceDirectives, "4,990 directives on a field", "{__typename"+rep(" @x", 4990)+"}"),
		over(limits.Directives, "a directive on each of 998 fields", `{user(username:"u"){`+rep("name@x ", 998)+"}}"),
		over(limits.List, "9,980 ids", `{nodes(ids:[`+rep(`"x",`, 9980)+`]){id}}`),
		over(limits.Visits, "199 fields in the last of 98 fragments, each of which spreads the next", spread(98, rep("name ", 199))),
		over(limits.Visits, "9,000 values in the last of two fragments", spread(1, "isFollowing(username:["+rep("["+rep("1 ", 98)+"]", 90)+"])")),
		wrong("a fragment spreads itself", "a fragment that spreads itself", `{...A} fragment A on Query{...A}`),
		wrong("a fragment spreads itself", "fragments that spread each other", `{...A} fragment A on Query{...B ...B} fragment B on Query{...A ...A}`),
		wrong("there is more than one fragment of a name", "a chain of fragments, and others with their names", chain(40)+numbered(41, " fragment F%d on Query{__typename}")),
	}
}

// valid are documents within the limits, at the cost of their validation.
func valid() []attack {
	const conflict = `Fields "isFollowing" conflict because they have differing arguments.`
	user := func(fields string) string { return `{user(username:"u"){` + fields + "}}" }
	inline := func(fields string) string { return rep("...{", 46) + fields + rep("}", 46) }
	asked := func(n int) string { return numbered(n, `isFollowing(username:"%d")`) }
	return []attack{
		wrong(`Fragment "A" is never used.`, "999 fields that conflict in an unused fragment", `{__typename} fragment A on User{`+asked(999)+"}"),
		wrong(`Fragment "A" is never used.`, "999 fields that conflict under 46 inline fragments of an unused one", `{__typename} fragment A on User{`+inline(asked(999))+"}"),
		wrong(`Fragment "F0" is never used.`, "9 unused fragments with a field 999 times", "{__typename}"+numbered(9, " fragment F%d on User{"+rep("name ", 999)+"}")),
		wrong(conflict, "99 fields that conflict under 46 inline fragments", user(inline(asked(99)))),
		wrong(conflict, "998 fields that conflict under 46 inline fragments", user(inline(asked(998)))),
		wrong(`Fields "followers" conflict because they have differing arguments.`, "58 fragments with conflicting arguments", merged(58, 8, "first:%d")),
		wrong(`Fields "name" conflict because they return conflicting types`, "58 fragments with the same nested fields, but for the last",
			strings.TrimSuffix(merged(58, 8, ""), "{name}"+rep("}}", 8))+"{name:username}"+rep("}}", 8)),
		wrong("Cannot query field", "998 unknown fields", user(rep("x ", 998))),
		wrong("Cannot query field", "49 unknown fields in the last of 98 fragments, each of which spreads the next", spread(98, rep("x ", 49))),
		wrong("Variable \"$v\" is not defined.", "990 unknown variables", user(rep("isFollowing(username:$v)", 990))),
		wrong("Variable \"$v99\" of type \"Int\" used in position", "990 variables of the wrong type", "query("+numbered(100, "$v%d:Int ")+")"+user(rep("isFollowing(username:$v99)", 990))),
		wrong("Unknown directive", "100 unknown directives", user(rep("name@x ", 100))),
		wrong("Maximum introspection depth exceeded", "an introspection that goes round", `{__schema{types`+rep("{fields{type", 10)+"{name}"+rep("}}", 10)+"}}"),
		wrong("Cannot query field", "40 errors", "{"+rep("x ", 40)+"}"),
		wrong("Cannot query field", "a name of 128 bytes", "{"+rep("x", 128)+"}"),
	}
}

// values are variables.
func values() []attack {
	return []attack{
		over(limits.VariableBytes, "values of unknown variables, a megabyte", `{__typename}`).with(map[string]any{"x": rep("x", 1<<20-100)}),
		over(limits.VariableBytes, "values of unknown variables, 65,537 bytes", `{__typename}`).with(map[string]any{"x": rep("x", 39_000), "y": rep("y", 26_535)}),
		over(limits.List, "10,000 values in a variable", `{__typename}`).with(map[string]any{"x": make([]int, 10_000)}),
		over(limits.List, "101 values in a variable", `{__typename}`).with(map[string]any{"x": make([]int, 101)}),
		over(limits.Number, "a number of 10,000 digits", `{__typename}`).with(map[string]any{"x": json.Number("1" + rep("0", 10_000))}),
		over(limits.Depth, "51 lists in a variable", `{__typename}`).with(map[string]any{"x": json.RawMessage(rep("[", 51) + rep("]", 51))}),
	}
}

// pages are documents that are valid.
func pages() []attack {
	long := func(what, name, query string) attack {
		return attack{name: name, body: asBody(query, nil), code: apierr.CodeLimitExceeded, says: what + " is limited to"}
	}
	const atLeast = "first and last are at least 1"
	all := []attack{
		long("a page's number of entries", "a page of 2147483647", `{user(username:"u"){followers(first:2147483647){nodes{name}}}}`),
		{name: "an id of 10,000 bytes", body: asBody(`{node(id:"`+rep("x", 10_000)+`"){id}}`, nil), code: apierr.CodeLimitExceeded, says: "expected a value of the type ID!"},
		long("a cursor's length in bytes", "a cursor of 10,000 bytes", `{user(username:"u"){followers(after:"`+rep("x", 10_000)+`"){nodes{name}}}}`),
		wrong(atLeast, "a page of 0", `{user(username:"u"){followers(first:0){nodes{name}}}}`),
		wrong(atLeast, "a page of -1", `{user(username:"u"){followers(first:-1){nodes{name}}}}`),
		over(limits.Rows, "pages of 100 in pages of 100 in pages of 100", `{user(username:"u"){followers(first:100){nodes{followers(first:100){nodes{followers(first:100){nodes{name}}}}}}}}`),
		over(limits.Objects, "the same of keys alone", `{user(username:"u"){followers(first:100){nodes{followers(first:100){nodes{followers(first:100){nodes{username}}}}}}}}`),
		over(limits.Resolved, "a question about each of 100 in 100 under 199 names", `{user(username:"u"){followers(first:100){nodes{followers(first:100){nodes{`+
			numbered(199, "a%d:viewerFollows ")+`}}}}}}`),
	}
	for name, cursor := range map[string]string{"no base64": "%%%", "nothing": "", "of nothing": base64.StdEncoding.EncodeToString([]byte("x")), "with a zero byte": "AAAA"} {
		all = append(all, wrong("the cursor is not one of this list", "a cursor that is "+name, `{user(username:"u"){followers(after:"`+cursor+`"){nodes{name}}}}`))
	}
	return all
}

// bodies are of no use, or longer than what is read.
func bodies() []attack {
	const notOne = "the body is not the JSON object of a GraphQL request"
	return []attack{
		{name: "JSON 100,000 deep", body: `{"query":"{__typename}","variables":{"a":` + rep("[", 100_000) + rep("]", 100_000) + `}}`, code: apierr.CodeBadUserInput, says: notOne, raw: true},
		{name: "JSON with a key twice, the last of another type", body: `{"query":"{__typename}","query":{}}`, code: apierr.CodeBadUserInput, says: notOne, raw: true},
		{name: "a body over its limit", body: `{"query":"{__typename}","variables":{"a":"` + rep("x", 2<<20) + `"}}`, code: apierr.CodeLimitExceeded, says: "a request's body is limited to", raw: true},
		{name: "a field 100,000 times", body: asBody("{"+rep("__typename ", 100_000)+"}", nil), code: apierr.CodeLimitExceeded, says: "a request's body is limited to", raw: true},
	}
}

// plans are longer than a plan may be.
func plans() (all []attack) {
	for name, query := range map[string]string{
		"64 levels of each of 199 questions": `{department(code:"x"){` + numbered(199, "a%d:ancestors{code} ") + `}}`,
		"a name of 128 bytes, and what is below": `{` + rep("x", 128) + `:user(username:"u"){` +
			numbered(190, `a%d:followers(first:1){nodes{followerCount hasRole(code:"x") viewerFollows}} `) + `}}`,
	} {
		a := over(limits.Plan, "the plan of "+name, query)
		a.says, a.header = "the plan in bytes is limited to", explain.Header
		all = append(all, a)
	}
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

// spread spreads n fragments in a row, the last of which has the fields.
func spread(n int, fields string) string {
	var b strings.Builder
	b.WriteString(`{user(username:"u"){...F0}}`)
	for i := range n {
		fmt.Fprintf(&b, " fragment F%d on User{...F%d}", i, i+1)
	}
	fmt.Fprintf(&b, " fragment F%d on User{%s}", n, fields)
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
