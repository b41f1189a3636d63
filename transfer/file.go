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

type file struct {
	name   string
	schema *schema
	open   func() (io.ReadCloser, error)
}

func newFile(name string, open func() (io.ReadCloser, error)) (file, error) {
	base, _ := strings.CutSuffix(strings.TrimSuffix(filepath.Base(name), ".gz"), ".csv")
	i := slices.IndexFunc(schemas, func(s schema) bool { return s.name == base })
	if i < 0 || !isCSV(name) {
		return file{}, fmt.Errorf("%s: unknown name of a file: use one of %s, or such a file with .gz", name, schemaNames())
	}
	return file{name: name, schema: &schemas[i], open: open}, nil
}

func isCSV(name string) bool { return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".csv") }

// openPaths returns each file of paths once.
func openPaths(paths []string) (found []file, err error) {
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
			s, err := newFile(file, func() (io.ReadCloser, error) { return os.Open(file) })
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
		return nil, fmt.Errorf("%s: no CSV file in this folder: use %s, or such files with .gz", path, schemaNames())
	}
	return files, nil
}

func memoryFiles(contents map[string][]byte) (found []file, err error) {
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		s, err := newFile(name, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(contents[name])), nil })
		if err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	return found, nil
}

func (s *file) contents() (io.ReadCloser, error) {
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
