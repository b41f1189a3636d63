package embedded

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"twibase/hbase"
)

func TestOpenCreatesAndLocksItsDirectory(t *testing.T) {
	ctx := context.Background()
	t.Run("a directory opened twice in one process", func(t *testing.T) {
		dir := t.TempDir()
		s := mustOpen(t, dir)
		defer s.Close()
		if _, err := Open(dir); !errors.Is(err, hbase.ErrLocked) || !strings.Contains(err.Error(), dir) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a missing directory is created", func(t *testing.T) {
		s := mustOpen(t, filepath.Join(t.TempDir(), "a", "b"))
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("an error of mkdir", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(filepath.Join(file, "dir")); err == nil || errors.Is(err, hbase.ErrLocked) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("two stores in memory are independent", func(t *testing.T) {
		a, b := mustOpen(t, ""), mustOpen(t, "")
		defer a.Close()
		defer b.Close()
		createTable(t, a, "t")
		if names, err := b.Tables(ctx); err != nil || len(names) != 0 {
			t.Error(names, err)
		}
	})
	t.Run("table definitions are durable", func(t *testing.T) {
		dir := t.TempDir()
		definition := hbase.Table{Name: "t", Splits: []string{"\x00\xff", "\xfe"}, Families: []hbase.FamilySchema{
			{Name: "i", Versions: 3},
			{Name: "f", TTL: time.Hour},
		}}
		s := mustOpen(t, dir)
		for _, d := range []hbase.Table{definition, {Name: "dropped", Families: definition.Families}} {
			if err := s.CreateTable(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(s.DropTable(ctx, "dropped"), s.Close()); err != nil {
			t.Fatal(err)
		}
		s = mustOpen(t, dir)
		defer s.Close()
		if names, err := s.Tables(ctx); err != nil || len(names) != 1 {
			t.Errorf("%q, %v", names, err)
		}
		want := []family{{"f", 1, 3600_000}, {"i", 3, 0}}
		if got := s.tables["t"].families; !slices.Equal(want, got) {
			t.Errorf("got families %v, want %v", got, want)
		}
	})
	t.Run("table definitions of earlier versions are read", func(t *testing.T) {
		dir := t.TempDir()
		s := mustOpen(t, dir)
		key := append(bytes.Clone(tablePrefix), "t"...)
		earlier := `{"ID":1,"Families":[{"Name":"i","Versions":1,"Encoding":"ROW_INDEX_V1","Bloom":"ROW",` +
			`"Compression":"","BlockSize":0,"TTL":3600000000000}],"Splits":["AP8="]}`
		if err := errors.Join(s.db.Set(key, []byte(earlier), pebble.Sync), s.Close()); err != nil {
			t.Fatal(err)
		}
		s = mustOpen(t, dir)
		defer s.Close()
		if got, want := s.tables["t"].families, []family{{"i", 1, 3600_000}}; !slices.Equal(want, got) {
			t.Errorf("got families %v, want %v", got, want)
		}
	})
	t.Run("Pebble logs to the logger", func(t *testing.T) {
		var text bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug}))
		s, err := Open(t.TempDir(), WithLogger(logger))
		if err != nil {
			t.Fatal(err)
		}
		if s.Close(); !strings.Contains(text.String(), "component=pebble") {
			t.Errorf("logged %q", text.String())
		}
	})
}

func TestUnknownFormatIsRejected(t *testing.T) {
	newStore := func(t *testing.T) *vfs.MemFS {
		fs := vfs.NewMem()
		s, err := open("db", fs, false)
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		return fs
	}
	expect := func(t *testing.T, fs vfs.FS, parts ...string) {
		t.Helper()
		_, err := open("db", fs, false)
		if !errors.Is(err, hbase.ErrFormat) {
			t.Fatalf("got %v", err)
		}
		for _, part := range append(parts, "db") {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q lacks %q", err, part)
			}
		}
	}
	t.Run("a newer version of twibase", func(t *testing.T) {
		fs := vfs.NewMem()
		s, err := open("db", fs, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.db.Set(formatKey, []byte("2"), pebble.Sync); err != nil {
			t.Fatal(err)
		}
		s.Close()
		expect(t, fs, "newer version", " 2")
	})
	t.Run("a newer version of Pebble", func(t *testing.T) {
		fs := newStore(t)
		for _, name := range mustList(t, fs) {
			if strings.HasPrefix(name, "marker.format-version") {
				if err := fs.Remove("db/" + name); err != nil {
					t.Fatal(err)
				}
			}
		}
		writeFile(t, fs, "db/marker.format-version.000099.099", nil)
		expect(t, fs, "newer version")
	})
	t.Run("a database of another program", func(t *testing.T) {
		fs := vfs.NewMem()
		logger := pebbleLog{slog.New(slog.DiscardHandler)}
		db, err := pebble.Open("db", &pebble.Options{FS: fs, FormatMajorVersion: format, Logger: logger})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Set([]byte("k"), nil, pebble.Sync), db.Close()); err != nil {
			t.Fatal(err)
		}
		expect(t, fs, "another program")
	})
}

func mustList(t *testing.T, fs vfs.FS) []string {
	t.Helper()
	names, err := fs.List("db")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestNowNeverGoesBack(t *testing.T) {
	s := mustOpen(t, "")
	defer s.Close()
	present := time.UnixMilli(5000)
	s.clock = func() time.Time { return present }
	if now := s.now(); now != 5000 {
		t.Errorf("got %d, want 5000", now)
	}
	present = time.UnixMilli(4000)
	if now := s.now(); now != 5000 {
		t.Errorf("after the clock was set back: got %d, want 5000", now)
	}
	present = time.UnixMilli(5001)
	if now := s.now(); now != 5001 {
		t.Errorf("got %d, want 5001", now)
	}
}
