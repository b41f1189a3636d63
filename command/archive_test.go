package command

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// archive is a store of an earlier version: see testdata/README.md.
const archive = "testdata/store-224cd05.tar.gz"

func TestStoreOfAnEarlierVersionIsRead(t *testing.T) {
	t.Setenv("TWIBASE_LOG_LEVEL", "warn")
	dir := t.TempDir()
	unpack(t, archive, dir)
	store := "embedded:" + filepath.Join(dir, "store")
	if status, stdout, stderr := command(t, "repair", "--check", "--store", store); status != 0 || stdout != "" {
		t.Errorf("repair --check: status %d\n%s%s", status, stdout, stderr)
	}
	again := filepath.Join(dir, "again")
	if status, _, stderr := command(t, "export", "--store", store, again); status != 0 {
		t.Fatalf("export: status %d\n%s", status, stderr)
	}
	want, err := os.ReadDir(filepath.Join(dir, "export"))
	if err != nil || len(want) < 9 {
		t.Fatalf("the archive has %d files, error %v", len(want), err)
	}
	for _, file := range want {
		if diff := cmp.Diff(text(t, filepath.Join(dir, "export", file.Name())),
			text(t, filepath.Join(again, file.Name()))); diff != "" {
			t.Errorf("%s (-then +now):\n%s", file.Name(), diff)
		}
	}
}

func TestExportOfAnEarlierVersionIsImported(t *testing.T) {
	t.Setenv("TWIBASE_LOG_LEVEL", "warn")
	dir := t.TempDir()
	unpack(t, archive, dir)
	store := "embedded:" + filepath.Join(dir, "new")
	for _, args := range [][]string{
		{"import", "--store", store, filepath.Join(dir, "export")},
		{"repair", "--check", "--store", store},
		{"export", "--store", store, filepath.Join(dir, "again")},
	} {
		if status, _, stderr := command(t, args...); status != 0 {
			t.Fatalf("%s: status %d\n%s", args[0], status, stderr)
		}
	}
	for _, name := range []string{"users.csv", "follows.csv", "user_roles.csv", "twits.csv", "plays.csv"} {
		if diff := cmp.Diff(text(t, filepath.Join(dir, "export", name)),
			text(t, filepath.Join(dir, "again", name))); diff != "" {
			t.Errorf("%s (-exported +imported and exported):\n%s", name, diff)
		}
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func unpack(t *testing.T, path, dir string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.FromSlash(header.Name))
		if header.Typeflag == tar.TypeDir {
			err = os.MkdirAll(to, 0o755)
		} else {
			var content []byte
			if content, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(to, content, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
