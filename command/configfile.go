package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

type configFile struct {
	path   string
	values map[string]configValue
}

type configValue struct {
	line int
	text string
}

// maxConfigFile is in bytes. The parser needs a thousand bytes of memory per byte of deeply nested
// text.
const maxConfigFile = 64 << 10

// readConfigFile rejects an empty file, because an editor may be writing it.
func readConfigFile(path string, app *kong.Application) (*configFile, error) {
	text, err := readLimited(path, maxConfigFile)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("--config: %s is empty: for a file without settings, write a comment in it", path)
	}
	c := &configFile{path, map[string]configValue{}}
	entries, err := c.entries(text)
	if err != nil {
		return nil, err
	}
	flags := fileFlags(app)
	var errs []error
	for _, entry := range entries {
		line, key := entry.Key.GetToken().Position.Line, entry.Key.GetToken().Value
		text, err := valueOf(key, entry.Value, flags)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", path, line, err))
			continue
		}
		c.values[key] = configValue{line, text}
	}
	return c, errors.Join(errs...)
}

func (c *configFile) entries(text []byte) ([]*ast.MappingValueNode, error) {
	file, err := parser.ParseBytes(text, 0)
	if syntax := yaml.Error(nil); errors.As(err, &syntax) {
		return nil, fmt.Errorf("%s:%d: %s", c.path, syntax.GetToken().Position.Line, syntax.GetMessage())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.path, err)
	}
	var bodies []ast.Node
	for _, document := range file.Docs { // the last one is empty after a trailing ---
		if document.Body != nil && document.Body.Type() != ast.CommentType {
			bodies = append(bodies, document.Body)
		}
	}
	if len(bodies) == 0 {
		return nil, nil
	}
	last := bodies[len(bodies)-1]
	root, ok := last.(*ast.MappingNode)
	if !ok || len(bodies) > 1 {
		return nil, fmt.Errorf("%s:%d: write one mapping from names of flags to values, as in 'listen: :8080'",
			c.path, last.GetToken().Position.Line)
	}
	return root.Values, nil
}

func fileFlags(app *kong.Application) map[string]*kong.Flag {
	flags := map[string]*kong.Flag{}
	_ = kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok && len(flag.Envs) > 0 && flag.Name != configFlag {
			flags[flag.Name] = flag
		}
		return next(nil)
	})
	return flags
}

// valueOf checks a value, and returns it as on a command line.
func valueOf(key string, node ast.Node, flags map[string]*kong.Flag) (string, error) {
	flag := flags[key]
	if flag == nil {
		return "", fmt.Errorf("unknown key %q, did you mean %q?", key, nearest(key, flags))
	}
	text, err := textOf(node, flag)
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	target := reflect.New(flag.Target.Type()).Elem()
	if err := flag.Parse(kong.Scan().PushTyped(text, kong.FlagValueToken), target); err != nil {
		return "", fmt.Errorf("%s: %w", key, errors.Unwrap(err))
	}
	if allowed := flag.EnumSlice(); flag.Enum != "" && !flag.EnumMap()[text] {
		return "", fmt.Errorf("%s must be one of %s, not %q", key, strings.Join(allowed, ", "), text)
	}
	return text, nil
}

func textOf(node ast.Node, flag *kong.Flag) (string, error) {
	switch {
	case flag.IsSlice() && node.Type() == ast.SequenceType:
		return joined(node.(*ast.SequenceNode).Values, flag.Tag.Sep)
	case flag.IsMap() && node.Type() == ast.MappingType:
		var pairs []string
		for _, entry := range node.(*ast.MappingNode).Values {
			text, err := scalar(entry.Value)
			if err != nil {
				return "", err
			}
			pairs = append(pairs, entry.Key.GetToken().Value+"="+text)
		}
		return kong.JoinEscaped(pairs, flag.Tag.MapSep), nil
	case flag.IsMap():
		return "", errors.New("expected a mapping from names to values")
	case flag.IsBool() != (node.Type() == ast.BoolType):
		return "", fmt.Errorf("expected %s but got %s", expected(flag), strings.TrimSpace(node.String()))
	}
	return scalar(node)
}

func expected(flag *kong.Flag) string {
	if flag.IsBool() {
		return "true or false"
	}
	return flag.FormatPlaceHolder()
}

func joined(nodes []ast.Node, separator rune) (string, error) {
	var texts []string
	for _, node := range nodes {
		text, err := scalar(node)
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	return kong.JoinEscaped(texts, separator), nil
}

func scalar(node ast.Node) (string, error) {
	switch node.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return node.GetToken().Value, nil
	case *ast.NullNode:
		return "", errors.New("it has no value: write one, or remove the key")
	}
	return "", fmt.Errorf("expected one value but got a %s", strings.ToLower(node.Type().String()))
}

func nearest(key string, flags map[string]*kong.Flag) (best string) {
	for name := range flags {
		to, from := levenshtein.ComputeDistance(key, name), levenshtein.ComputeDistance(key, best)
		if best == "" || to < from || to == from && name < best {
			best = name
		}
	}
	return best
}

func (c *configFile) Validate(*kong.Application) error { return nil }

func (c *configFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	value, set := c.values[flag.Name]
	if !set || len(flag.Envs) == 0 {
		return nil, nil
	}
	for _, variable := range flag.Envs {
		if _, overrides := os.LookupEnv(variable); overrides {
			return nil, nil
		}
	}
	return value.text, nil
}

func readLimited(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s has more than %d KiB", path, limit>>10)
	}
	return text, err
}
