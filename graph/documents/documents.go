// Package documents knows GraphQL documents by their hashes, so that clients need not send them: those of a manifest, which are trusted, and those that clients
// register as Apollo's automatic persisted queries.
package documents

import (
	"context"
	"encoding/json"
	"maps"
	"math"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/recent"
)

// maxRegistered is how many bytes the registered documents have at most, all together. The least recent are forgotten: their clients send them again.
const maxRegistered = 16 << 20

// overhead is what a document takes beside its text: its hash, and its place in the list.
const overhead = 256

// Extension puts the document in place of its hash. It is one of gqlgen's, and comes before whatever looks at documents. It is safe for concurrent use.
type Extension struct {
	trusted    *Trusted
	alone      bool
	registered *recent.Cache[string, string] // by their SHA-256, in its normal spelling
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationParameterMutator
	graphql.OperationContextMutator
} = (*Extension)(nil)

// New returns the extension that knows the documents of a manifest; nil is no manifest. If they are accepted alone, all others are refused; else clients
// register what they like.
func New(trusted *Trusted, alone bool) *Extension {
	return &Extension{trusted: trusted, alone: alone && trusted != nil, registered: recent.New[string, string](math.MaxInt, maxRegistered)}
}

// ExtensionName implements [graphql.HandlerExtension].
func (*Extension) ExtensionName() string { return "documents" }

// Validate implements [graphql.HandlerExtension].
func (*Extension) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters implements [graphql.OperationParameterMutator].
func (e *Extension) MutateOperationParameters(_ context.Context, params *graphql.RawParams) *gqlerror.Error {
	hash, refusal := hashOf(params.Extensions)
	if refusal == nil {
		params.Query, refusal = e.document(params.Query, hash)
	}
	if refusal != nil {
		return gqlerror.Wrap(refusal)
	}
	return nil
}

// The messages are those by which clients of Apollo's know the errors, where they don't look at the code.
var (
	errUnknown   = &apierr.Error{Code: apierr.CodePersistedQueryNotFound, Message: "PersistedQueryNotFound"}
	errUntrusted = apierr.Forbidden("this server takes trusted documents alone, and this is none of them")
)

// document returns what is to be executed, of a query and a hash of which either may be missing.
func (e *Extension) document(query, hash string) (string, *apierr.Error) {
	trusted, known := e.trusted.byHash(hash)
	switch {
	case query == "" && known:
		return trusted, nil
	case e.alone && (query == "" || !e.trusted.has(query)):
		return "", errUntrusted
	case query == "" && hash == "":
		return "", nil // which is no document
	case query == "":
		if query, known = e.registered.Get(hash); !known {
			return "", errUnknown
		}
		return query, nil
	case hash != "" && query != trusted && hash != sum(query):
		return "", apierr.BadUserInput("the hash is not that of the query")
	}
	return query, nil
}

// MutateOperationContext implements [graphql.OperationContextMutator]: a document is registered as soon as it is known to be valid.
func (e *Extension) MutateOperationContext(_ context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	if hash, _ := hashOf(operation.Extensions); hash != "" && !e.alone {
		if _, trusted := e.trusted.byHash(hash); !trusted {
			e.registered.Add(hash, operation.RawQuery, len(operation.RawQuery)+overhead)
		}
	}
	return nil
}

// The names of what clients send.
const (
	extension = "persistedQuery"
	version   = "1"
)

// ambiguous stands in the extensions of a request for hashes of different documents. No client can send it.
type ambiguous struct{}

// Named returns the extensions of a request that names its document by fields with these ids, such as
// documentId in the specification of GraphQL over HTTP. Apollo's clients send the id in
// extensions.persistedQuery instead. A request with two different hashes is refused by the [Extension].
func Named(extensions map[string]any, ids ...string) map[string]any {
	hash, refusal := hashOf(extensions)
	if refusal != nil {
		return extensions
	}
	var named map[string]any
	for _, id := range ids {
		switch {
		case id == "":
		case hash != "" && normal(id) != normal(hash):
			return with(extensions, ambiguous{})
		default:
			hash, named = id, map[string]any{"version": json.Number(version), "sha256Hash": id}
		}
	}
	if named == nil {
		return extensions
	}
	return with(extensions, named)
}

// with returns a copy of extensions that names a document this way.
func with(extensions map[string]any, name any) map[string]any {
	named := map[string]any{}
	maps.Copy(named, extensions)
	named[extension] = name
	return named
}

// Names reports whether the extensions name a document, so that the request need not have one.
func Names(extensions map[string]any) bool { return extensions[extension] != nil }

// hashOf returns the hash that the extensions name, in its normal spelling; empty if they name none.
func hashOf(extensions map[string]any) (string, *apierr.Error) {
	if !Names(extensions) {
		return "", nil
	}
	if extensions[extension] == any(ambiguous{}) {
		return "", apierr.BadUserInput("documentId, doc_id and extensions.persistedQuery name different documents: send one of them")
	}
	fields, _ := extensions[extension].(map[string]any)
	hash, isText := fields["sha256Hash"].(string)
	if number, _ := fields["version"].(json.Number); number != version || !isText || normal(hash) == "" {
		return "", apierr.BadUserInput(`extensions.persistedQuery is of the form {"version":1,"sha256Hash":"…"}`)
	}
	return normal(hash), nil
}
