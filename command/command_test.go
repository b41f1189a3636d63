package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/graph/auth"
	"twibase/hbase/tables"
)

// command runs the program with arguments and returns what a person would see.
func command(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, complaint bytes.Buffer
	status = Run(t.Context(), args, &out, &complaint)
	return status, out.String(), complaint.String()
}

func secretFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jwt.secret")
	if err := os.WriteFile(path, []byte(strings.Repeat("secret..", 4)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUsageErrors(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.secret")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, test := range []struct {
		name   string
		args   string
		status int
		stderr string
	}{
		{"no command at all", "", statusUsage, `twibase: expected one of "serve", "import", `},
		{"a command that is none", "sevre", statusUsage, "twibase: unexpected argument sevre"},
		{"a flag that is none is guessed", "serve --lsten :1", statusUsage, `unknown flag --lsten, did you mean "--listen"?` + "\nSee: twibase serve --help"},
		{"a level that is none", "schema --log-level loud", statusUsage, `--log-level must be one of "debug","info","warn","error" but got "loud"`},
		{"a store that is none", "tables list --store mysql://localhost", statusFailed, "--store mysql://localhost: write embedded:DIR, embedded: or hbase://HOST:PORT/ZNODE"},
		{"a store without its colon", "tables list --store embedded", statusFailed, "--store embedded: write embedded:DIR, embedded: or hbase"},
		{"a cluster without a host", "tables list --store hbase:", statusFailed, "--store hbase:: write embedded:DIR"},
		{"a cluster whose URL is malformed", "tables list --store hbase://?", statusFailed, "--store hbase://?: "},
		{"no region", "tables create --regions 0", statusUsage, "--regions must be from 1 to 1000, not 0"},
		{"nobody for a token", "token --jwt-secret-file x", statusUsage, `expected "<username>"`},
		{"a token without a secret", "token LiLei", statusUsage, "missing flags: --jwt-secret-file=FILE\nSee: twibase token --help"},
		{"a secret that is not there", "token LiLei --jwt-secret-file /nowhere", statusFailed, "--jwt-secret-file: /nowhere does not exist; make a secret with: head"},
		{"a secret that is too short", "serve --store embedded: --jwt-secret-file " + empty, statusFailed, "has 0 bytes, and a secret needs 32"},
		{"others' keys without their name", "serve --jwks keys.json --jwt-audience twibase", statusUsage, "--jwks needs --jwt-issuer and --jwt-audience"},
		{"others' keys that are not there", "serve --store embedded: --jwks /nowhere --jwt-issuer i --jwt-audience a", statusFailed, "--jwks /nowhere: open /nowhere"},
		{"administrators without a secret", "serve --dev-tokens", statusUsage, "--dev-tokens needs --jwt-secret-file"},
		{"less than no cache", "serve --row-cache=-1", statusUsage, "--row-cache must be from 0, which is no cache, to 1048576 MiB"},
		{"a cache that no machine has room for", "serve --row-cache 1048577", statusUsage, "--row-cache must be from 0"},
		{"fewer operations than none", "serve --concurrency=-1 --listen nowhere", statusUsage, "--concurrency must be at least 0, which is no limit"},
		{"fewer streams than none", "serve --streams-per-address=-1 --listen nowhere", statusUsage, "--streams-per-address must be at least 0, which is no limit"},
		{"a certificate without its key", "serve --store embedded: --tls-cert cert.pem", statusUsage, "--tls-cert and --tls-key need each other"},
		{"administrators of a token in production", "serve --production --dev-tokens --jwt-secret-file " + empty, statusUsage, "--dev-tokens is not for --production"},
		{"documents that are not there", "serve --store embedded: --documents /nowhere", statusFailed, "--documents: stat /nowhere"},
		{"an origin with a path", "serve --cors https://example.org/a", statusUsage, `--cors: "https://example.org/a" is not an origin: write a scheme and a host`},
		{"a header that is none", "serve --cors https://example.org --cors-headers X-Good,X:Bad", statusUsage, `--cors-headers: "X:Bad" is not a header name: write names as in X-Tenant,X-Trace`},
		{"any header", "serve --cors https://example.org --cors-headers *", statusUsage, `--cors-headers: "*" is not a header name`},
		{"headers of pages of no origin", "serve --cors-headers X-Tenant", statusUsage, "--cors-headers: it needs --cors"},
		{"any origin", "serve --cors *", statusUsage, `--cors: "*" is not an origin`},
		{"an address that is none", "serve --store embedded: --listen nowhere", statusFailed, "--listen nowhere: "},
		{"nobody to be an administrator", "admin grant", statusUsage, `expected "<username>"`},
		{"an administrator of no store", "admin grant LiLei --store embedded:/nowhere/data", statusFailed, "--store embedded:/nowhere/data: there is no store: "},
		{"an administrator who is not there", "admin grant nobody --store embedded:", statusFailed, `twibase: cannot make "nobody" an administrator: there is no "nobody"` + "\n"},
		{"a name that nobody can have", "admin grant a/b --store embedded:", statusFailed, `twibase: cannot make "a/b" an administrator: `},
		{"nowhere to export to", "export", statusUsage, `expected "<dir>"`},
		{"a store that has no tables", "export --store embedded: " + t.TempDir(), statusFailed, "--store embedded: has no twibase tables: "},
		{"a store that is not there", "export --store embedded:/nowhere/data " + t.TempDir(), statusFailed, "--store embedded:/nowhere/data: there is no store: "},
		{"a folder that is no store", "export --store embedded:" + folder + " " + t.TempDir(), statusFailed, "--store embedded:" + folder + ": there is no store in that folder"},
		{"nor for looking at", "tables list --store embedded:/nowhere/data", statusFailed, "--store embedded:/nowhere/data: there is no store: "},
		{"nothing to import", "import", statusUsage, `expected "<path> ..."`},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, stdout, stderr := command(t, strings.Fields(test.args)...)
			if status != test.status || !strings.Contains(stderr, test.stderr) || stdout != "" {
				t.Errorf("status %d, want %d; stdout %q; stderr:\n%s\nwant in it: %s", status, test.status, stdout, stderr, test.stderr)
			}
		})
	}
	t.Run("a folder that is no store is left as it is", func(t *testing.T) {
		if made, err := os.ReadDir(folder); err != nil || len(made) > 0 {
			t.Error(made, err)
		}
	})
	t.Run("a name for a token that can't be one", func(t *testing.T) {
		status, _, stderr := command(t, "token", "Li Lei", "--jwt-secret-file", secretFile(t))
		if status != statusFailed || !strings.Contains(stderr, "USERNAME: ") {
			t.Errorf("status %d: %s", status, stderr)
		}
	})
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{
		{"--help"}, {"serve", "--help"}, {"import", "--help"}, {"export", "--help"}, {"token", "--help"}, {"schema", "--help"}, {"explain", "--help"},
		{"tables", "--help"}, {"tables", "create", "--help"}, {"tables", "list", "--help"}, {"tables", "drop", "--help"},
		{"admin", "--help"}, {"admin", "grant", "--help"},
	} {
		t.Run("twibase "+strings.Join(args, " ")+" is status 0 and on stdout", func(t *testing.T) {
			status, stdout, stderr := command(t, args...)
			if status != 0 || !strings.HasPrefix(stdout, "Usage: twibase") || stderr != "" {
				t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
			}
		})
	}
}

func TestVersionInTheEnvironmentIsIgnored(t *testing.T) {
	t.Setenv("TWIBASE_VERSION", "1.2")
	if status, stdout, stderr := command(t, "schema"); status != 0 || !strings.Contains(stdout, "type Query") {
		t.Errorf("status %d, stdout %.60q, stderr %q", status, stdout, stderr)
	}
}

func TestToken(t *testing.T) {
	secret := secretFile(t)
	secrets, err := auth.ReadSecrets(secret)
	if err != nil {
		t.Fatal(err)
	}
	tokens := auth.Tokens{Secrets: secrets, Dev: true, Now: time.Now}
	for _, test := range []struct {
		name string
		args []string
		want auth.Viewer
	}{
		{"a token names its viewer", []string{"token", "小红", "--jwt-secret-file", secret}, auth.Viewer{Username: "小红"}},
		{"or an administrator", []string{"token", "LiLei", "--admin", "--jwt-secret-file", secret}, auth.Viewer{Username: "LiLei", Admin: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, stdout, stderr := command(t, test.args...)
			if status != 0 || stderr != "" {
				t.Fatalf("status %d: %s", status, stderr)
			}
			viewer, _, refusal := tokens.Verify(t.Context(), strings.TrimSuffix(stdout, "\n"))
			if refusal != nil || viewer != test.want {
				t.Errorf("got %+v, %v", viewer, refusal)
			}
		})
	}
	t.Run("the secret may be named by the environment", func(t *testing.T) {
		t.Setenv("TWIBASE_JWT_SECRET_FILE", secret)
		if status, _, stderr := command(t, "token", "LiLei"); status != 0 {
			t.Error(stderr)
		}
	})
}

func TestTables(t *testing.T) {
	var all []string
	for _, table := range tables.Definitions(1) {
		all = append(all, table.Name)
	}
	number := strconv.Itoa(len(all))
	t.Setenv("TWIBASE_STORE", "embedded:"+t.TempDir())
	for _, step := range []struct {
		name   string
		args   []string
		stdout []string
		stderr string
	}{
		{"they are made", []string{"tables", "create", "--regions", "4"}, all, number + " tables created, 0 existed already\n"},
		{"and are there", []string{"tables", "list"}, all, ""},
		{"making them again does nothing", []string{"tables", "create"}, nil, "0 tables created, " + number + " existed already\n"},
		{"they are dropped", []string{"tables", "drop"}, all, ""},
		{"and gone", []string{"tables", "list"}, nil, number + " tables are missing: create them with twibase tables create\n"},
		{"dropping them again does nothing", []string{"tables", "drop"}, nil, ""},
	} {
		t.Run(step.name, func(t *testing.T) {
			status, stdout, stderr := command(t, append(step.args, "--log-level", "warn")...)
			if diff := cmp.Diff(step.stdout, strings.Fields(stdout), emptyIsNil); diff != "" || status != 0 || stderr != step.stderr {
				t.Errorf("status %d, stderr %q, stdout (-want +got):\n%s", status, stderr, diff)
			}
		})
	}
}

var emptyIsNil = cmp.Transformer("emptyIsNil", func(s []string) []string {
	if len(s) == 0 {
		return nil
	}
	return s
})

func TestImportAndExport(t *testing.T) {
	data := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(data, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("users.csv", "username,name\nLiLei,李雷\nLucy,Lucy\n")
	write("follows.csv", "follower,followee\nLucy,LiLei\n")
	t.Setenv("TWIBASE_STORE", "embedded:"+t.TempDir())
	t.Setenv("TWIBASE_LOG_LEVEL", "warn")

	t.Run("a folder is imported, and the tables are made", func(t *testing.T) {
		status, stdout, stderr := command(t, "import", data)
		if status != 0 || stdout != "3 rows imported, 0 invalid and 0 dangling rows skipped\n" {
			t.Errorf("status %d, stdout %q, stderr:\n%s", status, stdout, stderr)
		}
	})
	t.Run("it is exported to a folder that is made", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "new", "folder")
		status, stdout, stderr := command(t, "export", out)
		if status != 0 || stdout != "3 rows exported\n" {
			t.Errorf("status %d, stdout %q, stderr:\n%s", status, stdout, stderr)
		}
		text, err := os.ReadFile(filepath.Join(out, "follows.csv"))
		if diff := cmp.Diff("follower,followee\nLucy,LiLei\n", string(text)); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
	write("users.csv", "username,name\nLi Lei,李雷\nHanMeimei,韩梅梅\n")
	t.Run("a bad row is told with its place, and fails", func(t *testing.T) {
		status, stdout, stderr := command(t, "import", filepath.Join(data, "users.csv"))
		if status != statusFailed || stdout != "" || !strings.Contains(stderr, "users.csv:2") {
			t.Errorf("status %d, stdout %q, stderr:\n%s", status, stdout, stderr)
		}
	})
	t.Run("it may be left out", func(t *testing.T) {
		status, stdout, stderr := command(t, "import", "--skip-bad", filepath.Join(data, "users.csv"))
		if status != 0 || stdout != "1 rows imported, 1 invalid and 0 dangling rows skipped\n" {
			t.Errorf("status %d, stdout %q, stderr:\n%s", status, stdout, stderr)
		}
	})
}
