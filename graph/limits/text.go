package limits

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"

	"twibase/graph/apierr"
)

// Text refuses the text of a document that exceeds the limits, before it is parsed.
func (l *Limits) Text(query string) *apierr.Error {
	if refusal := l.check(Bytes, len(query)); refusal != nil {
		return refusal
	}
	tokens, name, depth := measure(query)
	if refusal := l.check(Tokens, tokens); refusal != nil {
		return refusal
	}
	if refusal := l.check(Name, name); refusal != nil {
		return refusal
	}
	return l.check(Depth, depth)
}

// measure returns the number of tokens of a query, including comments, the length of its longest name, and the depth of its
// brackets of all kinds, which is that of the parser's recursion.
func measure(query string) (tokens, longest, deepest int) {
	l, depth := lexer.New(&ast.Source{Input: query}), 0
	for {
		token, err := l.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return tokens, longest, deepest
		}
		tokens++
		switch token.Kind {
		case lexer.Name:
			longest = max(longest, len(token.Value))
		case lexer.BraceL, lexer.BracketL, lexer.ParenL:
			depth++
			deepest = max(deepest, depth)
		case lexer.BraceR, lexer.BracketR, lexer.ParenR:
			depth--
		}
	}
}
