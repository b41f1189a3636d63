package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

func configured(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "twibase.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func parsed(t *testing.T, args ...string) (line commandLine) {
	t.Helper()
	if _, err := newParser(t.Context(), &line, io.Discard, io.Discard).Parse(args); err != nil {
		t.Fatal(err)
	}
	return line
}

func TestConfigFileSetsFlags(t *testing.T) {
	file := configured(t, `
listen: :1
drain-delay: 7s
production: true
concurrency: 3
limit: {rows: 10, rpcs: 20}
cors: [https://a.example, "https://b.example"]
trusted-proxies: 10.0.0.0/8
documents: ['a,b', c]
log-level: warn
store: "embedded:"
`)
	s := parsed(t, "serve", "--config", file).Serve
	got := []any{s.Listen, s.DrainDelay, s.Production, *s.Concurrency, s.Limit, s.CORS, s.TrustedProxies[0].String(),
		s.Documents}
	want := []any{":1", 7 * time.Second, true, 3, map[string]int{"rows": 10, "rpcs": 20},
		[]string{"https://a.example", "https://b.example"}, "10.0.0.0/8", []string{"a,b", "c"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	t.Run("the file applies to all commands", func(t *testing.T) {
		line := parsed(t, "tables", "list", "--config", file)
		if line.LogLevel != "warn" || line.Tables.List.Store != "embedded:" {
			t.Errorf("%+v", line.Tables.List)
		}
	})
	t.Run("a flag overrides a variable, which overrides the file", func(t *testing.T) {
		t.Setenv("TWIBASE_CONFIG", file)
		t.Setenv("TWIBASE_LISTEN", ":2")
		t.Setenv("TWIBASE_DRAIN_DELAY", "8s")
		s := parsed(t, "serve", "--listen", ":3").Serve
		if s.Listen != ":3" || s.DrainDelay != 8*time.Second || *s.Concurrency != 3 || s.RowCache != 32 {
			t.Errorf("%+v", s)
		}
	})
}

func TestConfigCheckReportsInvalidKeys(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"no keys", "# listen: :1\n", ""},
		{"keys", "listen: :1\nstore: 'embedded:'\n", ""},
		{"key of another command", "skip-bad: true\n", ""},
		{"unknown key", "\nlsten: :1\n", `FILE:2: unknown key "lsten", did you mean "listen"?`},
		{"name of a variable", "jwt_secret_file: a\n", `FILE:1: unknown key "jwt_secret_file", did you mean "jwt-secret-file"?`},
		{"a file in a file", "config: a\n", `FILE:1: unknown key "config"`},
		{"no number", "concurrency: abc\n", `FILE:1: concurrency: expected a valid 64 bit int but got "abc"`},
		{"no duration", "drain-delay: 5\n", `FILE:1: drain-delay: expected duration but got "5"`},
		{"no boolean", "production: yes\n", "FILE:1: production: expected true or false but got yes"},
		{"a boolean", "listen: true\n", "FILE:1: listen: expected HOST:PORT but got true"},
		{"a list", "listen: [a]\n", "FILE:1: listen: expected one value but got a sequence"},
		{"a list of lists", "cors: [[a]]\n", "FILE:1: cors: expected one value but got a sequence"},
		{"no mapping", "limit: 5\n", "FILE:1: limit: expected a mapping"},
		{"no value", "tls-cert:\n", "FILE:1: tls-cert: it has no value"},
		{"no level", "log-level: loud\n", `FILE:1: log-level must be one of debug, info, warn, error, not "loud"`},
		{"no network", "trusted-proxies: [10.0.0.0/8, ten]\n", `FILE:1: trusted-proxies: netip.ParsePrefix("ten")`},
		{"two errors", "a: 1\nlisten: :1\nb: 2\n", "FILE:3: unknown key \"b\""},
		{"unknown limit", "\nlimit: {rowz: 1}\n", `FILE:2: serve: --limit: there is no limit "rowz"; there are `},
		{"invalid combination", "listen: :1\ntls-cert: a\n", "FILE:2: serve: --tls-cert and --tls-key need each other"},
		{"unknown kind of store", "listen: :1\nstore: mysql://localhost\n", "FILE:2: serve: --store must be embedded:DIR"},
		{"store with a password", "store: hbase://me:secret@zk1\n",
			`FILE:1: serve: --store: hbase: invalid request: store "…@zk1": it can have no user`},
		{"invalid namespace", "store: hbase://zk1\nnamespace: 'a:b'\n", "FILE:2: serve: --namespace: hbase: invalid request"},
		{"a key twice", "listen: a\nlisten: b\n", `FILE:2: mapping key "listen" already defined`},
		{"no YAML", "listen: 'a\n", "FILE:1: could not find end character of single-quoted text"},
		{"a list of keys", "- listen\n", "FILE:1: write one mapping from names of flags to values"},
		{"an empty file", "\n", "--config: FILE is empty"},
		{"a large file", strings.Repeat("[", 64<<10+1), "--config: FILE has more than 64 KiB"},
		{"an empty second document", "listen: a\n---\n", ""},
		{"two documents", "listen: a\n---\nlisten: b\n", "FILE:3: write one mapping"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := configured(t, test.text)
			status, stdout, stderr := command(t, "config", "check", file)
			if test.want == "" {
				if status != statusOK || stdout != "OK\n" || stderr != "" {
					t.Errorf("status %d, %s%s", status, stdout, stderr)
				}
				return
			}
			want := strings.ReplaceAll(test.want, "FILE", file)
			if status != statusFailed || stdout != "" || !strings.Contains("\n"+stderr, "\n"+want) {
				t.Errorf("status %d, %s%s; want %s", status, stdout, stderr, want)
			}
			status, _, stderr = command(t, "serve", "--listen", "nowhere", "--config", file)
			if status != statusUsage || !strings.Contains(stderr, want) {
				t.Errorf("serve: status %d, %s; want %s", status, stderr, want)
			}
		})
	}
	t.Run("missing file", func(t *testing.T) {
		if status, _, stderr := command(t, "schema", "--config", "/nowhere"); status != statusUsage ||
			!strings.Contains(stderr, "--config: open /nowhere: no such file") {
			t.Errorf("status %d, %s", status, stderr)
		}
	})
}

// Flags with the same name share a key of the configuration file.
func TestFlagsOfTheSameNameHaveTheSameType(t *testing.T) {
	types := map[string]string{}
	_ = kong.Visit(modelOf(t), func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			is := flag.Target.Type().String()
			if types[flag.Name] == "" {
				types[flag.Name] = is
			}
			if types[flag.Name] != is {
				t.Errorf("--%s is %s and %s", flag.Name, types[flag.Name], is)
			}
		}
		return next(nil)
	})
}

func modelOf(t *testing.T) *kong.Application {
	t.Helper()
	return newParser(context.Background(), new(commandLine), io.Discard, io.Discard).Model
}

func TestExampleConfigIsComplete(t *testing.T) {
	const example = "../deploy/twibase.yaml"
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := command(t, "config", "check", example); status != statusOK {
		t.Error(stderr)
	}
	commented := regexp.MustCompile(`(?m)^# ([a-z0-9-]+: )`)
	all := configured(t, commented.ReplaceAllString(string(text), "$1"))
	model := modelOf(t)
	file, err := readConfigFile(all, model)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	for key, value := range file.values {
		shown[key] = value.text
	}
	serve := model.Children[slices.IndexFunc(model.Children, func(n *kong.Node) bool { return n.Name == "serve" })]
	for _, flag := range slices.Concat(serve.Flags, model.Flags) {
		value, is := shown[flag.Name]
		delete(shown, flag.Name)
		set := strings.Contains(string(text), "\n"+flag.Name+": ")
		switch {
		case len(flag.Envs) == 0 || flag.Name == configFlag:
		case !is:
			t.Errorf("%s lacks %s", example, flag.Name)
		case flag.IsBool() && value != "false", flag.HasDefault && !set && value != flag.Default:
			t.Errorf("%s: the default is %q, not %q", flag.Name, flag.Default, value)
		}
	}
	if len(shown) > 0 {
		t.Errorf("%s has keys that serve does not have: %v", example, shown)
	}
}

func TestVariablesHaveTheNamesOfTheirFlags(t *testing.T) {
	model := modelOf(t)
	flags := slices.Clone(model.Flags)
	for _, command := range model.Leaves(false) {
		flags = append(flags, command.Flags...)
	}
	for _, flag := range flags {
		want := "TWIBASE_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		if len(flag.Envs) > 0 && !slices.Equal(flag.Envs, []string{want}) {
			t.Errorf("--%s has %q, want %s", flag.Name, flag.Envs, want)
		}
	}
}
