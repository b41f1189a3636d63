// Package documents resolves hashes to GraphQL documents: trusted documents from files, and
// documents that clients register (Apollo's automatic persisted queries).
package documents

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
	"twibase/graph/recent"
)

const maxRegistered = 16 << 20 // bytes

const overhead = 256 // bytes of a document in addition to its text

// Registry resolves hashes to documents, and is safe for concurrent use.
type Registry struct {
	trusted    *Trusted
	only       bool
	registered *recent.Cache[string, string]
}

// New returns a registry. If trusted is not nil and trustedOnly is true, it rejects all other
// documents. Otherwise clients may register any.
func New(trusted *Trusted, trustedOnly bool) *Registry {
	registered := recent.New[string, string](math.MaxInt, maxRegistered)
	return &Registry{trusted: trusted, only: trustedOnly && trusted != nil, registered: registered}
}

// Resolve sets the document of a request that has its hash, or rejects the request.
func (r *Registry) Resolve(params *graphql.RawParams) *apierr.Error {
	hash, rejection := hashOf(params.Extensions)
	if rejection == nil {
		params.Query, rejection = r.document(params.Query, hash)
	}
	return rejection
}

// Apollo's clients may recognise errUnknown by its message.
var (
	errUnknown   = &apierr.Error{Code: apierr.CodePersistedQueryNotFound, Message: "PersistedQueryNotFound"}
	errUntrusted = apierr.Forbidden("this server takes trusted documents alone, and this is none of them")
	errAmbiguous = apierr.BadUserInput(
		"documentId, doc_id and extensions.persistedQuery name different documents: send one of them")
)

func (r *Registry) document(query, hash string) (string, *apierr.Error) {
	set := r.trusted.set()
	trusted, known := set.hashes[hash]
	switch {
	case query == "" && known:
		return trusted.Text, nil
	case r.only && (query == "" || !set.has(query)):
		return "", errUntrusted
	case query == "" && hash == "":
		return "", nil // an empty document is rejected later
	case query == "":
		if query, known = r.registered.Get(hash); !known {
			return "", errUnknown
		}
		return query, nil
	case hash != "" && query != trusted.Text && hash != Hash(query):
		return "", apierr.BadUserInput("the hash is not that of the query")
	}
	return query, nil
}

// Register registers the document of a valid request with its hash.
func (r *Registry) Register(operation *graphql.OperationContext) {
	if hash, _ := hashOf(operation.Extensions); hash != "" && !r.only {
		if _, trusted := r.trusted.set().hashes[hash]; !trusted {
			r.registered.Add(hash, operation.RawQuery, len(operation.RawQuery)+overhead)
		}
	}
}

const (
	extension = "persistedQuery"
	version   = "1"
)

// Named adds persistedQuery to extensions, with an id that the request has elsewhere, such as
// documentId in GraphQL over HTTP. If ids differ, [Registry.Resolve] rejects the request.
func Named(extensions map[string]any, ids ...string) map[string]any {
	hash, rejection := hashOf(extensions)
	if rejection != nil {
		return extensions
	}
	var named map[string]any
	for _, id := range ids {
		switch {
		case id == "":
		case hash != "" && normal(id) != normal(hash):
			return with(extensions, errAmbiguous)
		default:
			hash, named = id, map[string]any{"version": json.Number(version), "sha256Hash": id}
		}
	}
	if named == nil {
		return extensions
	}
	return with(extensions, named)
}

func with(extensions map[string]any, name any) map[string]any {
	named := map[string]any{}
	maps.Copy(named, extensions)
	named[extension] = name
	return named
}

// Names reports whether persistedQuery names a document.
func Names(extensions map[string]any) bool { return extensions[extension] != nil }

func hashOf(extensions map[string]any) (string, *apierr.Error) {
	if !Names(extensions) {
		return "", nil
	}
	if rejection, ok := extensions[extension].(*apierr.Error); ok {
		return "", rejection
	}
	fields, _ := extensions[extension].(map[string]any)
	hash, isText := fields["sha256Hash"].(string)
	if number, _ := fields["version"].(json.Number); number != version || !isText || normal(hash) == "" {
		return "", apierr.BadUserInput(`extensions.persistedQuery is of the form {"version":1,"sha256Hash":"…"}`)
	}
	return normal(hash), nil
}

// prefix marks a SHA-256 in GraphQL over HTTP and in graphql-codegen.
const prefix = "sha256:"

func normal(hash string) string {
	hash = strings.TrimPrefix(hash, prefix)
	if digest, err := hex.DecodeString(hash); err == nil && len(digest) == sha256.Size {
		return hex.EncodeToString(digest)
	}
	return hash
}

// Hash is the SHA-256 that Apollo's clients use.
func Hash(document string) string {
	digest := sha256.Sum256([]byte(document))
	return hex.EncodeToString(digest[:])
}
