package transfer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
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
	open   func() (io.ReadCloser, error)
}

func newSource(name string, open func() (io.ReadCloser, error)) (source, error) {
	base, _ := strings.CutSuffix(strings.TrimSuffix(filepath.Base(name), ".gz"), ".csv")
	i := slices.IndexFunc(schemas, func(s schema) bool { return s.name == base })
	if i < 0 || !isCSV(name) {
		return source{}, fmt.Errorf("%s: a file to import is one of %s, or such a file with .gz", name, schemaNames())
	}
	return source{name: name, schema: &schemas[i], open: open}, nil
}

func isCSV(name string) bool { return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".csv") }

// sources finds the files that paths name, files or folders of files. A file that several paths name is read once:
// comments that a file has twice are two.
func sources(paths []string) (found []source, err error) {
	var infos []os.FileInfo
	for _, path := range paths {
		files, err := expand(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil {
				return nil, err
			}
			s, err := newSource(file, func() (io.ReadCloser, error) { return os.Open(file) })
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(infos, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
				infos, found = append(infos, info), append(found, s)
			}
		}
	}
	return found, nil
}

// expand returns a path or, if it is a folder, the CSV files in it.
func expand(path string) (files []string, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if name := entry.Name(); !entry.IsDir() && !strings.HasPrefix(name, ".") && isCSV(name) {
			files = append(files, filepath.Join(path, name))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no CSV file is in this folder; an import knows %s, and each with .gz", path, schemaNames())
	}
	return files, nil
}

// memorySources are files whose contents are in memory.
func memorySources(contents map[string][]byte) (found []source, err error) {
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		s, err := newSource(name, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(contents[name])), nil })
		if err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	return found, nil
}

// contents opens the file, decompressed if its name says so.
func (s *source) contents() (io.ReadCloser, error) {
	f, err := s.open()
	if err != nil || !strings.HasSuffix(s.name, ".gz") {
		return f, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", s.name, err), f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}
