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

type attack struct {
	name    string
	body    string
	code    apierr.Code
	message string
	header  string
	// raw requests are no message, or too long: a WebSocket closes.
	raw bool
}

func (a attack) headers() http.Header {
	h := http.Header{}
	if a.header != "" {
		h.Set(a.header, "1")
	}
	return h
}

// exceeding exceeds limit, but no limit that is checked earlier.
func exceeding(limit limits.Limit, name, query string) attack {
	return attack{name: name, body: asBody(query, nil), code: apierr.CodeLimitExceeded, message: limits.Known[limit].What +
		" is limited to"}
}

func invalid(says, name, query string) attack {
	return attack{name: name, body: asBody(query, nil), code: apierr.CodeBadUserInput, message: says}
}

func (a attack) with(variables any) attack {
	var of struct{ Query string }
	if err := json.Unmarshal([]byte(a.body), &of); err != nil {
		panic(err)
	}
	a.body = asBody(of.Query, variables)
	return a
}

func attacks() []attack {
	return slices.Concat(unparsed(), unvalidated(), invalidDocuments(), variableValues(), largePages(), malformedBodies(),
		longPlans())
}

var rep = strings.Repeat

func unparsed() (all []attack) {
	for _, filler := range []string{"{", ",", "#", "#\n", `"\u0041" `, `""" \""" """ `} {
		text := rep(filler, (1<<20-100)/len(mustJSON(filler)))
		all = append(all, exceeding(limits.Bytes, fmt.Sprintf("a megabyte of %q", filler), text))
	}
	return append(all,
		exceeding(limits.Bytes, "10,000 aliases", "{"+numbered(10_000, "a%d:__typename ")+"}"),
		exceeding(limits.Bytes, "10,000 directives on a field", "{__typename"+rep(" @skip(if:false)", 10_000)+"}"),
		exceeding(limits.Bytes, "10,000 operations", numbered(10_000, "query Q%d{__typename} ")),
		exceeding(limits.Bytes, "10,000 variables", "query("+numbered(10_000, "$v%d:Int ")+"){__typename}"),
		exceeding(limits.Tokens, "a chain of 1,000 fragments, each of which spreads the next twice", chain(1000)),
		exceeding(limits.Tokens, "9,000 unknown directives", "{__typename"+rep(" @x", 9_000)+"}"),
		exceeding(limits.Tokens, "fields 10,000 deep", rep("{a", 10_000)+rep("}", 10_000)),
		exceeding(limits.Tokens, "inline fragments 10,000 deep", rep("{...", 10_000)+"{a}"+rep("}", 10_000)),
		exceeding(limits.Tokens, "lists in values 10,000 deep", "{node(id:"+rep("[", 10_000)+rep("]", 10_000)+"){id}}"),
		exceeding(limits.Tokens, "lists in types 10,000 deep",
			"query($a:"+rep("[", 10_000)+"Int"+rep("]", 10_000)+"){__typename}"),
		exceeding(limits.Tokens, "10,000 ids", `{nodes(ids:[`+rep(`"x",`, 10_000)+`]){id}}`),
		exceeding(limits.Name, "a name of 10,000 bytes", "{"+rep("x", 10_000)+"}"),
		exceeding(limits.Depth, "9,990 brackets", rep("{", 9_990)),
		exceeding(limits.Depth, "fields 3,300 deep", rep("{a", 3300)+rep("}", 3300)),
		exceeding(limits.Depth, "fields 400 deep",
			`{user(username:"u")`+rep("{followers{nodes", 200)+"{name}"+rep("}}", 200)+"}"),
		exceeding(limits.Depth, "inline fragments 3,300 deep", rep("{...", 3300)+"{a}"+rep("}", 3300)),
		exceeding(limits.Depth, "lists in values 4,990 deep", "{node(id:"+rep("[", 4990)+rep("]", 4990)+"){id}}"),
		exceeding(limits.Depth, "lists in types 4,990 deep", "query($a:"+rep("[", 4990)+"Int"+rep("]", 4990)+"){__typename}"),
		exceeding(limits.Depth, "an introspection of ofType × 1,000",
			`{__schema{types`+rep("{ofType", 1000)+"{name}"+rep("}", 1000)+"}}"),
		invalid("The document is empty", "65,000 commas", rep(",", 65_000)),
		invalid("The document is empty", "a comment of 65,000 bytes", rep("#", 65_000)),
		invalid("The document is empty", "9,990 comments", rep("#\n", 9_990)),
		invalid("Unexpected String", "7,000 strings", rep(`"\u0041" `, 7_000)),
		invalid("Unexpected BlockString", "4,600 block strings", rep(`""" \""" """ `, 4_600)),
	)
}

func unvalidated() []attack {
	return []attack{
		exceeding(limits.Fragments, "a chain of 990 fragments, each of which spreads the next twice", chain(990)),
		exceeding(limits.Fragments, "a chain of 100 fragments, each of which spreads the next twice", chain(100)),
		exceeding(limits.Fields, "a chain of 99 fragments, each of which spreads the next twice", chain(99)),
		exceeding(limits.Fields, "a chain of 10 fragments, each of which spreads the next twice", chain(10)),
		exceeding(limits.Operations, "1,990 operations", numbered(1990, "query Q%d{__typename} ")),
		exceeding(limits.Variables, "2,490 variables", "query("+numbered(2490, "$v%d:Int ")+"){__typename}"),
		exceeding(limits.RootFields, "9,990 root fields", "{"+rep("a ", 9_990)+"}"),
		exceeding(limits.RootFields, "999 fields of the root", "{"+rep("hello ", 999)+"}"),
		exceeding(limits.Fields, "9,990 fields", `{user(username:"u"){`+rep("id ", 9_980)+"}}"),
		exceeding(limits.Fields, "60 fragments with the same nested fields", merged(60, 8, "")),
		exceeding(limits.Fields, "60 fragments with conflicting arguments", merged(60, 8, "first:%d")),
		exceeding(limits.Path, "a path of 23 aliases of 120 bytes",
			`{user(username:"u"){`+rep(rep("x", 120)+":followers{nodes{", 23)+"name"+rep("}}", 23)+"}}"),
		exceeding(limits.Aliases, "998 aliases", `{user(username:"u"){`+numbered(998, "a%d:name ")+"}}"),
		exceeding(limits.PlaceDirectives, "4,990 directives on a field", "{__typename"+rep(" @x", 4990)+"}"),
		exceeding(limits.Directives, "a directive on each of 998 fields", `{user(username:"u"){`+rep("name@x ", 998)+"}}"),
		exceeding(limits.List, "9,980 ids", `{nodes(ids:[`+rep(`"x",`, 9980)+`]){id}}`),
		exceeding(limits.Visits, "199 fields in the last of 98 fragments, each of which spreads the next",
			spread(98, rep("name ", 199))),
		exceeding(limits.Visits, "9,000 values in the last of two fragments",
			spread(1, "isFollowing(username:["+rep("["+rep("1 ", 98)+"]", 90)+"])")),
		invalid("a fragment spreads itself", "a fragment that spreads itself", `{...A} fragment A on Query{...A}`),
		invalid("a fragment spreads itself", "fragments that spread each other",
			`{...A} fragment A on Query{...B ...B} fragment B on Query{...A ...A}`),
		invalid("two fragments have the same name", "a chain of fragments, and others with their names",
			chain(40)+numbered(41, " fragment F%d on Query{__typename}")),
	}
}

func invalidDocuments() []attack {
	const conflict = `Fields "isFollowing" conflict because they have differing arguments.`
	user := func(fields string) string { return `{user(username:"u"){` + fields + "}}" }
	inline := func(fields string) string { return rep("...{", 46) + fields + rep("}", 46) }
	asked := func(n int) string { return numbered(n, `isFollowing(username:"%d")`) }
	return []attack{
		invalid(`Fragment "A" is never used.`, "999 fields that conflict in an unused fragment",
			`{__typename} fragment A on User{`+asked(999)+"}"),
		invalid(`Fragment "A" is never used.`, "999 fields that conflict under 46 inline fragments of an unused one",
			`{__typename} fragment A on User{`+inline(asked(999))+"}"),
		invalid(`Fragment "F0" is never used.`, "9 unused fragments with a field 999 times",
			"{__typename}"+numbered(9, " fragment F%d on User{"+rep("name ", 999)+"}")),
		invalid(conflict, "99 fields that conflict under 46 inline fragments", user(inline(asked(99)))),
		invalid(conflict, "998 fields that conflict under 46 inline fragments", user(inline(asked(998)))),
		invalid(`Fields "followers" conflict because they have differing arguments.`,
			"58 fragments with conflicting arguments", merged(58, 8, "first:%d")),
		invalid(`Fields "name" conflict because they return conflicting types`,
			"58 fragments with the same nested fields, but for the last",
			strings.TrimSuffix(merged(58, 8, ""), "{name}"+rep("}}", 8))+"{name:username}"+rep("}}", 8)),
		invalid("Cannot query field", "998 unknown fields", user(rep("x ", 998))),
		invalid("Cannot query field", "49 unknown fields in the last of 98 fragments, each of which spreads the next",
			spread(98, rep("x ", 49))),
		invalid("Variable \"$v\" is not defined.", "990 unknown variables", user(rep("isFollowing(username:$v)", 990))),
		invalid("Variable \"$v99\" of type \"Int\" used in position", "990 variables of the wrong type",
			"query("+numbered(100, "$v%d:Int ")+")"+user(rep("isFollowing(username:$v99)", 990))),
		invalid("Unknown directive", "100 unknown directives", user(rep("name@x ", 100))),
		invalid("Maximum introspection depth exceeded", "a recursive introspection",
			`{__schema{types`+rep("{fields{type", 10)+"{name}"+rep("}}", 10)+"}}"),
		invalid("Cannot query field", "40 errors", "{"+rep("x ", 40)+"}"),
		invalid("Cannot query field", "a name of 128 bytes", "{"+rep("x", 128)+"}"),
	}
}

func variableValues() []attack {
	return []attack{
		exceeding(limits.VariableBytes, "values of unknown variables, a megabyte",
			`{__typename}`).with(map[string]any{"x": rep("x", 1<<20-100)}),
		exceeding(limits.VariableBytes, "values of unknown variables, 65,537 bytes",
			`{__typename}`).with(map[string]any{"x": rep("x", 39_000), "y": rep("y", 26_535)}),
		exceeding(limits.List, "10,000 values in a variable", `{__typename}`).with(map[string]any{"x": make([]int, 10_000)}),
		exceeding(limits.List, "101 values in a variable", `{__typename}`).with(map[string]any{"x": make([]int, 101)}),
		exceeding(limits.Number, "a number of 10,000 digits",
			`{__typename}`).with(map[string]any{"x": json.Number("1" + rep("0", 10_000))}),
		exceeding(limits.Depth, "51 lists in a variable",
			`{__typename}`).with(map[string]any{"x": json.RawMessage(rep("[", 51) + rep("]", 51))}),
	}
}

func largePages() []attack {
	long := func(what, name, query string) attack {
		return attack{name: name, body: asBody(query, nil), code: apierr.CodeLimitExceeded, message: what + " is limited to"}
	}
	const atLeast = "first and last must be at least 1"
	all := []attack{
		long("a page's number of entries", "a page of 2147483647",
			`{user(username:"u"){followers(first:2147483647){nodes{name}}}}`),
		{name: "an id of 10,000 bytes", body: asBody(`{node(id:"`+rep("x", 10_000)+`"){id}}`, nil),
			code: apierr.CodeLimitExceeded, message: "expected a value of the type ID!"},
		long("a cursor's length in bytes", "a cursor of 10,000 bytes",
			`{user(username:"u"){followers(after:"`+rep("x", 10_000)+`"){nodes{name}}}}`),
		invalid(atLeast, "a page of 0", `{user(username:"u"){followers(first:0){nodes{name}}}}`),
		invalid(atLeast, "a page of -1", `{user(username:"u"){followers(first:-1){nodes{name}}}}`),
		exceeding(limits.Rows, "pages of 100 in pages of 100 in pages of 100",
			`{user(username:"u"){followers(first:100){nodes{followers(first:100){nodes{followers(first:100){nodes{name}}}}}}}}`),
		exceeding(limits.Objects, "pages of keys in pages of 100 in pages of 100", `{user(username:"u"){followers(first:100){nodes{followers(first:100){nodes{followers(first:100){nodes{username}}}}}}}}`),
		exceeding(limits.Resolved, "a question about each of 100 in 100 under 199 names",
			`{user(username:"u"){followers(first:100){nodes{followers(first:100){nodes{`+
				numbered(199, "a%d:viewerFollows ")+`}}}}}}`),
	}
	for name, cursor := range map[string]string{
		"not base64":       "%%%",
		"empty":            "",
		"of no list":       base64.StdEncoding.EncodeToString([]byte("x")),
		"with a zero byte": "AAAA",
	} {
		all = append(all, invalid("the cursor is not one of this list", "a cursor that is "+name,
			`{user(username:"u"){followers(after:"`+cursor+`"){nodes{name}}}}`))
	}
	return all
}

func malformedBodies() []attack {
	const notOne = "the body is not the JSON object of a GraphQL request"
	return []attack{
		{name: "JSON 100,000 deep", body: `{"query":"{__typename}","variables":{"a":` + rep("[", 100_000) +
			rep("]", 100_000) + `}}`, code: apierr.CodeBadUserInput, message: notOne, raw: true},
		{name: "JSON with a key twice, the last of another type", body: `{"query":"{__typename}","query":{}}`,
			code: apierr.CodeBadUserInput, message: notOne, raw: true},
		{name: "a body over its limit", body: `{"query":"{__typename}","variables":{"a":"` + rep("x", 2<<20) + `"}}`,
			code: apierr.CodeLimitExceeded, message: "a request's body is limited to", raw: true},
		{name: "a field 100,000 times", body: asBody("{"+rep("__typename ", 100_000)+"}", nil),
			code: apierr.CodeLimitExceeded, message: "a request's body is limited to", raw: true},
	}
}

func longPlans() (all []attack) {
	for name, query := range map[string]string{
		"64 levels of each of 199 questions": `{department(code:"x"){` + numbered(199, "a%d:ancestors{code} ") + `}}`,
		"a name of 128 bytes, and fields below it": `{` + rep("x", 128) + `:user(username:"u"){` +
			numbered(190, `a%d:followers(first:1){nodes{followerCount hasRole(code:"x") viewerFollows}} `) + `}}`,
	} {
		a := exceeding(limits.Plan, "the plan of "+name, query)
		a.message, a.header = "the length of the plan in bytes exceeds the limit of", explain.Header
		all = append(all, a)
	}
	return all
}

func chain(n int) string {
	var b strings.Builder
	b.WriteString("{...F0}")
	for i := range n {
		fmt.Fprintf(&b, " fragment F%d on Query{...F%d ...F%d}", i, i+1, i+1)
	}
	fmt.Fprintf(&b, " fragment F%d on Query{__typename}", n)
	return b.String()
}

func spread(n int, fields string) string {
	var b strings.Builder
	b.WriteString(`{user(username:"u"){...F0}}`)
	for i := range n {
		fmt.Fprintf(&b, " fragment F%d on User{...F%d}", i, i+1)
	}
	fmt.Fprintf(&b, " fragment F%d on User{%s}", n, fields)
	return b.String()
}

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
