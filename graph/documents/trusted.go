package documents

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
)

// maxManifest is how many bytes a manifest has at most.
const maxManifest = 64 << 20

// Trusted are the documents of a manifest. Nil has none.
type Trusted struct {
	hashes map[string]string   // the documents by their hashes
	texts  map[string]struct{} // the documents
}

// Read reads a manifest: a JSON object of documents by their hashes, as the compilers of Relay and of graphql-codegen write it. Which hash it is, they decide.
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
	t := &Trusted{texts: map[string]struct{}{}}
	if err := json.Unmarshal(text, &t.hashes); err != nil {
		return nil, fmt.Errorf("%s is no JSON object of documents by their hashes: %w", file, err)
	}
	if len(t.hashes) == 0 {
		return nil, errors.New(file + " has no document")
	}
	for hash, document := range t.hashes {
		if hash == "" || document == "" {
			return nil, errors.New(file + " has a document without a hash, or a hash without a document")
		}
		t.texts[document] = struct{}{}
	}
	return t, nil
}

// All are the documents by their hashes.
func (t *Trusted) All() iter.Seq2[string, string] { return maps.All(t.hashes) }

// Len is how many hashes there are.
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
