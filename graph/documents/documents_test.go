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

func manifest(t *testing.T, text string) (*Trusted, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "documents.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Read(file)
}

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

func TestDocumentsAreResolvedByTheirHashes(t *testing.T) {
	trusted, err := manifest(t, `{"md5ofA":"{a}","`+Hash("{b}")+`":"{b}"}`)
	if err != nil {
		t.Fatal(err)
	}
	const (
		unknown   = "PersistedQueryNotFound"
		untrusted = "this server takes trusted documents alone, and this is none of them"
		malformed = `extensions.persistedQuery is of the form {"version":1,"sha256Hash":"…"}`
		foreign   = "the hash is not that of the query"
	)
	any, some, only := New(nil, true), New(trusted, false), New(trusted, true)
	for _, r := range []*Registry{any, some, only} {
		r.Register(&graphql.OperationContext{RawQuery: "{r}", Extensions: extensions(t, persisted(Hash("{r}")))})
	}
	for _, test := range []struct {
		name              string
		r                 *Registry
		query, extensions string
		want, err         string
	}{
		{"a document without a hash", any, "{a}", `{}`, "{a}", ""},
		{"an unknown hash", any, "", persisted(Hash("{a}")), "", unknown},
		{"a registered hash", any, "", persisted(Hash("{r}")), "{r}", ""},
		{"no hash and no document", any, "", `{}`, "", ""},
		{"a hash with its document", any, "{a}", persisted(Hash("{a}")), "{a}", ""},
		{"a hash with another document", any, "{a}", persisted(Hash("{b}")), "", foreign},
		{"another version of the protocol", any, "", `{"persistedQuery":{"version":2,"sha256Hash":"x"}}`, "", malformed},
		{"a hash that is a number", any, "", `{"persistedQuery":{"version":1,"sha256Hash":1}}`, "", malformed},
		{"an empty hash", any, "{a}", persisted(""), "", malformed},
		{"no object", any, "{a}", `{"persistedQuery":true}`, "", malformed},
		{"null", any, "{a}", `{"persistedQuery":null}`, "{a}", ""},
		{"with trusted documents, a registered hash", some, "", persisted(Hash("{r}")), "{r}", ""},
		{"with trusted documents, a trusted hash", some, "", persisted("md5ofA"), "{a}", ""},
		{"with trusted documents, a trusted hash with its document", some, "{a}", persisted("md5ofA"), "{a}", ""},
		{"with trusted documents, a trusted hash with another document", some, "{b}", persisted("md5ofA"), "", foreign},
		{"only trusted documents: a trusted hash", only, "", persisted(Hash("{b}")), "{b}", ""},
		{"only trusted documents: a trusted document", only, "{b}", `{}`, "{b}", ""},
		{"only trusted documents: another document", only, "{c}", `{}`, "", untrusted},
		{"only trusted documents: another document with its hash", only, "{c}", persisted(Hash("{c}")), "", untrusted},
		{"only trusted documents: another document with a trusted hash", only, "{c}", persisted(Hash("{b}")), "", untrusted},
		{"only trusted documents: a registered hash", only, "", persisted(Hash("{r}")), "", untrusted},
		{"only trusted documents: no document", only, "", `{}`, "", untrusted},
	} {
		t.Run(test.name, func(t *testing.T) {
			params := &graphql.RawParams{Query: test.query, Extensions: extensions(t, test.extensions)}
			rejection := test.r.Resolve(params)
			if rejection != nil {
				if rejection.Message != test.err {
					t.Errorf("the error is %q, want %q", rejection.Message, test.err)
				}
			} else if test.err != "" || params.Query != test.want {
				t.Errorf("the document is %q, want %q and the error %q", params.Query, test.want, test.err)
			}
		})
	}
}

func TestDocumentIDNamesAHash(t *testing.T) {
	digest := Hash("{a}")
	for id, want := range map[string]string{"sha256:abc": "abc", "abc": "abc", "x-app:1": "x-app:1", "md5:ABC": "md5:ABC",
		digest: digest, prefix + digest: digest, prefix + strings.ToUpper(digest): digest, strings.ToUpper(digest): digest,
		prefix + strings.ToUpper(digest[:62]): strings.ToUpper(digest[:62])} {
		given := map[string]any{"a": 1}
		got, err := hashOf(Named(given, id))
		if err != nil || got != want || len(given) != 1 {
			t.Errorf("%s: got hash %q, %v, want %q; the client's extensions are %v", id, got, err, want, given)
		}
	}
	if Names(Named(nil, "")) {
		t.Error("got a hash for an empty id")
	}
}

func TestRegisteredDocumentsAreBounded(t *testing.T) {
	e := New(nil, false)
	long := strings.Repeat(" ", 1<<20-overhead)
	for i := range 100 {
		e.Register(&graphql.OperationContext{RawQuery: long, Extensions: extensions(t, persisted(fmt.Sprint(i)))})
		if _, known := e.registered.Get("0"); !known {
			t.Error("the most recently used document is dropped")
		}
	}
	if n := len(e.registered.Values()); n != maxRegistered>>20 {
		t.Errorf("%d documents of 1 MiB are cached, want %d", n, maxRegistered>>20)
	}
	for hash, want := range map[string]bool{"0": true, "1": false, "99": true} {
		if _, known := e.registered.Get(hash); known != want {
			t.Errorf("%s: known %t, want %t", hash, known, want)
		}
	}
}
