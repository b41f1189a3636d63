package documents

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		link, target, isLink := strings.Cut(name, " -> ")
		path := filepath.Join(dir, link)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil && isLink {
			err = os.Symlink(target, path)
		} else if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func texts(trusted *Trusted) map[string]string {
	all := map[string]string{}
	for d := range trusted.All() {
		all[d.Hash] = d.Text
	}
	return all
}

const relayManifest, apolloManifest = `{"md5ofA":"{a}"}`, `{"format":"apollo-persisted-query-manifest","version":1,` +
	`"operations":[{"id":"idOfB","name":"B","type":"query","body":"query B{b}"}]}`

func TestManifestsOfEveryFormatAreRead(t *testing.T) {
	codegen := `{"` + Hash("{c}") + `":"{c}"}`
	for _, test := range []struct {
		name  string
		files map[string]string
		paths string
		want  map[string]string
	}{
		{"Relay's persisted_queries.json", map[string]string{"persisted_queries.json": relayManifest},
			"persisted_queries.json", map[string]string{"md5ofA": "{a}"}},
		{"graphql-codegen's persisted-documents.json", map[string]string{"persisted-documents.json": codegen},
			"persisted-documents.json", map[string]string{Hash("{c}"): "{c}"}},
		{"Apollo's operation manifest", map[string]string{"manifest.json": apolloManifest}, "manifest.json",
			map[string]string{"idOfB": "query B{b}"}},
		{"a manifest with another extension", map[string]string{"manifest": relayManifest}, "manifest",
			map[string]string{"md5ofA": "{a}"}},
		{"a .graphql file has its SHA-256", map[string]string{"a.graphql": "query A { a }\n"}, "a.graphql",
			map[string]string{Hash("query A { a }\n"): "query A { a }\n"}},
		{"a directory of all formats, and other files",
			map[string]string{"v1/a.json": relayManifest, "v2/b.json": apolloManifest, "c.graphql": "{c}", "d.gql": "{d}",
				"README.md": "no document", ".hidden.json": "no document", ".git/config.json": "no document"},
			".", map[string]string{"md5ofA": "{a}", "idOfB": "query B{b}", Hash("{c}"): "{c}", Hash("{d}"): "{d}"}},
		{"several versions of a client", map[string]string{"1.json": `{"x":"{a}","y":"{b}"}`, "2.json": `{"x":"{a}","z":"{c}"}`},
			"1.json 2.json", map[string]string{"x": "{a}", "y": "{b}", "z": "{c}"}},
		{"a volume of Kubernetes, with a folder", map[string]string{"..2026_01/a.json": relayManifest,
			"..2026_01/more/b.json": apolloManifest, "..data -> ..2026_01": "", "a.json -> ..data/a.json": "",
			"more -> ..data/more": ""}, ".", map[string]string{"md5ofA": "{a}", "idOfB": "query B{b}"}},
		{"equal hashes, with a prefix and without", map[string]string{"a.json": `{"sha256:` + Hash("{a}") + `":"{a}","` +
			Hash("{a}") + `":"{a}","AB":"{b}","ab":"{c}"}`}, ".",
			map[string]string{Hash("{a}"): "{a}", "AB": "{b}", "ab": "{c}"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, test.files)
			var paths []string
			for _, path := range strings.Fields(test.paths) {
				paths = append(paths, filepath.Join(dir, path))
			}
			trusted, err := Read(paths...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, texts(trusted)); diff != "" || trusted.Len() != len(test.want) {
				t.Errorf("%d hashes (-want +got):\n%s", trusted.Len(), diff)
			}
		})
	}
}

func TestInvalidManifestsAreRejected(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no JSON", map[string]string{"a.json": "query"}, "a.json is no manifest: a manifest is a JSON object: "},
		{"a truncated manifest", map[string]string{"a.json": relayManifest[:10]}, "a.json is no manifest"},
		{"null", map[string]string{"a.json": "null"}, "a.json has no document"},
		{"another JSON object", map[string]string{"package.json": `{"name":"app","version":1}`},
			"package.json is no JSON object of documents by their hashes: "},
		{"an unknown format", map[string]string{"a.json": `{"format":"other","version":1,"operations":[]}`},
			`a.json has the format "other" in version 1: only apollo-persisted-query-manifest in version 1 is known`},
		{"a later version of Apollo's manifest",
			map[string]string{"a.json": strings.Replace(apolloManifest, `"version":1`, `"version":2`, 1)},
			`a.json has the format "apollo-persisted-query-manifest" in version 2: only `},
		{"operations that are no list",
			map[string]string{"a.json": `{"format":"apollo-persisted-query-manifest","version":1,"operations":1}`},
			"a.json is no apollo-persisted-query-manifest: "},
		{"no operations", map[string]string{"a.json": `{"format":"apollo-persisted-query-manifest","version":1}`},
			"a.json has no document"},
		{"an operation without an id", map[string]string{"a.json": strings.Replace(apolloManifest, "idOfB", "", 1)},
			"a.json has a document without a hash"},
		{"two operations of an id", map[string]string{"a.json": strings.Replace(apolloManifest, "[", `[{"id":"idOfB","body":"{x}"},`, 1)},
			`a.json has two documents for the id "idOfB": keep one of them`},
		{"no documents", map[string]string{"a.json": `{}`}, "a.json has no document"},
		{"an empty document", map[string]string{"a.json": `{"abc":""}`}, "a hash without a document"},
		{"an empty hash", map[string]string{"a.json": `{"sha256:":"{a}"}`}, "a document without a hash"},
		{"two documents of a hash with and without prefix",
			map[string]string{"a.json": `{"sha256:` + Hash("{a}") + `":"{a}","` + Hash("{a}") + `":"{b}"}`},
			`a.json has two documents for the hash "` + Hash("{a}") + `": keep one of them`},
		{"two documents of a hash in two cases",
			map[string]string{"a.json": `{"` + strings.ToUpper(Hash("{b}")) + `":"{a}","` + Hash("{b}") + `":"{b}"}`},
			"a.json has two documents for the hash"},
		{"two documents of a hash in two files", map[string]string{"a.json": `{"x":"{a}"}`, "b.json": `{"x":"{b}"}`},
			`b.json have different documents for the hash "x": keep one of them`},
		{"a document that is half written", map[string]string{"a.graphql": "{ a"},
			"a.graphql is no GraphQL document: "},
		{"an empty directory", nil, ": there are no documents: give .json manifests, .graphql files, or"},
		{"a dangling link", map[string]string{"a.json -> nowhere.json": ""}, "a.json: no such file"},
		{"a link to a directory above", map[string]string{"a.json": relayManifest, "b/loop -> ..": ""},
			"b/loop is a link to a directory that contains it: remove it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, test.files)
			if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q in it", err, test.want)
			}
		})
	}
	t.Run("a missing file", func(t *testing.T) {
		if _, err := Read("/nowhere/documents.json"); err == nil {
			t.Error("got no error")
		}
	})
	t.Run("a pipe", func(t *testing.T) {
		pipe := filepath.Join(t.TempDir(), "pipe.json")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(pipe); err == nil ||
			!strings.HasSuffix(err.Error(), "pipe.json is neither a file nor a directory") {
			t.Error(err)
		}
	})
	t.Run("more than 64 MiB in all files", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, map[string]string{"0.json": relayManifest, "1.json": ""})
		if err := os.Truncate(filepath.Join(dir, "1.json"), maxBytes); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil ||
			!strings.HasSuffix(err.Error(), "1.json: the files have more than 67108864 bytes in total") {
			t.Error(err)
		}
	})
}

func TestAllIsSortedByHash(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"b.json": `{"b":"{b}","d":"{d}"}`, "a.json": `{"c":"{c}","a":"{a}"}`})
	trusted, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []Document
	for d := range trusted.All() {
		got = append(got, d)
	}
	a, b := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	want := []Document{{"a", "{a}", a}, {"b", "{b}", b}, {"c", "{c}", a}, {"d", "{d}", b}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
