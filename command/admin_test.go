package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAdminGrantAssignsTheRole(t *testing.T) {
	users := filepath.Join(t.TempDir(), "users.csv")
	if err := os.WriteFile(users, []byte("username,name\nLiLei,Li Lei\nLucy,Lucy\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TWIBASE_STORE", "embedded:"+t.TempDir())
	t.Setenv("TWIBASE_LOG_LEVEL", "warn")
	if status, _, stderr := command(t, "import", users); status != 0 {
		t.Fatal(stderr)
	}
	exported := func() map[string]string {
		dir := t.TempDir()
		if status, _, stderr := command(t, "export", dir); status != 0 {
			t.Fatal(stderr)
		}
		files := map[string]string{}
		for _, name := range []string{"roles", "user_roles"} {
			text, err := os.ReadFile(filepath.Join(dir, name+".csv"))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = string(text)
		}
		return files
	}
	for _, step := range []struct {
		name, username string
		status         int
		want           map[string]string
	}{
		{"unknown user", "nobody", statusFailed,
			map[string]string{"roles": "id,name,department\n", "user_roles": "username,role\n"}},
		{"first administrator", "LiLei", 0,
			map[string]string{"roles": "id,name,department\nadmin,Administrator,\n",
				"user_roles": "username,role\nLiLei,admin\n"}},
		{"second administrator", "Lucy", 0,
			map[string]string{"roles": "id,name,department\nadmin,Administrator,\n",
				"user_roles": "username,role\nLucy,admin\nLiLei,admin\n"}},
		{"again", "LiLei", 0, map[string]string{"roles": "id,name,department\nadmin,Administrator,\n",
			"user_roles": "username,role\nLucy,admin\nLiLei,admin\n"}},
	} {
		t.Run(step.name, func(t *testing.T) {
			status, stdout, stderr := command(t, "admin", "grant", step.username)
			if status != step.status || (status == 0) != (stdout == step.username+" is an administrator\n") {
				t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
			}
			if diff := cmp.Diff(step.want, exported()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
