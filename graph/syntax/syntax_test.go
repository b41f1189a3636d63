package syntax

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

func TestParseRejectsSyntaxErrors(t *testing.T) {
	for name, test := range map[string]struct{ text, message string }{
		"a name right after an Int":                   {`{users(first:1after:"x"){nodes{id}}}`, `Invalid number, expected digit but got: "a".`},
		"a name right after a Float":                  {`{a(b:1.5c:2)}`, `Invalid number, expected digit but got: "c".`},
		"a second decimal point":                      {`{a(b:1.5.2)}`, `Invalid number, expected digit but got: ".".`},
		"a string in place of a type condition":       {`{... "on" User{id}}`, `Expected Name, found String`},
		"a comment before such a string":              {"{... #c\n \"on\" User{id}}", `Expected Name, found String`},
		"a block string in place of a type condition": {`{... """on""" User{id}}`, `Expected Name, found String`},
		"variables of a fragment":                     {`{...F} fragment F($a:Int) on User{id}`, `Unexpected variable definition: fragments have none`},
		"a quote after a block string":                {`{a(b:"""a"""")}`, `Unexpected quote after a block string.`},
		"an empty block string and two quotes":        {`{a(b:"""""""")}`, `Unexpected quote after a block string.`},
		"half of a surrogate pair":                    {`{a(b:"\uD83D")}`, `Invalid Unicode escape sequence: "\\uD83D".`},
		"the other half of a surrogate pair":          {`{a(b:"x\uDE00")}`, `Invalid Unicode escape sequence: "\\uDE00".`},
		"two first halves":                            {`{a(b:"\uD83D\uD83D\uDE00")}`, `Invalid Unicode escape sequence: "\\uD83D".`},
		"a half and a braced half":                    {`{a(b:"\uD83D\u{DE00}")}`, `Invalid character escape sequence: \u{DE00}.`},
		"a code point beyond Unicode":                 {`{a(b:"\u{110000}")}`, `Invalid character escape sequence: \u{110000}.`},
		"a variable in a variable's directive":        {`query($a:Int @d(x:$a)){b(c:$a)}`, `Unexpected variable in a constant value`},
		"nothing but comments":                        {"#a\n,,", `The document is empty.`},
		"a text that is not UTF-8":                    {"{a(b:\"\xff\")}", `the document is not UTF-8`},
		"a block string that does not end":            {`{a(b:"""a"`, `Unterminated string.`},
		"an error of gqlparser":                       {`{a(b:)}`, `Unexpected )`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(test.text)
			if err == nil || err.Message != test.message || err.Extensions["code"] != "GRAPHQL_PARSE_FAILED" {
				t.Fatalf("got %v, want %q", err, test.message)
			}
			if len(err.Locations) != 1 && !strings.HasPrefix(strings.ToLower(test.message), "the document is") {
				t.Errorf("got locations %v, want one", err.Locations)
			}
		})
	}
}

func TestParseStringValues(t *testing.T) {
	tests := map[string]struct{ literal, value string }{
		"a surrogate pair":                     {`"\uD83D\uDE00"`, "😀"},
		"a braced code point":                  {`"\u{1F600}"`, "😀"},
		"an escaped backslash before a u":      {`"\\uD83D"`, `\uD83D`},
		"a pair after an escaped backslash":    {`"\\\uD83D\uDE00"`, `\😀`},
		"the first line has no common indent":  {"\"\"\"a\n  b\"\"\"", "a\nb"},
		"common indent":                        {"\"\"\"\n    a\n  b\n\n   c\n\"\"\"", "  a\nb\n\n c"},
		"blank lines at both ends":             {"\"\"\"\n \t\n  a\n\n  \n\"\"\"", "a"},
		"a blank line shorter than the indent": {"\"\"\"x\n    a\n \n    b\"\"\"", "x\na\n\nb"},
		"a blank first line":                   {"\"\"\"  \n  a\"\"\"", "a"},
		"escaped quotes":                       {`"""a\"""b"""`, `a"""b`},
		"two quotes inside":                    {`"""a""b"""`, `a""b`},
		"no escapes":                           {`"""\n\u0041\"""" """`, `\n\u0041"""" `},
		"carriage returns":                     {"\"\"\"a\r\n  b\r  c\"\"\"", "a\nb\nc"},
		"an empty string":                      {`""""""`, ""},
		"characters beyond ASCII":              {"\"\"\"ä😀\n  ö\"\"\"", "ä😀\nö"},
	}
	var literals []string
	for name, test := range tests {
		literals = append(literals, test.literal)
		t.Run(name, func(t *testing.T) {
			doc, err := Parse("#😀 in a comment\n{a(b:[" + strings.Repeat(`"ü",`, 3) + test.literal + "])}")
			if err != nil {
				t.Fatal(err)
			}
			children := doc.Operations[0].SelectionSet[0].(*ast.Field).Arguments[0].Value.Children
			if got := children[3].Value.Raw; got != test.value {
				t.Errorf("got %q, want %q", got, test.value)
			}
		})
	}
	reference := referenceValues(t, literals)
	for name, test := range tests {
		if got, ok := reference[test.literal]; ok && got != test.value {
			t.Errorf("%s: graphql-js reads %q, want %q", name, got, test.value)
		}
	}
}

func referenceValues(t *testing.T, literals []string) map[string]string {
	t.Helper()
	if _, err := os.Stat("../../node_modules/graphql"); err != nil && os.Getenv("CI") == "" {
		return nil
	}
	argument, err := json.Marshal(literals)
	if err != nil {
		t.Fatal(err)
	}
	script := `import {parseValue} from 'graphql';
		const literals = JSON.parse(process.argv[1]);
		console.log(JSON.stringify(Object.fromEntries(literals.map((l) => [l, parseValue(l).value]))))`
	command := exec.Command("node", "--input-type=module", "-e", script, string(argument))
	command.Dir = "../.."
	output, err := command.Output()
	if err != nil {
		t.Fatalf("graphql-js: %v", err)
	}
	var values map[string]string
	if err := json.Unmarshal(output, &values); err != nil {
		t.Fatal(err)
	}
	return values
}
