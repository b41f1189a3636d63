package syntax

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"
)

func FuzzParse(f *testing.F) {
	for _, text := range []string{`{a(b:"x",c:"""y""")}`, "#ä\n{a(b:\"\"\"😀\r\n  \\\"\"\" x\"\"\",c:\"\\uD83D\\uDE00\")}", `query($a:Int=1@d){...F}fragment F on T{a}`,
		`{a(b:""""""")}`, "\ufeff{a}", `{a(b:1.5e3,c:-0)... on T{d}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Parse(text); err == nil {
			if _, err := parser.ParseQuery(&ast.Source{Input: text}); err != nil {
				t.Errorf("gqlparser: %v", err)
			}
		} else if _, err := scan(text); err != nil {
			return
		}
		l, runes := lexer.New(&ast.Source{Input: text}), []rune(text)
		for {
			token, err := l.ReadToken()
			if err != nil || token.Kind == lexer.EOF {
				return
			}
			quote, raw := "", string(runes[token.Pos.Start:token.Pos.End])
			switch token.Kind {
			case lexer.String:
				quote = `"`
			case lexer.BlockString:
				quote = `"""`
			}
			if !strings.HasPrefix(raw, quote) || !strings.HasSuffix(raw, quote) || len(raw) < 2*len(quote) {
				t.Fatalf("text of token %s: got %q", token, raw)
			}
		}
	})
}
