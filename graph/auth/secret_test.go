package auth

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSecretsAreTheLinesOfTheirFile(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one, two := string(secret), strings.Repeat("t", minSecret)
	random := "\x00\xff" + strings.Repeat("\n", 32) + "x"
	for _, test := range []struct {
		name, file string
		want       []string
		err        string
	}{
		{"text", file("plain", one), []string{one}, ""},
		{"line break at the end", file("line", one+"\r\n"), []string{one}, ""},
		{"blanks", file("blank", one+" \n"), []string{one + " "}, ""},
		{"several lines", file("two", two+"\r\n\n"+one+"\n"), []string{two, one}, ""},
		{"random bytes with line breaks", file("random", random+"\n"), []string{random}, ""},
		{"too short", file("short", "secret\n"), nil,
			"short has 6 bytes, and a secret needs 32; make one with: head -c 32 /dev/urandom | base64"},
		{"too short in the second line", file("second", one+"\nsecret\n"), nil, "line 2 of " + dir},
		{"empty file", file("empty", "\n"), nil, "empty has no secret; make one with"},
		{"too few random bytes", file("few", "\x00\xff"), nil, "few has 2 bytes"},
		{"missing file", filepath.Join(dir, "none"), nil,
			"none does not exist; make a secret with: head -c 32 /dev/urandom | base64 > " + dir},
		{"folder", dir, nil, "is a directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			secrets, err := ReadSecrets(test.file)
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("got error %v, want %q", err, test.err)
			}
			var got []string
			if err == nil {
				for _, s := range secrets.all() {
					got = append(got, string(s))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNewSecretSignsWhileTheOldOneVerifies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old, young := strings.Repeat("o", minSecret), strings.Repeat("y", minSecret)
	write(old)
	secrets, err := ReadSecrets(path)
	if err != nil {
		t.Fatal(err)
	}
	here := &Tokens{Secrets: secrets, Now: tokens.Now}
	sign := func() string {
		t.Helper()
		token, _, err := here.Sign(Viewer{Username: "LiLei"})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	before := sign()
	for _, step := range []struct {
		name, file  string
		changed, ok bool
	}{
		{"no change", old, false, true},
		{"new secret first", young + "\n" + old, true, true},
		{"invalid file", "short", false, true},
		{"old secret removed", young, true, false},
	} {
		t.Run(step.name, func(t *testing.T) {
			write(step.file)
			if changed, _ := secrets.secrets.load(t.Context(), 0); changed != step.changed {
				t.Errorf("changed: %v", changed)
			}
			if failing := step.name == "invalid file"; secrets.Failing() != failing {
				t.Errorf("failing is %v", !failing)
			}
			if _, _, err := here.Verify(t.Context(), before); (err == nil) != step.ok {
				t.Errorf("the first token: %v", err)
			}
			if _, _, err := here.Verify(t.Context(), sign()); err != nil {
				t.Errorf("a new token: %v", err)
			}
		})
	}
}
