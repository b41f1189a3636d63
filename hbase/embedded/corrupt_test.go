package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"twibase/hbase"
)

const corruptRows = 3000

func corruptRow(i int) string { return fmt.Sprintf("row%04d", i) }

func fill(t *testing.T, s *Store) {
	t.Helper()
	ctx := context.Background()
	createTable(t, s, "t")
	random := rand.New(rand.NewPCG(1, 1))
	for i := range corruptRows {
		value := make([]byte, 40)
		for j := range value {
			value[j] = byte(random.Uint32())
		}
		cell := hbase.Cell{Family: "i", Qualifier: "q", Timestamp: 1, Value: value}
		put := hbase.Put{Table: "t", Row: corruptRow(i), Cells: []hbase.Cell{cell}}
		if errs, err := s.Mutate(ctx, []hbase.Mutation{put}); errs != nil || err != nil {
			t.Fatal(errs, err)
		}
	}
}

// openSmall sets small blocks: Pebble's work for a damaged block is quadratic in its size.
func openSmall(fs vfs.FS) (*Store, error) {
	return open("db", fs, false, func(s *Store) { s.blockSize = 1 << 10 })
}

// check reads a damaged store, and fails if damage is read as absence.
func check(t *testing.T, fs vfs.FS, damage string) (noticed bool) {
	t.Helper()
	s, err := openSmall(fs)
	if err != nil {
		if !errors.Is(err, hbase.ErrCorrupt) {
			t.Errorf("%s: open: %v", damage, err)
		}
		return true
	}
	defer s.Close()
	gets := make([]hbase.Get, corruptRows)
	for i := range gets {
		gets[i] = hbase.Get{Table: "t", Row: corruptRow(i)}
	}
	results, err := s.Get(context.Background(), gets)
	if err != nil {
		t.Fatalf("%s: %v", damage, err)
	}
	for i, r := range results {
		switch {
		case errors.Is(r.Err, hbase.ErrCorrupt):
			noticed = true
		case r.Err != nil:
			t.Errorf("%s: row %d: %v", damage, i, r.Err)
		case len(r.Cells) != 1:
			t.Errorf("%s: row %d was read as absent", damage, i)
			return true
		}
	}
	rows := 0
	for _, err := range s.Scan(context.Background(), hbase.Scan{Table: "t"}) {
		if rows++; err != nil && !errors.Is(err, hbase.ErrCorrupt) {
			t.Errorf("%s: scan: %v", damage, err)
		}
		noticed = noticed || err != nil
	}
	if !noticed && rows != corruptRows {
		t.Errorf("%s: a scan read %d rows and no error", damage, rows)
	}
	return noticed
}

// clone copies the files of an open store as kill -9 would leave them.
func clone(t *testing.T, from vfs.FS) *vfs.MemFS {
	t.Helper()
	to := vfs.NewMem()
	if _, err := vfs.Clone(from, to, "db", "db", vfs.CloneSync); err != nil {
		t.Fatal(err)
	}
	return to
}

func readFile(t *testing.T, fs vfs.FS, name string) []byte {
	t.Helper()
	f, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeFile(t *testing.T, fs vfs.FS, name string, data []byte) {
	t.Helper()
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func files(t *testing.T, fs vfs.FS, part string) (names []string) {
	t.Helper()
	list, err := fs.List("db")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list) // a file system in memory has any order
	for _, name := range list {
		if strings.Contains(name, part) && !strings.HasPrefix(name, "marker") {
			names = append(names, filepath.Join("db", name))
		}
	}
	return names
}

func TestDamageIsNeverAbsence(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	closed := vfs.NewMem()
	s, err := openSmall(closed)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, s)
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	// A compaction rewrites the list of files.
	if err := s.db.Compact(context.Background(), []byte{0}, []byte{0xff}, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if check(t, clone(t, closed), "no damage") {
		t.Fatal("an intact store is reported as damaged")
	}
	for _, kind := range []struct {
		part  string
		times int
	}{{".sst", 60}, {"MANIFEST", 150}} {
		t.Run("in a "+kind.part+" file", func(t *testing.T) {
			names := files(t, closed, kind.part)
			if len(names) == 0 {
				t.Fatal("no such file")
			}
			noticed := 0
			for range kind.times {
				name := names[random.IntN(len(names))]
				data := readFile(t, closed, name)
				at := random.IntN(len(data))
				data[at] ^= 1 << random.IntN(8)
				fs := clone(t, closed)
				writeFile(t, fs, name, data)
				if check(t, fs, fmt.Sprintf("a bit of byte %d of %d of %s", at, len(data), name)) {
					noticed++
				}
			}
			t.Logf("noticed %d of %d", noticed, kind.times)
			if noticed < kind.times/2 {
				t.Errorf("only %d of %d damages were noticed", noticed, kind.times)
			}
		})
	}
	t.Run("a missing file", func(t *testing.T) {
		for _, part := range []string{".sst", "MANIFEST"} {
			for _, name := range files(t, closed, part) {
				fs := clone(t, closed)
				if err := fs.Remove(name); err != nil {
					t.Fatal(err)
				}
				if !check(t, fs, name+" removed") {
					t.Errorf("removal of %s is not noticed", name)
				}
			}
		}
	})
}

func TestDamageOfTheLogIsNeverAbsence(t *testing.T) {
	fs := vfs.NewMem()
	s, err := open("db", fs, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fill(t, s)
	killed := clone(t, fs)
	if check(t, clone(t, killed), "no damage") {
		t.Fatal("an intact store is reported as damaged")
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	logs := files(t, killed, ".log")
	for i, name := range logs {
		log := readFile(t, killed, name)
		used, synced := extent(t, name, log)
		if i == len(logs)-1 {
			// Damage after the last sync looks like a crash.
			used = synced
		}
		for range 30 {
			at := random.IntN(used)
			damaged := append([]byte(nil), log...)
			damaged[at] ^= 1 << random.IntN(8)
			fs := clone(t, killed)
			writeFile(t, fs, name, damaged)
			if !check(t, fs, fmt.Sprintf("a bit of byte %d of %d of %s", at, used, name)) {
				t.Errorf("damage at byte %d of %s is not noticed", at, name)
			}
		}
	}
}

func extent(t *testing.T, name string, data []byte) (end, synced int) {
	t.Helper()
	log := logFile{data: data, writes: true}
	if _, err := fmt.Sscanf(name, "db/%d.log", &log.number); err != nil {
		t.Fatal(err)
	}
	for at := 0; ; {
		if room := logBlock - at%logBlock; room < longHeader {
			at += room
		}
		n, by := log.chunk(at)
		if n == 0 {
			return end, synced
		}
		at, synced = at+n, int(by)
		end = at
	}
}

func TestDamagedEntriesAreCorrupt(t *testing.T) {
	ctx := context.Background()
	column := appendEscaped(append(appendRow(nil, 1, "r"), "i\x00"...), "q")
	for name, entry := range map[string]struct{ key, value []byte }{
		"a key without its tail":   {column, nil},
		"a key cut in its tail":    {append(column[:len(column):len(column)], 1, 2, 3), nil},
		"a key of an unknown kind": {append(appendTime(column[:len(column):len(column)], 5), 9), nil},
		"a qualifier with a bad escape": {
			append(appendTime(append(appendRow(nil, 1, "r"), "i\x00a\x00\x07b\x00\x01"...), 5), kindPut), nil,
		},
		"a marker without its time": {
			append(appendTime(column[:len(column):len(column)], 5), kindAllVersions), []byte("1"),
		},
		"a family's marker without a time": {appendTime(append(appendRow(nil, 1, "r"), "i\x00\x00\x00"...), 5), nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustOpen(t, "")
			defer s.Close()
			createTable(t, s, "t")
			if err := s.db.Set(entry.key, entry.value, pebble.NoSync); err != nil {
				t.Fatal(err)
			}
			results, err := s.Get(ctx, []hbase.Get{{Table: "t", Row: "r"}, {Table: "t", Row: "other"}})
			if err != nil || !errors.Is(results[0].Err, hbase.ErrCorrupt) || results[1].Err != nil {
				t.Errorf("got %+v, %v", results, err)
			}
		})
	}
	t.Run("a table's definition", func(t *testing.T) {
		fs := vfs.NewMem()
		s, err := open("db", fs, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.db.Set(append(bytes.Clone(tablePrefix), 't'), []byte("{"), pebble.Sync); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if _, err := open("db", fs, false); !errors.Is(err, hbase.ErrCorrupt) {
			t.Errorf("got %v", err)
		}
	})
}
