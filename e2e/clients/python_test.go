package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"twibase/hbase/hbasetest/minihbase"
)

// make copies requirements.txt to venv after installing its packages.
const venv = "../../.cache/venv"

func python(t *testing.T) string {
	t.Helper()
	want, err := os.ReadFile("python/requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	installed, err := os.ReadFile(filepath.Join(venv, "requirements.txt"))
	if err != nil || !bytes.Equal(want, installed) {
		minihbase.Missing(t, "packages for Python are missing: make .cache/venv/requirements.txt installs them")
	}
	interpreter, err := filepath.Abs(filepath.Join(venv, "bin/python"))
	if err != nil {
		t.Fatal(err)
	}
	return interpreter
}

func TestPythonGQLQueriesAndSubscribes(t *testing.T) {
	t.Parallel()
	interpreter := python(t)
	s := start(t)
	text := run(t, "python", interpreter, "-B", "app.py", s.url, s.tokens(t, "LiLei"), s.unreliableURL(t))
	check(t, text)
	t.Run("a document is validated against the server's schema before it is sent", func(t *testing.T) {
		var r struct {
			Built  string
			Errors struct{ Invalid string }
		}
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		equal(t, "韩梅梅", r.Built)
		if !strings.HasPrefix(r.Errors.Invalid, "Cannot query field 'nickname' on type 'User'.") {
			t.Errorf("%q", r.Errors.Invalid)
		}
	})
}
