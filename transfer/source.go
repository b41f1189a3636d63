package transfer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// source is a CSV file to read.
type source struct {
	name   string
	schema *schema
	// size is that of the file in bytes, compressed if it is.
	size int64
	open func() (io.ReadCloser, error)
	info fs.FileInfo // nil in memory
}

// sources finds the files that paths name, files or folders of files, in the order of the schemas.
func sources(paths []string) ([]source, error) {
	var found []source
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			schema, ok := schemaOfFile(path)
			if !ok {
				return nil, fmt.Errorf("%s: a file to import is one of %s, or such a file with .gz", path, schemaNames())
			}
			found = append(found, fileSource(path, schema, info))
			continue
		}
		some, err := folder(path)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return inOrder(once(found)), nil
}

// once drops files that are given again, by whatever path: comments that a file has twice are two.
func once(files []source) []source {
	var kept []source
	for _, f := range files {
		if !slices.ContainsFunc(kept, func(k source) bool { return os.SameFile(k.info, f.info) }) {
			kept = append(kept, f)
		}
	}
	return kept
}

// folder finds the files of a folder. What is no CSV file is passed over; one of an unknown name may be a slip.
func folder(path string) ([]source, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var found []source
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || strings.HasPrefix(name, ".") || !isCSV(name) {
			continue
		}
		schema, ok := schemaOfFile(name)
		if !ok {
			return nil, fmt.Errorf("%s: an import knows %s; give the files one by one to leave this one out", filepath.Join(path, name), schemaNames())
		}
		info, err := os.Stat(filepath.Join(path, name))
		if err != nil {
			return nil, err
		}
		found = append(found, fileSource(filepath.Join(path, name), schema, info))
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: no CSV file is in this folder; an import knows %s, and each with .gz", path, schemaNames())
	}
	return found, nil
}

func isCSV(name string) bool { return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".csv") }

func schemaOfFile(path string) (*schema, bool) {
	name, ok := strings.CutSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".csv")
	if !ok {
		return nil, false
	}
	return schemaOf(name)
}

func fileSource(path string, schema *schema, info fs.FileInfo) source {
	return source{path, schema, info.Size(), func() (io.ReadCloser, error) { return os.Open(path) }, info}
}

// memorySources are files whose contents are at hand.
func memorySources(contents map[string][]byte) ([]source, error) {
	var found []source
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		schema, ok := schemaOfFile(name)
		if !ok {
			return nil, fmt.Errorf("%s: a file to import is one of %s, or such a file with .gz", name, schemaNames())
		}
		content := contents[name]
		found = append(found, source{name, schema, int64(len(content)), func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(content)), nil
		}, nil})
	}
	return inOrder(found), nil
}

// inOrder sorts files by their schemas; those of one schema stay in the order given.
func inOrder(files []source) []source {
	sorted := make([]source, 0, len(files))
	for i := range schemas {
		for _, f := range files {
			if f.schema == &schemas[i] {
				sorted = append(sorted, f)
			}
		}
	}
	return sorted
}

// contents opens the file, decompressed if its name says so. Bytes read of it, compressed, are told to progress.
func (s *source) contents(progress func(bytes int)) (io.ReadCloser, error) {
	f, err := s.open()
	if err != nil {
		return nil, err
	}
	counted := counter{f, progress}
	if !strings.HasSuffix(s.name, ".gz") {
		return counted, nil
	}
	z, err := gzip.NewReader(counted)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", s.name, err), f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}

// counter tells how many bytes were read.
type counter struct {
	io.ReadCloser
	read func(bytes int)
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.read(n)
	return n, err
}
