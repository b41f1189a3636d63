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

// generic has names of the schema that package graph may use with another meaning: in identifiers
// and, if literal is set, in literals.
var generic = map[string]struct{ identifier, literal string }{
	"Comment":   {"a token of GraphQL's grammar", ""},
	"User":      {"of a URL", ""},
	"added":     {"errors that a resolver added", ""},
	"code":      {"of an error, or of a WebSocket's close frame", "extensions.code of GraphQL errors"},
	"comment":   {"of server-sent events, without data", ""},
	"count":     {"a number", ""},
	"cursor":    {"Relay's, of any connection", ""},
	"depth":     {"of a selection set", "its limit"},
	"expiresAt": {"of a token", "in JSON, of a development token"},
	"field":     {"of a GraphQL type", "in JSON, of a plan"},
	"id":        {"a global id, or the id of a request or a subscription", "of an operation, over WebSocket and server-sent events"},
	"message":   {"of a GraphQL error, or of a WebSocket", ""},
	"name":      {"of anything", "in JSON, of a path or a limit"},
	"path":      {"of a field, a file or a URL", "in JSON, of a report"},
	"query":     {"an operation, or its text", "in JSON, and of URLs"},
	"token":     {"a credential", "in keys where clients must not send it"},
	"username":  {"the subject of a token", "in JSON, of a development token"},
	"version":   {"of the protocol of persisted documents", "the same in JSON"},
	"viewer":    {"the user of a token", "the user of a token, in connection_ack"},
}

var inScripts = map[string]string{
	"content": "of a row of a picture",
	"count":   "a number",
	"depth":   "of a field in a plan",
	"field":   "of a plan",
	"follow":  "a listener",
	"id":      "an attribute of HTML, or of a row",
	"message": "of an Error",
	"name":    "of a loader, or of a file",
	"node":    "Node.js",
	"parent":  "of a field in a plan",
	"path":    "of a field, or of a file",
	"query":   "an operation",
	"role":    "an attribute of HTML",
	"title":   "an attribute of HTML",
	"viewer":  "a script",
}

// Skipped folders are generated, or generate package resolvers.
var (
	skippedFolders = []string{"exec", "model", "testdata", "node_modules", "dist", "generate"}
	skippedFiles   = []string{"viewer.js", "viewerform.jsx"}
)

func TestGraphNamesNoSchemaFields(t *testing.T) {
	names := schemaNames(t)
	used, scripts := map[string]bool{}, 0
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(skippedFolders, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || strings.HasSuffix(file, "_test.go"), slices.Contains(skippedFiles, d.Name()):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var identifiers, literals, words []string
		switch filepath.Ext(file) {
		case ".go", ".gotpl":
			identifiers, literals = goWords(text)
		case ".mjs", ".jsx", ".js":
			scripts++
			words = scriptWords(text)
		}
		for _, word := range identifiers {
			if used["identifier "+word] = true; names[word] && generic[word].identifier == "" {
				t.Errorf("%s: the identifier %s is a name of the schema", file, word)
			}
		}
		for _, word := range literals {
			if used["literal "+word] = true; names[word] && generic[word].literal == "" {
				t.Errorf("%s: the literal %q is a name of the schema", file, word)
			}
		}
		for _, word := range words {
			if used["script "+word] = true; names[word] && inScripts[word] == "" {
				t.Errorf("%s: %s is a name of the schema", file, word)
			}
		}
		return nil
	})
	if err != nil || scripts < 3 {
		t.Fatalf("%d scripts, want at least 3: %v", scripts, err)
	}
	for word := range inScripts {
		if !names[word] || !used["script "+word] {
			t.Errorf("%s is not used in scripts: remove it from inScripts", word)
		}
	}
	for word, meaning := range generic {
		literal := used["literal "+word]
		if !names[word] || !used["identifier "+word] || literal != (meaning.literal != "") {
			t.Errorf("%s in generic: in the schema %t, as identifier %t, as literal %t",
				word, names[word], used["identifier "+word], literal)
		}
	}
}

func schemaNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	schema := exec.NewExecutableSchema(exec.Config{}).Schema()
	for name, def := range schema.Types {
		if def.BuiltIn || def.Kind == ast.Scalar || strings.HasPrefix(name, "__") {
			continue
		}
		names[name] = def != schema.Query && def != schema.Mutation && def != schema.Subscription
		for _, f := range def.Fields {
			names[f.Name] = !strings.HasPrefix(f.Name, "__")
		}
	}
	for _, name := range []string{
		"User", "Node", "Visibility", "PostTwitInput", "followers", "clientMutationId", "author", "code", "message",
	} {
		if !names[name] {
			t.Fatalf("%s is missing in the schema's names %v", name, names)
		}
	}
	return names
}

func goWords(text []byte) (identifiers, literals []string) {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", -1, len(text)), text, func(token.Position, string) {}, 0)
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return identifiers, literals
		case token.IDENT:
			identifiers = append(identifiers, literal)
		case token.STRING:
			text, err := strconv.Unquote(literal)
			if err != nil {
				continue
			}
			literals = append(literals, text)
			for _, key := range jsonKey.FindAllStringSubmatch(text, -1) {
				literals = append(literals, key[1])
			}
		}
	}
}

var (
	jsonKey       = regexp.MustCompile(`"(\w+)(?:,omitempty)?"`)
	scriptComment = regexp.MustCompile(`(?s:/\*.*?\*/)|(?m:(^|[^:])//.*$)`)
	scriptWord    = regexp.MustCompile(`[A-Za-z_][0-9A-Za-z_]*`)
)

func scriptWords(text []byte) []string {
	return scriptWord.FindAllString(scriptComment.ReplaceAllString(string(text), ""), -1)
}
