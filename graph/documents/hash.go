package documents

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// prefix is how a document's id begins that is a SHA-256, as GraphQL over HTTP and graphql-codegen write it.
const prefix = "sha256:"

// normal returns the one spelling of a hash under which its document is found: sha256: is left out, and a
// SHA-256 has lower-case digits. Other hashes, such as Relay's MD5, stay as they are.
func normal(hash string) string {
	hash = strings.TrimPrefix(hash, prefix)
	if digest, err := hex.DecodeString(hash); err == nil && len(digest) == sha256.Size {
		return hex.EncodeToString(digest)
	}
	return hash
}

// sum returns the SHA-256 of a document in its normal spelling.
func sum(document string) string {
	digest := sha256.Sum256([]byte(document))
	return hex.EncodeToString(digest[:])
}
