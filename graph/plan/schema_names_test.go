package plan_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/exec"
)

// generic are the schema's names that graph may use nevertheless, since they mean something else there too: in the program, and some in its texts.
var generic = map[string]struct{ program, text string }{
	"Comment":  {"a token of GraphQL's grammar", ""},
	"code":     {"of an error, or with which a WebSocket closes", "the extension that GraphQL's errors have by custom"},
	"comment":  {"a line of server-sent events that says nothing", ""},
	"count":    {"how many", ""},
	"cursor":   {"as Relay's specification has it, of any connection", ""},
	"day":      {"what the scalar Date is", ""},
	"depth":    {"of a selection", "the limit of it"},
	"field":    {"GraphQL's own", ""},
	"id":       {"a global one of any thing, a request's, or a subscription's", "an operation's in messages over WebSocket and server-sent events"},
	"message":  {"of GraphQL's errors, or over a WebSocket", ""},
	"name":     {"of anything", "of what JSON, a path or a limit names"},
	"token":    {"who somebody is", "as clients call it where it must not be"},
	"username": {"the subject of a token", ""},
	"version":  {"of the protocol of persisted documents", "the same in its JSON"},
	"viewer":   {"who asks, by a token", "the user of the token, in a connection_ack"},
}

// inScripts are those that the IDE's scripts may use, where nothing distinguishes a program from its texts.
var inScripts = map[string]string{
	"name":  "of a loader, or of a file",
	"node":  "Node.js",
	"title": "an attribute of HTML",
}

// TestGraphNamesNoSchemaFields holds graph to what the comment of this package promises: nothing in it that is written by hand names a type or a field of the schema, so
// that a field can be added there alone.
func TestGraphNamesNoSchemaFields(t *testing.T) {
	names := map[string]bool{}
	schema := exec.NewExecutableSchema(exec.Config{}).Schema()
	for name, def := range schema.Types {
		if def.BuiltIn || def.Kind == ast.Scalar || strings.HasPrefix(name, "__") {
			continue
		}
		names[name] = def != schema.Query && def != schema.Mutation && def != schema.Subscription // GraphQL itself names the roots
		for _, f := range def.Fields {
			names[f.Name] = !strings.HasPrefix(f.Name, "__")
		}
	}
	for _, name := range []string{"User", "Node", "Visibility", "PostTwitInput", "followers", "clientMutationId", "author", "code", "message"} {
		if !names[name] {
			t.Fatalf("%s is not among the schema's names, which are %v", name, names)
		}
	}
	used, scripts := map[string]bool{}, 0
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"exec", "model", "testdata", "node_modules", "dist", "generate"}, d.Name()):
			return filepath.SkipDir // generated, or the generator of this project's resolvers, which knows the names of connections and mutations
		case d.IsDir() || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var idents, texts []string
		switch filepath.Ext(file) {
		case ".go", ".gotpl":
			idents, texts = words(text)
		case ".mjs", ".jsx", ".js":
			scripts++
			for _, word := range scriptWords(text) {
				if used["a script: "+word] = true; names[word] && inScripts[word] == "" {
					t.Errorf("%s names %s, which is the schema's", file, word)
				}
			}
		}
		for _, word := range idents {
			if used[word] = true; names[word] && generic[word].program == "" {
				t.Errorf("%s names %s, which is the schema's", file, word)
			}
		}
		for _, word := range texts {
			if used["a text: "+word] = true; names[word] && generic[word].text == "" {
				t.Errorf("%s names %q, which is the schema's", file, word)
			}
		}
		return nil
	})
	if err != nil || scripts < 3 {
		t.Fatalf("there are %d scripts: %v", scripts, err)
	}
	for word := range inScripts {
		if !names[word] || !used["a script: "+word] {
			t.Errorf("%s needs no leave in scripts", word)
		}
	}
	for word, means := range generic {
		if !names[word] || !used[word] || used["a text: "+word] != (means.text != "") {
			t.Errorf("%s needs no such leave: it is in the schema, %t, in the program, %t, and in its texts, %t", word, names[word], used[word], used["a text: "+word])
		}
	}
}

// words are the identifiers and strings of a Go program, or of what is nearly one.
func words(text []byte) (idents, texts []string) {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", -1, len(text)), text, func(token.Position, string) {}, 0)
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return idents, texts
		case token.IDENT:
			idents = append(idents, literal)
		case token.STRING:
			text, err := strconv.Unquote(literal)
			if err != nil {
				continue
			}
			texts = append(texts, text)
			for _, key := range jsonKey.FindAllStringSubmatch(text, -1) {
				texts = append(texts, key[1])
			}
		}
	}
}

var (
	// jsonKey is a key of JSON that is written by hand, or a tag of a field.
	jsonKey       = regexp.MustCompile(`"(\w+)(?:,omitempty)?"`)
	scriptComment = regexp.MustCompile(`(?s:/\*.*?\*/)|(?m:(^|[^:])//.*$)`)
	scriptWord    = regexp.MustCompile(`[A-Za-z_][0-9A-Za-z_]*`)
)

// scriptWords are the words of a JavaScript program, those of its strings and of its texts among them, without comments.
func scriptWords(text []byte) []string {
	return scriptWord.FindAllString(scriptComment.ReplaceAllString(string(text), ""), -1)
}
