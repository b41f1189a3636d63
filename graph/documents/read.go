package documents

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"twibase/graph/syntax"
)

const maxBytes = 64 << 20 // of all files

func load(paths []string) (*set, error) {
	s := &set{hashes: map[string]Document{}, texts: map[string]struct{}{}}
	err := walk(paths, func(file string) error {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		documents, err := parse(file, text)
		if err != nil {
			return fmt.Errorf("%s %w", file, err)
		}
		return s.add(file, documents)
	})
	if err == nil && len(s.hashes) == 0 {
		err = fmt.Errorf("%s: there are no documents: give .json manifests, .graphql files, or directories of them",
			strings.Join(paths, ", "))
	}
	return s, err
}

func (s *set) add(file string, documents map[string]string) error {
	for _, hash := range slices.Sorted(maps.Keys(documents)) {
		d := Document{normal(hash), documents[hash], file}
		if d.Hash == "" || d.Text == "" {
			return errors.New(file + " has a document without a hash, or a hash without a document")
		}
		other, twice := s.hashes[d.Hash]
		switch {
		case twice && other.Text == d.Text:
			d.File = min(d.File, other.File)
		case twice && other.File == file:
			return fmt.Errorf("%s has two documents for the hash %q: keep one of them", file, d.Hash)
		case twice:
			return fmt.Errorf("%s and %s have different documents for the hash %q: keep one of them", other.File, file, d.Hash)
		}
		s.hashes[d.Hash], s.texts[d.Text] = d, struct{}{}
	}
	return nil
}

const operationManifest = "apollo-persisted-query-manifest"

// parse returns the documents of a .graphql file or a manifest by their hashes.
func parse(file string, text []byte) (map[string]string, error) {
	if isDocument(file) {
		document := string(text)
		if _, err := syntax.Parse(document); err != nil { // it may be half written
			where := ""
			if len(err.Locations) > 0 {
				where = fmt.Sprintf("%d:%d: ", err.Locations[0].Line, err.Locations[0].Column)
			}
			return nil, fmt.Errorf("is no GraphQL document: %s%s", where, err.Message)
		}
		return map[string]string{Hash(document): document}, nil
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, fmt.Errorf("is no manifest: a manifest is a JSON object: %w", err)
	}
	if keys["format"] != nil {
		return parseApollo(text)
	}
	var documents map[string]string
	if err := json.Unmarshal(text, &documents); err != nil {
		return nil, fmt.Errorf("is no JSON object of documents by their hashes: %w", err)
	}
	if len(documents) == 0 {
		return nil, errors.New("has no document")
	}
	return documents, nil
}

func parseApollo(text []byte) (map[string]string, error) {
	var manifest struct {
		Format     string
		Version    int
		Operations []struct{ ID, Body string }
	}
	err := json.Unmarshal(text, &manifest)
	switch {
	case err != nil:
		return nil, fmt.Errorf("is no %s: %w", operationManifest, err)
	case manifest.Format != operationManifest || manifest.Version != 1:
		return nil, fmt.Errorf("has the format %q in version %d: only %s in version 1 is known",
			manifest.Format, manifest.Version, operationManifest)
	case len(manifest.Operations) == 0:
		return nil, errors.New("has no document")
	}
	documents := make(map[string]string, len(manifest.Operations))
	for _, o := range manifest.Operations {
		if other, twice := documents[o.ID]; twice && other != o.Body {
			return nil, fmt.Errorf("has two documents for the id %q: keep one of them", o.ID)
		}
		documents[o.ID] = o.Body
	}
	return documents, nil
}

func isDocument(file string) bool {
	return slices.Contains([]string{".graphql", ".gql"}, filepath.Ext(file))
}

// fingerprint hashes the names and contents of the files, and an error. It ignores times and sizes:
// tools set times, and network file systems report old ones.
func fingerprint(seed maphash.Seed, paths []string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	err := walk(paths, func(name string) error {
		_, _ = h.WriteString(name + "\x00")
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		n, err := io.Copy(&h, file)
		maphash.WriteComparable(&h, n)
		return err
	})
	if err != nil {
		_, _ = h.WriteString(err.Error())
	}
	return h.Sum64()
}

// walk visits only documents and .json files in directories, also behind symbolic links. It skips
// names that begin with a dot: in Kubernetes' volumes, these are the folders behind the links.
func walk(paths []string, visit func(file string) error) error {
	w := walker{visit: visit}
	for _, path := range paths {
		if err := w.walk(path, nil); err != nil {
			return err
		}
	}
	return nil
}

type walker struct {
	visit func(file string) error
	size  int64
}

func (w *walker) walk(path string, above []fs.FileInfo) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return w.directory(path, append(slices.Clip(above), info))
	case len(above) > 0 && !isDocument(path) && filepath.Ext(path) != ".json":
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is neither a file nor a directory", path)
	}
	if w.size += info.Size(); w.size > maxBytes {
		return fmt.Errorf("%s: the files have more than %d bytes in total", path, maxBytes)
	}
	return w.visit(path)
}

// directory walks the last of the directories. Each directory contains the next.
func (w *walker) directory(path string, directories []fs.FileInfo) error {
	last := len(directories) - 1
	if slices.ContainsFunc(directories[:last], func(d fs.FileInfo) bool { return os.SameFile(d, directories[last]) }) {
		return fmt.Errorf("%s is a link to a directory that contains it: remove it", path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if err := w.walk(filepath.Join(path, entry.Name()), directories); err != nil {
			return err
		}
	}
	return nil
}
