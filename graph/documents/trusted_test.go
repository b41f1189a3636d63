package documents

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

func TestChangedFilesAreUsedWithinTwoSeconds(t *testing.T) {
	old := map[string]string{"x": "{a}"}
	for _, test := range []struct {
		name   string
		before map[string]string
		change func(t *testing.T, dir string)
		want   map[string]string
		err    string
	}{
		{"a changed file", map[string]string{"a.json": `{"x":"{a}"}`}, func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a.json": `{"y":"{b}"}`})
		}, map[string]string{"y": "{b}"}, ""},
		{"a new file", map[string]string{"a.json": `{"x":"{a}"}`}, func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"b.json": `{"y":"{b}"}`})
		}, map[string]string{"x": "{a}", "y": "{b}"}, ""},
		{"a removed file", map[string]string{"a.json": `{"x":"{a}"}`, "b.json": `{"y":"{b}"}`}, func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "b.json"))
		}, old, ""},
		{"a file of the same size and time", map[string]string{"a.json": `{"x":"{a}"}`}, func(t *testing.T, dir string) {
			info, err := os.Stat(filepath.Join(dir, "a.json"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, dir, map[string]string{"a.json": `{"x":"{b}"}`})
			if err := os.Chtimes(filepath.Join(dir, "a.json"), time.Time{}, info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, map[string]string{"x": "{b}"}, ""},
		{"the link of a Kubernetes volume", map[string]string{"..1/a.json": `{"x":"{a}"}`, "..data -> ..1": "",
			"a.json -> ..data/a.json": ""}, func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"..2/a.json": `{"y":"{b}"}`, "..data_tmp -> ..2": ""})
			if err := os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")); err != nil {
				t.Fatal(err)
			}
			remove(t, filepath.Join(dir, "..1", "a.json"))
		}, map[string]string{"y": "{b}"}, ""},
		{"a file that is half written", map[string]string{"a.json": `{"x":"{a}"}`}, func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a.json": `{"y":"{b`, "b.json": `{"z":"{c}"}`})
		}, old, "a.json is no manifest"},
		{"a conflict between two files", map[string]string{"a.json": `{"x":"{a}"}`}, func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"b.json": `{"x":"{b}"}`})
		}, old, "have different documents for the hash"},
		{"the last file is removed", map[string]string{"a.json": `{"x":"{a}"}`}, func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "a.json"))
		}, old, "there are no documents"},
		{"the directory is removed", map[string]string{"a.json": `{"x":"{a}"}`}, func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}, old, "no such file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "documents")
			write(t, dir, test.before)
			trusted, err := Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			log := follow(t, trusted, func() { test.change(t, dir) })
			if diff := cmp.Diff(test.want, texts(trusted)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			failures := int64(strings.Count(log, "trusted documents cannot be read; the previous ones stay in use"))
			if failures != trusted.Failures() || trusted.Outdated() != (test.err != "") || !strings.Contains(log, test.err) {
				t.Errorf("%d failures, outdated: %t, want an error with %q in the log:\n%s", trusted.Failures(),
					trusted.Outdated(), test.err, log)
			}
			if want := map[bool]int64{true: 1}[test.err != ""]; failures != want { // not one for each poll
				t.Errorf("%d failures are logged, want %d:\n%s", failures, want, log)
			}
		})
	}
}

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

func follow(t *testing.T, trusted *Trusted, changes ...func()) (log string) {
	t.Helper()
	var written bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		go trusted.Follow(ctx, zerolog.New(&written), func(document string) error {
			if strings.Contains(document, "bad") {
				return errors.New("it is bad")
			}
			return nil
		})
		time.Sleep(interval + interval/2)
		for _, change := range changes {
			change()
			time.Sleep(2 * time.Second)
		}
		time.Sleep(time.Minute)
		stop()
		synctest.Wait()
	})
	return written.String()
}

func TestCorrectedFileIsRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.json": `{"x":"{a}"}`})
	trusted, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	state := func(files string, outdated bool, failures int64, want string) func() {
		return func() {
			if trusted.Outdated() != outdated || trusted.Failures() != failures || texts(trusted)["x"] != want {
				t.Errorf("outdated %t, %d failures, documents %v", trusted.Outdated(), trusted.Failures(), texts(trusted))
			}
			write(t, dir, map[string]string{"a.json": files})
		}
	}
	follow(t, trusted,
		state(`{"x":`, false, 0, "{a}"),
		state(`{"x":1}`, true, 1, "{a}"),
		state(`{"x":"{a}"}`, true, 2, "{a}"),
		state(`{"x":"{b}"}`, false, 2, "{a}"),
		state(`{"x":"{b}"}`, false, 2, "{b}"))
}

// A file may be broken when it is read, but not when its fingerprint is taken.
func TestUnchangedFilesAreReadAgainAfterAnError(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.json": `{"x":"{a}"}`})
	trusted, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"a.json": `{"x":`})
	if _, err := trusted.reload(); err == nil {
		t.Error("a broken file was read")
	}
	write(t, dir, map[string]string{"a.json": `{"x":"{b}"}`})
	trusted.seen = fingerprint(trusted.seed, trusted.paths)
	if changed, err := trusted.reload(); !changed || err != nil || texts(trusted)["x"] != "{b}" {
		t.Errorf("changed %t, error %v, documents %v", changed, err, texts(trusted))
	}
}

func TestInvalidDocumentsAreLoggedOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.json": `{"x":"{bad}","y":"{good}"}`})
	trusted, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	log := follow(t, trusted, func() { write(t, dir, map[string]string{"b.json": `{"z":"{bad too}"}`}) })
	want := strings.ReplaceAll(`{"level":"warn","hash":"x","file":"DIR/a.json","error":"it is bad","message":"a trusted document is not valid and will be rejected"}
{"level":"info","documents":2,"message":"trusted documents were read"}
{"level":"warn","hash":"z","file":"DIR/b.json","error":"it is bad","message":"a trusted document is not valid and will be rejected"}
{"level":"info","documents":3,"message":"trusted documents were read"}
`, "DIR", dir)
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFollowWithoutFilesReturns(t *testing.T) {
	var none *Trusted
	none.Follow(t.Context(), zerolog.Nop(), nil)
	if none.Outdated() || none.Failures() != 0 || none.Len() != 0 || len(texts(none)) != 0 {
		t.Error("nothing has documents")
	}
}
