package syntax

import (
	"regexp"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
)

// scan checks tokens more strictly than gqlparser's lexer. It returns the values of block strings
// by position, and the lexer's errors, whose reasons the parser drops.
func scan(text string) (blocks map[int]string, err *gqlerror.Error) {
	source := &ast.Source{Input: text}
	l, runes, blocks := lexer.New(source), []rune(text), map[int]string{} // positions count runes
	afterSpread := false
	for {
		token, err := l.ReadToken()
		if err != nil {
			return nil, gqlerror.WrapIfUnwrapped(err)
		}
		raw, next := string(runes[token.Pos.Start:token.Pos.End]), rune(0)
		if token.Pos.End < len(runes) {
			next = runes[token.Pos.End]
		}
		switch token.Kind {
		case lexer.EOF:
			return blocks, nil
		case lexer.Comment:
			continue
		case lexer.Int, lexer.Float:
			if next == '.' || next == '_' || 'a' <= next && next <= 'z' || 'A' <= next && next <= 'Z' {
				return nil, reject(source, token, "Invalid number, expected digit but got: %q.", string(next))
			}
		case lexer.String:
			if escape := loneSurrogate(raw); escape != "" {
				return nil, reject(source, token, "Invalid Unicode escape sequence: %q.", escape)
			}
		case lexer.BlockString:
			if next == '"' {
				return nil, reject(source, token, "Unexpected quote after a block string.")
			}
			blocks[token.Pos.Start] = blockValue(raw[len(`"""`) : len(raw)-len(`"""`)])
		}
		if afterSpread && (token.Kind == lexer.String || token.Kind == lexer.BlockString) {
			return nil, reject(source, token, "Expected Name, found String")
		}
		afterSpread = token.Kind == lexer.Spread
	}
}

func reject(source *ast.Source, token lexer.Token, format string, args ...any) *gqlerror.Error {
	return gqlerror.ErrorLocf(source.Name, token.Pos.Line, token.Pos.Column, format, args...)
}

// escapes matches an escape other than \u, a surrogate pair, or a single surrogate, in this order.
var escapes = regexp.MustCompile(`\\[^u]|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..`)

func loneSurrogate(raw string) string {
	for _, escape := range escapes.FindAllString(raw, -1) {
		if len(escape) == len(`\uXXXX`) {
			return escape
		}
	}
	return ""
}

// blockValue is BlockStringValue of section 2.9.4.
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

func indentOf(line string) int {
	return len(line) - len(strings.TrimLeft(line, " \t"))
}
