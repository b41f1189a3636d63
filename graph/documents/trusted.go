package documents

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
)

// maxManifest is the maximum size of a manifest in bytes.
const maxManifest = 64 << 20

// Trusted has the documents of a manifest. A nil *Trusted has none.
type Trusted struct {
	hashes map[string]string   // documents by normalized hash
	texts  map[string]struct{} // documents
}

// Read reads a manifest: a JSON object from hash to document, as written by Relay's compiler and
// graphql-codegen. A SHA-256 may have the prefix sha256:.
func Read(file string) (*Trusted, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxManifest {
		return nil, fmt.Errorf("%s has %d bytes, and a manifest has %d at most", file, info.Size(), maxManifest)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var manifest map[string]string
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, fmt.Errorf("%s is no JSON object of documents by their hashes: %w", file, err)
	}
	if len(manifest) == 0 {
		return nil, errors.New(file + " has no document")
	}
	t := &Trusted{hashes: make(map[string]string, len(manifest)), texts: make(map[string]struct{}, len(manifest))}
	for hash, document := range manifest {
		key := normal(hash)
		if key == "" || document == "" {
			return nil, errors.New(file + " has a document without a hash, or a hash without a document")
		}
		if other, twice := t.hashes[key]; twice && other != document {
			return nil, fmt.Errorf("%s has two documents for the hash %q: keep one of them", file, key)
		}
		t.hashes[key], t.texts[document] = document, struct{}{}
	}
	return t, nil
}

// All iterates over the documents by hash.
func (t *Trusted) All() iter.Seq2[string, string] { return maps.All(t.hashes) }

// Len returns the number of hashes.
func (t *Trusted) Len() int { return len(t.hashes) }

func (t *Trusted) byHash(hash string) (document string, known bool) {
	if t == nil {
		return "", false
	}
	document, known = t.hashes[hash]
	return document, known
}

func (t *Trusted) has(document string) bool {
	_, has := t.texts[document]
	return has
}
