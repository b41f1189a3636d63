package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
)

// scan checks the tokens of a document where gqlparser's lexer is not strict enough. It returns the values of block
// strings by the position of their tokens. The lexer's own errors come from here too: the parser reports them as an
// unexpected token, without the reason.
func scan(text string) (blocks map[int]string, problem *gqlerror.Error) {
	source := &ast.Source{Input: text}
	l, offsets := lexer.New(source), offsets{text: text}
	previous := lexer.Invalid
	for {
		token, err := l.ReadToken()
		if err != nil {
			return nil, gqlerror.WrapIfUnwrapped(err)
		}
		if token.Kind == lexer.EOF {
			return blocks, nil
		}
		raw := offsets.token(token)
		next := text[offsets.byte:]
		switch token.Kind {
		case lexer.Int, lexer.Float:
			if next != "" && (next[0] == '.' || isNameStart(next[0])) {
				return nil, refuse(source, token, "Invalid number, expected digit but got: %q.", next[:1])
			}
		case lexer.String:
			if escape := loneSurrogate(raw); escape != "" {
				return nil, refuse(source, token, "Invalid Unicode escape sequence: %q.", escape)
			}
		case lexer.BlockString:
			if strings.HasPrefix(next, `"`) {
				return nil, refuse(source, token, "Unexpected quote after a block string.")
			}
			if blocks == nil {
				blocks = map[int]string{}
			}
			blocks[token.Pos.Start] = blockValue(raw[len(`"""`) : len(raw)-len(`"""`)])
		}
		if previous == lexer.Spread && (token.Kind == lexer.String || token.Kind == lexer.BlockString) {
			return nil, refuse(source, token, "Expected Name, found String")
		}
		if token.Kind != lexer.Comment {
			previous = token.Kind
		}
	}
}

func refuse(source *ast.Source, token lexer.Token, format string, args ...any) *gqlerror.Error {
	return gqlerror.ErrorLocf(source.Name, token.Pos.Line, token.Pos.Column, format, args...)
}

func isNameStart(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// offsets turns the lexer's positions, which count runes, into byte offsets. Positions must ascend.
type offsets struct {
	text       string
	byte, rune int
}

// token returns the text of a token, with its quotes, and advances to its end.
func (o *offsets) token(token lexer.Token) string {
	start := o.to(token.Pos.Start)
	return o.text[start:o.to(token.Pos.End)]
}

func (o *offsets) to(position int) int {
	for o.rune < position && o.byte < len(o.text) {
		_, size := utf8.DecodeRuneInString(o.text[o.byte:])
		o.byte, o.rune = o.byte+size, o.rune+1
	}
	return o.byte
}

// loneSurrogate returns the first \u escape in the text of a string that is half of a surrogate pair without the other
// half, or "".
func loneSurrogate(raw string) string {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++ // The character after a backslash is never the start of an escape.
		unit, ok := escapedUnit(raw[i-1:])
		if !ok {
			continue
		}
		escape := raw[i-1 : i+5]
		if unit>>10 == 0xDC00>>10 {
			return escape
		}
		if unit>>10 == 0xD800>>10 {
			trailing, ok := escapedUnit(raw[i+5:])
			if !ok || trailing>>10 != 0xDC00>>10 {
				return escape
			}
			i += len(`\uXXXX`)
		}
	}
	return ""
}

// escapedUnit returns the UTF-16 code unit that text begins with as \uXXXX.
func escapedUnit(text string) (unit uint64, ok bool) {
	if len(text) < len(`\uXXXX`) || text[:2] != `\u` {
		return 0, false
	}
	unit, err := strconv.ParseUint(text[2:6], 16, 16)
	return unit, err == nil
}

// blockValue returns the value of a block string between its quotes: BlockStringValue of section 2.9.4.
func blockValue(raw string) string {
	raw = strings.ReplaceAll(raw, `\"""`, `"""`)
	raw = strings.ReplaceAll(raw, "\r\n", "\n")
	lines := strings.Split(strings.ReplaceAll(raw, "\r", "\n"), "\n")
	common := -1
	for _, line := range lines[1:] {
		if indent := indentOf(line); indent < len(line) && (common < 0 || indent < common) {
			common = indent
		}
	}
	for i := 1; common > 0 && i < len(lines); i++ {
		lines[i] = lines[i][min(common, len(lines[i])):]
	}
	for len(lines) > 0 && indentOf(lines[0]) == len(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && indentOf(lines[len(lines)-1]) == len(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}

// indentOf returns the number of spaces and tabs that a line begins with.
func indentOf(line string) int {
	return len(line) - len(strings.TrimLeft(line, " \t"))
}
