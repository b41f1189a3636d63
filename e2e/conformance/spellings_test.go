package conformance

import (
	"slices"
	"strings"
)

func written(section, name string, change func(g *generator, tokens []string) string) mutation {
	return mutation{section: section, name: name, text: change}
}

func harmless(section, name string, change func(g *generator, tokens []string) string) mutation {
	return mutation{section: section, name: name, text: change, harmless: true}
}

func (g *generator) at(tokens []string, is func(token string) bool) int {
	var all []int
	for i, token := range tokens {
		if is(token) {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return g.IntN(len(tokens))
	}
	return oneOf(g, all...)
}

func isString(token string) bool { return token[0] == '"' }

func isNumber(token string) bool { return token[0] >= '0' && token[0] <= '9' || token[0] == '-' }

func isName(token string) bool { return wordy(token[0]) && !isNumber(token) }

func with(tokens []string, at int, text string) string {
	var b strings.Builder
	for i, token := range tokens {
		if i == at {
			token = text
		}
		if i > 0 && i != at && (i != at+1 || text == "") && merges(tokens[i-1], token) ||
			i == at && i > 0 && token != "" && merges(tokens[i-1], token) {
			b.WriteByte(' ')
		}
		b.WriteString(token)
	}
	return b.String()
}

func replaced(section, name string, is func(string) bool, texts ...string) mutation {
	return written(section, name, func(g *generator, tokens []string) string {
		at := g.at(tokens, is)
		return with(tokens, at, strings.ReplaceAll(oneOf(g, texts...), "TOKEN", tokens[at]))
	})
}

func inString(section, name string, texts ...string) mutation {
	return written(section, name, func(g *generator, _ []string) string {
		text := oneOf(g, texts...)
		document := oneOf(
			g,
			`{user(username:STRING){username}}`, `{__type(name:STRING){name}}`,
			`mutation{postTwit(input:{content:STRING}){clientMutationId}}`,
			`query($s:String=STRING){user(username:$s){username}}`,
			`{a:user(username:STRING){username}b:user(username:"hub"){username}}`,
			`{nodes(ids:[STRING,"a"]){id}}`,
		)
		return strings.Replace(document, "STRING", text, 1)
	})
}

var spellings = []mutation{
	written("2", "a token left out", func(g *generator, tokens []string) string {
		return with(tokens, g.IntN(len(tokens)), "")
	}),
	written("2", "a token twice", func(g *generator, tokens []string) string {
		at := g.IntN(len(tokens))
		return with(tokens, at, tokens[at]+" "+tokens[at])
	}),
	written("2", "two tokens exchanged", func(g *generator, tokens []string) string {
		tokens = slices.Clone(tokens)
		at := g.IntN(len(tokens))
		next := (at + 1) % len(tokens)
		tokens[at], tokens[next] = tokens[next], tokens[at]
		return join(g.Rand, tokens)
	}),
	written("2", "a token of another kind", func(g *generator, tokens []string) string {
		return with(
			tokens,
			g.IntN(len(tokens)),
			oneOf(
				g,
				"{", "}", "(", ")", "[", "]", "...", "$", "@", ":", "=", "!", "|", "&", "..", ".", "?", "-",
				"on", "null", "true", "1", "1.5", `"a"`, `""`, "'a'", "~", "\\",
			),
		)
	}),
	written(
		"2", "nothing between tokens",
		func(g *generator, tokens []string) string { return strings.Join(tokens, "") },
	),
	written("2.1.1", "a character that is not allowed", func(g *generator, tokens []string) string {
		at := g.IntN(len(tokens))
		return with(
			tokens,
			at,
			tokens[at]+oneOf(
				g,
				"\x00", "\x01", "\x08", "\x0b", "\x0c", "\x1f", "\x7f", "\u0080", "\u00a0", "\u2028", "\u3000",
				"\ufffe", "\ufeff", "\u00e9", "\U0001f600", "é", "\u200b",
			),
		)
	}),
	harmless("2.1.2", "a byte order mark", func(g *generator, tokens []string) string {
		return oneOf(g, "\ufeff", "\ufeff\ufeff", "\n\ufeff") + join(g.Rand, tokens)
	}),
	harmless("2.1.4", "a comment", func(g *generator, tokens []string) string {
		at := g.IntN(len(tokens))
		return with(
			tokens,
			at,
			oneOf(
				g,
				"# TOKEN\n", "#\r", "#\x01\n", "#\u2028 x\n", "#😀\r\n", "#\"\"\"\n", "//\n", "/* */",
				"# to the end",
			)+tokens[at],
		)
	}),
	harmless("2.1.5", "commas", func(g *generator, tokens []string) string {
		at := g.IntN(len(tokens))
		return with(tokens, at, oneOf(g, ",", ",,", ", ,", ",\n,")+tokens[at]+oneOf(g, "", ",", ",,"))
	}),
	replaced(
		"2.1.9", "a name with other characters",
		isName,
		"TOKEN-x", "TOKEN.x", "1TOKEN", "éTOKEN", "TOKENé", "TOKEN x", "__TOKEN", "-TOKEN", "TOKEN$", "$TOKEN",
		`"TOKEN"`, "TOKEN:TOKEN", "TOKEN:TOKEN:TOKEN", "@TOKEN",
	),
	replaced("2.3", "another keyword of an operation", func(t string) bool {
		return t == "query" || t == "mutation" || t == "subscription" || t == "fragment"
	}, "QUERY", "Mutation", "sub", "fragment", "query query", "extend", "schema", "\"described\" TOKEN",
		"\"\"\"described\"\"\"TOKEN", "\"a\"\"b\"TOKEN", "1 TOKEN", "TOKEN TOKEN"),
	replaced(
		"2.4", "an empty selection",
		func(t string) bool { return t == "{" },
		"{}", "{{", "{,}", "{{}", "{ # }\n", "({", "{null", "{1", `{"a"`,
	),
	replaced(
		"2.8", "variants of a spread",
		func(t string) bool { return t == "..." },
		"... on", `... "on"`, "... on on", "...on{", "..", "....", ". ..", "......", "...@skip(if:true)",
		"...\non", "...,on", "... on @skip(if:true)", "...#x\n", "...()", "...null", "...true", "...$v",
		"... on User ...", "...{__typename}...",
	),
	written("2.8", "a fragment", func(g *generator, tokens []string) string {
		f := oneOf(
			g,
			"fragment F($a: Int) on Query { __typename }", "fragment F($a: Int = 1) on Query { __typename }",
			"fragment F() on Query { __typename }", "fragment on on Query { __typename }",
			"fragment F Query { __typename }", "fragment F on { __typename }", "fragment F { __typename }",
			"fragment on Query { __typename }", `"described" fragment F on Query { __typename }`,
			"fragment F on Query", "fragment F on Query {}", "fragment F on Query! { __typename }",
			"fragment F on [Query] { __typename }", `fragment "F" on Query { __typename }`,
			`fragment F "on" Query { __typename }`, "fragment F on Query @skip { __typename }",
			"fragment F on Query, { __typename }", "fragment null on Query { __typename }",
			"fragment true on Query{__typename}", "fragment F on Query|User { __typename }",
			`"""a""" fragment F on Query { __typename }`,
		)
		name := "F"
		if strings.Contains(f, "fragment null") {
			name = "null"
		} else if strings.Contains(f, "fragment true") {
			name = "true"
		}
		return oneOf(g, f+" {..."+name+"}", "{..."+name+"}"+f, "query Q {..."+name+"}"+f)
	}),
	written("2.3", "a description", func(g *generator, tokens []string) string {
		return oneOf(
			g,
			`"described"`, `"""described"""`, `"a" "b"`, `"a" {__typename} `, `""`, `"\u{1}"`, `"\q"`,
			"# a\n\"x\"", `1`, `true`,
		) + oneOf(
			g,
			"", " ", "\n", "#c\n",
		) +
			oneOf(
				g,
				"query Q {__typename}", "query {__typename}", "{__typename}", "mutation M {__typename}",
				"query Q(\"v\" $v: Int){users(first:$v){totalCount}}", "fragment F on Query{__typename} {...F}",
				"query Q {...F} \"f\" fragment F on Query {__typename}",
			)
	}),
	replaced(
		"2.9.1", "a number",
		isNumber,
		"00", "01", "-01", "-", "--1", "+1", "1a", "1_000", "0x1", "1.0", "1.", ".5", "1.e1", "1e", "1e+",
		"1e1", "1E-2", "1e1.5", "1.2.3", "1..2", "TOKENname", "TOKEN.", "TOKENe", "0b1", "-0", "0e0", "00.1",
		"1é", "TOKEN\u00a0", "1\"a\"", "1e1000", "123456789012345678901234567890", "2147483648", "-2147483649",
		"2147483648.0", "-a", "- 1", "Infinity", "NaN",
	),
	inString(
		"2.9.4", "a string", `"\u0041"`, `"\u004"`, `"\u00G1"`, `"\u{41}"`, `"\u{}"`, `"\u{110000}"`,
		`"\u{10FFFF}"`, `"\u{0000000041}"`, `"\u{D83D}"`, `"\uD83D"`, `"\uDE00"`, `"\uD83D\uDE00"`,
		`"\uDE00\uD83D"`, `"\uD83D\u0041"`, `"\uD83Dx"`, `"\uD83D\n"`, `"\u{D83D}\u{DE00}"`, `"\uD83D\u{DE00}"`,
		`"\u{1F600}"`, `"\u{ 41}"`, `"\u{-1}"`, `"\u{0x41}"`, `"\u{41"`, `"\U0041"`, `"\x41"`, `"\a"`, `"\'"`,
		`"\0"`, `"\b\f\n\r\t\/\\\""`,
		`"\`+"\n"+`"`,
		"\"a\nb\"", "\"a\rb\"", "\"a\tb\"", "\"a\x01b\"", "\"a\x7fb\"", "\"a\x00b\"", "\"a\u2028b\"",
		`"unterminated`, `'single'`, "`back`", `"a""b"`, `"a" "b"`, `""a"`, `"a\"`, `"\\"`, `"\\\"`, `"{"`,
		`"#"`, `"\uFFFF"`, `"\u0000"`, "\"\ufeff\"", `"😀"`, `"\ud83d\ude00"`, `"\uDBFF\uDFFF"`, `"\u{d7ff}"`,
		`"\u{dfff}"`, `"\u{e000}"`,
	),
	inString(
		"2.9.4", "a block string", `""""""`, `"""a"""`, "\"\"\"a\n  b\"\"\"",
		"\"\"\"\n    a\n      b\n    c\n\"\"\"", "\"\"\"\n\ta\n  b\"\"\"", "\"\"\"\n  \n  a\n\n\"\"\"",
		`"""a""""`, `""""""""`, `"""""""`, `"""a\"""b"""`, `"""\""""""`, `"""\n\u0041"""`, `"""\\"""`,
		`"""\"""`, "\"\"\"a\r\nb\rc\nd\"\"\"", "\"\"\"  a\n b\n  c\"\"\"", "\"\"\"\x01\"\"\"",
		"\"\"\"\x7f\"\"\"", "\"\"\"\x00\"\"\"", "\"\"\"\ufeffa\"\"\"", `"""unterminated`, `"""unterminated""`,
		`""" " "" """`, `"""a"" """`, "\"\"\"\n\n\n\"\"\"", "\"\"\"   \"\"\"", "\"\"\" a \"\"\"",
		"\"\"\"\u00a0a\n\u00a0b\"\"\"", "\"\"\"\u2028a\n  b\"\"\"", `"""\uD83D"""`, `"""😀"""`,
		`"""a`+"\t"+`b"""`,
		"\"\"\"a\n\n  \n\"\"\"", "\"\"\"\n  a\n\t b\n\"\"\"", "\"\"\"a\\\n b\"\"\"", `""" """"`,
		`"""""" """"""`,
	),
	replaced(
		"2.9", "another literal",
		isString,
		"TOKEN TOKEN", "[TOKEN", "TOKEN]", "[TOKEN,]", "[,TOKEN]", "{a:TOKEN", "{a TOKEN}", "{TOKEN:1}",
		"{a:TOKEN,}", "$", "$$v", "$1", "$ v", "null", "true", "[[[TOKEN]]]", "{}", "[]", "[}", "(TOKEN)",
		"TOKEN!", "@TOKEN", "{a:{b:[TOKEN]}}", "$\"v\"", "-TOKEN",
	),
	written("2.11", "a type of a variable", func(g *generator, tokens []string) string {
		return "query($v:" + oneOf(
			g,
			"ID!", "ID!!", "[ID", "ID]", "[ID!]!!", "[]", "!", "[ID]]", "[ID!", "ID !", "[ ID ]", "ID=\"a\"",
			"ID!=\"a\"", "ID!=$w", "ID={a:$v}", "ID=[$v]", "ID @skip", "\"ID\"", "1", "[ID,ID]", "ID=", "=1",
			"on", "$v", "ID:1", "ID!\"a\"", "ID=null", "ID!=null",
		) + "){node(id:$v){id}}"
	}),
	written("2.10", "a variable", func(g *generator, tokens []string) string {
		return oneOf(
			g,
			"query(){__typename}", "query($){__typename}", "query($v){node(id:$v){id}}",
			"query(v:ID!){node(id:$v){id}}", "query($v:ID!$w:ID!){a:node(id:$v){id}b:node(id:$w){id}}",
			"query($v:ID!,){node(id:$v){id}}", "query($ v : ID!){node(id:$ v){id}}",
			"query($v:ID!;){node(id:$v){id}}", "query($v:Int){users(first:$v){totalCount}}",
			"query($v:Int=$v){users(first:$v){totalCount}}", "query($v:Int=1=2){users(first:$v){totalCount}}",
			"query Q($v:Int=1)($w:Int){users(first:$v){totalCount}}", "query($v:Int)@skip(if:$v){__typename}",
			"query($true:Int){users(first:$true){totalCount}}",
			"query($v:Int @deprecated){users(first:$v){totalCount}}", "($v:Int){users(first:$v){totalCount}}",
		)
	}),
	written("2.2", "a document", func(g *generator, tokens []string) string {
		return oneOf(
			g,
			"", " ", "#", "# a\n", ",", "\ufeff", "{", "}", "{}", "{__typename", "__typename", "{__typename}}",
			"{__typename}{__typename}", "query", "query Q", "{__typename}\x00", "{__typename} x",
			"{__typename} query", "null", "[]", "1", "\"a\"", "{__typename}\"a\"", "mutation",
			"{ __typename } fragment", "query{__typename}query{__typename}", "{users}", "type",
		)
	}),
}
