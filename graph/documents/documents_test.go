package documents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

// manifest reads a manifest of that text.
func manifest(t *testing.T, text string) (*Trusted, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "documents.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Read(file)
}

// extensions are those of a request's JSON.
func extensions(t *testing.T, text string) (all map[string]any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

func persisted(hash string) string {
	return `{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}}`
}

func TestWhatARequestNames(t *testing.T) {
	trusted, err := manifest(t, `{"md5ofA":"{a}","`+sum("{b}")+`":"{b}"}`)
	if err != nil {
		t.Fatal(err)
	}
	const (
		unknown   = "PersistedQueryNotFound"
		untrusted = "this server takes trusted documents alone, and this is none of them"
		malformed = `extensions.persistedQuery is of the form {"version":1,"sha256Hash":"…"}`
		foreign   = "the hash is not that of the query"
	)
	any, some, alone := New(nil, true), New(trusted, false), New(trusted, true)
	for _, r := range []*Registry{any, some, alone} {
		r.Register(&graphql.OperationContext{RawQuery: "{r}", Extensions: extensions(t, persisted(sum("{r}")))})
	}
	for _, test := range []struct {
		name              string
		r                 *Registry
		query, extensions string
		want, err         string
	}{
		{"a document without a hash is executed", any, "{a}", `{}`, "{a}", ""},
		{"a hash that nobody registered is unknown", any, "", persisted(sum("{a}")), "", unknown},
		{"a document is known by its hash once it is registered", any, "", persisted(sum("{r}")), "{r}", ""},
		{"nothing at all is no document", any, "", `{}`, "", ""},
		{"a hash and its document is that document", any, "{a}", persisted(sum("{a}")), "{a}", ""},
		{"a hash and another document is refused", any, "{a}", persisted(sum("{b}")), "", foreign},
		{"a hash of another version of the protocol is refused", any, "", `{"persistedQuery":{"version":2,"sha256Hash":"x"}}`, "", malformed},
		{"so is one that is no text", any, "", `{"persistedQuery":{"version":1,"sha256Hash":1}}`, "", malformed},
		{"and one that is empty", any, "{a}", persisted(""), "", malformed},
		{"and one that is not there", any, "{a}", `{"persistedQuery":true}`, "", malformed},
		{"no hash is no hash", any, "{a}", `{"persistedQuery":null}`, "{a}", ""},
		{"beside trusted documents others are registered", some, "", persisted(sum("{r}")), "{r}", ""},
		{"a trusted document is known from the start", some, "", persisted("md5ofA"), "{a}", ""},
		{"whichever hash the manifest has, it may come with its document", some, "{a}", persisted("md5ofA"), "{a}", ""},
		{"but with no other", some, "{b}", persisted("md5ofA"), "", foreign},
		{"alone, trusted documents are known", alone, "", persisted(sum("{b}")), "{b}", ""},
		{"alone, they may come as they are", alone, "{b}", `{}`, "{b}", ""},
		{"alone, another document is refused", alone, "{c}", `{}`, "", untrusted},
		{"also with its hash", alone, "{c}", persisted(sum("{c}")), "", untrusted},
		{"also with the hash of a trusted one", alone, "{c}", persisted(sum("{b}")), "", untrusted},
		{"and nobody registers one", alone, "", persisted(sum("{r}")), "", untrusted},
		{"and nothing is refused too", alone, "", `{}`, "", untrusted},
	} {
		t.Run(test.name, func(t *testing.T) {
			params := &graphql.RawParams{Query: test.query, Extensions: extensions(t, test.extensions)}
			refusal := test.r.Resolve(params)
			if refusal != nil {
				if refusal.Message != test.err {
					t.Errorf("the error is %q, want %q", refusal.Message, test.err)
				}
			} else if test.err != "" || params.Query != test.want {
				t.Errorf("the document is %q, want %q and the error %q", params.Query, test.want, test.err)
			}
		})
	}
}

func TestADocumentIDIsAHash(t *testing.T) {
	digest := sum("{a}")
	for id, want := range map[string]string{"sha256:abc": "abc", "abc": "abc", "x-app:1": "x-app:1", "md5:ABC": "md5:ABC",
		digest: digest, prefix + digest: digest, prefix + strings.ToUpper(digest): digest, strings.ToUpper(digest): digest,
		prefix + strings.ToUpper(digest[:62]): strings.ToUpper(digest[:62])} {
		given := map[string]any{"a": 1}
		got, err := hashOf(Named(given, id))
		if err != nil || got != want || len(given) != 1 {
			t.Errorf("%s is the hash %q, %v; the client's extensions are %v", id, got, err, given)
		}
	}
	if Names(Named(nil, "")) {
		t.Error("no id is a hash")
	}
}

func TestManifestsThatAreNone(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"no JSON", "query", "is no JSON object of documents by their hashes"},
		{"Apollo's own form", `{"format":"apollo-persisted-query-manifest","version":1}`, "is no JSON object of documents by their hashes"},
		{"an empty one", `{}`, "has no document"},
		{"a hash of nothing", `{"abc":""}`, "a hash without a document"},
		{"a prefix alone", `{"sha256:":"{a}"}`, "has a document without a hash"},
		{"one hash in two spellings with two documents", `{"sha256:` + sum("{a}") + `":"{a}","` + sum("{a}") + `":"{b}"}`,
			`has two documents for the hash "` + sum("{a}") + `": keep one of them`},
		{"also in two cases", `{"` + strings.ToUpper(sum("{b}")) + `":"{a}","` + sum("{b}") + `":"{b}"}`, "has two documents for the hash"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := manifest(t, test.text); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q in it", err, test.want)
			}
		})
	}
	if _, err := Read("/nowhere/documents.json"); err == nil {
		t.Error("a file that is not there is read")
	}
}

func TestManifestMayWriteAHashTwice(t *testing.T) {
	trusted, err := manifest(t, `{"sha256:`+sum("{a}")+`":"{a}","`+sum("{a}")+`":"{a}","AB":"{b}","ab":"{c}"}`)
	if err != nil || trusted.Len() != 3 {
		t.Fatal(trusted, err)
	}
	for hash, want := range map[string]string{sum("{a}"): "{a}", "AB": "{b}", "ab": "{c}"} {
		if got, _ := trusted.byHash(hash); got != want {
			t.Errorf("%s is %q, want %q", hash, got, want)
		}
	}
}

func TestRegisteredDocumentsAreBounded(t *testing.T) {
	e := New(nil, false)
	long := strings.Repeat(" ", 1<<20-overhead)
	for i := range 100 {
		e.Register(&graphql.OperationContext{RawQuery: long, Extensions: extensions(t, persisted(fmt.Sprint(i)))})
		if _, known := e.registered.Get("0"); !known {
			t.Error("the document that is used is dropped")
		}
	}
	if n := len(e.registered.Values()); n != maxRegistered>>20 {
		t.Errorf("%d of a megabyte are kept", n)
	}
	for hash, want := range map[string]bool{"0": true, "1": false, "99": true} {
		if _, known := e.registered.Get(hash); known != want {
			t.Errorf("%s is known: %v", hash, known)
		}
	}
}
