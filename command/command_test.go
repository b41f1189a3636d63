package command

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/graph/auth"
	"twibase/hbase/tables"
)

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

func TestInvalidArgumentsAreUsageErrors(t *testing.T) {
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
		{"no command", "", statusUsage, `twibase: expected one of "serve", "health", `},
		{"unknown command", "sevre", statusUsage, "twibase: unexpected argument sevre"},
		{"unknown flag", "serve --lsten :1", statusUsage,
			`unknown flag --lsten, did you mean "--listen"?` + "\nSee: twibase serve --help"},
		{"unknown log level", "schema --log-level loud", statusUsage,
			`--log-level must be one of "debug","info","warn","error" but got "loud"`},
		{"unknown kind of store", "tables list --store mysql://localhost", statusUsage,
			"--store must be embedded:DIR, embedded: or hbase://HOST:PORT/ZNODE"},
		{"store without a colon", "tables list --store embedded", statusUsage, "--store must be embedded:DIR"},
		{"cluster without a host", "tables list --store hbase:", statusUsage, "--store must be embedded:DIR"},
		{"malformed URL of a cluster", "tables list --store hbase://?", statusUsage,
			`--store: hbase: invalid request: store "hbase://?": `},
		{"URL with a password", "tables list --store hbase://me:secret@zk1", statusUsage, `store "…@zk1": it can have no user`},
		{"namespace of HBase's own tables", "tables list --store hbase://zk1 --namespace hbase", statusUsage,
			`--namespace: hbase: invalid request: namespace "hbase": `},
		{"namespace of an embedded store", "tables list --namespace one", statusUsage,
			"--namespace one: only a cluster has namespaces"},
		{"no region", "tables create --regions 0", statusUsage, "--regions must be from 1 to 1000, not 0"},
		{"token without a username", "token --jwt-secret-file x", statusUsage, `expected "<username>"`},
		{"token without a secret", "token LiLei", statusUsage,
			"missing flags: --jwt-secret-file=FILE\nSee: twibase token --help"},
		{"missing secret file", "token LiLei --jwt-secret-file /nowhere", statusFailed,
			"--jwt-secret-file: /nowhere does not exist; make a secret with: head"},
		{"too short secret", "serve --store embedded: --jwt-secret-file " + empty, statusFailed,
			"has 0 bytes, and a secret needs 32"},
		{"--jwks without an issuer", "serve --jwks keys.json --jwt-audience twibase", statusUsage,
			"--jwks needs --jwt-issuer and --jwt-audience"},
		{"missing --jwks file", "serve --store embedded: --jwks /nowhere --jwt-issuer i --jwt-audience a", statusFailed,
			"--jwks /nowhere: open /nowhere"},
		{"--dev-tokens without a secret", "serve --dev-tokens", statusUsage, "--dev-tokens needs --jwt-secret-file"},
		{"negative --row-cache", "serve --row-cache=-1", statusUsage,
			"--row-cache must be from 0, which is no cache, to 1048576 MiB"},
		{"too small --read-memory", "serve --read-memory 15", statusUsage,
			"--read-memory must be 0, which is no limit, or from 16 to 1048576 MiB"},
		{"too large --row-cache", "serve --row-cache 1048577", statusUsage, "--row-cache must be from 0"},
		{"negative --concurrency", "serve --concurrency=-1 --listen nowhere", statusUsage,
			"--concurrency must be at least 0, which is no limit"},
		{"negative --streams-per-address", "serve --streams-per-address=-1 --listen nowhere", statusUsage,
			"--streams-per-address must be at least 0, which is no limit"},
		{"--tls-cert without --tls-key", "serve --store embedded: --tls-cert cert.pem", statusUsage,
			"--tls-cert and --tls-key need each other"},
		{"--dev-tokens with --production", "serve --production --dev-tokens --jwt-secret-file " + empty, statusUsage,
			"--dev-tokens is not for --production"},
		{"missing --documents file", "serve --store embedded: --documents /nowhere", statusFailed,
			"--documents: stat /nowhere"},
		{"--cors with a path", "serve --cors https://example.org/a", statusUsage,
			`--cors: "https://example.org/a" is not an origin: write a scheme and a host`},
		{"invalid --cors-headers", "serve --cors https://example.org --cors-headers X-Good,X:Bad", statusUsage,
			`--cors-headers: "X:Bad" is not a header name: write names as in X-Tenant,X-Trace`},
		{"any header", "serve --cors https://example.org --cors-headers *", statusUsage,
			`--cors-headers: "*" is not a header name`},
		{"--cors-headers without --cors", "serve --cors-headers X-Tenant", statusUsage, "--cors-headers: it needs --cors"},
		{"any origin", "serve --cors *", statusUsage, `--cors: "*" is not an origin`},
		{"invalid --listen", "serve --store embedded: --listen nowhere", statusFailed, "--listen nowhere: "},
		{"admin grant without a user", "admin grant", statusUsage, `expected "<username>"`},
		{"admin grant without a store", "admin grant LiLei --store embedded:/nowhere/data", statusFailed,
			"--store embedded:/nowhere/data: there is no store: "},
		{"admin grant of an unknown user", "admin grant nobody --store embedded:", statusFailed,
			`twibase: cannot make "nobody" an administrator: there is no "nobody"` + "\n"},
		{"admin grant of an invalid name", "admin grant a/b --store embedded:", statusFailed,
			`twibase: cannot make "a/b" an administrator: `},
		{"export without a folder", "export", statusUsage, `expected "<dir>"`},
		{"store without tables", "export --store embedded: " + t.TempDir(), statusFailed,
			"--store embedded: has no twibase tables: "},
		{"missing store", "export --store embedded:/nowhere/data " + t.TempDir(), statusFailed,
			"--store embedded:/nowhere/data: there is no store: "},
		{"folder that is not a store", "export --store embedded:" + folder + " " + t.TempDir(), statusFailed,
			"--store embedded:" + folder + ": there is no store in that folder"},
		{"folder that is not a store, tables list", "tables list --store embedded:/nowhere/data", statusFailed,
			"--store embedded:/nowhere/data: there is no store: "},
		{"import without a path", "import", statusUsage, `expected "<path> ..."`},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, stdout, stderr := command(t, strings.Fields(test.args)...)
			if status != test.status || !strings.Contains(stderr, test.stderr) || stdout != "" {
				t.Errorf("status %d, want %d; stdout %q; stderr:\n%s\nwant in it: %s", status, test.status, stdout, stderr,
					test.stderr)
			}
		})
	}
	t.Run("a folder without a store is not changed", func(t *testing.T) {
		if made, err := os.ReadDir(folder); err != nil || len(made) > 0 {
			t.Error(made, err)
		}
	})
	t.Run("a token for an invalid username is rejected", func(t *testing.T) {
		status, _, stderr := command(t, "token", "Li Lei", "--jwt-secret-file", secretFile(t))
		if status != statusFailed || !strings.Contains(stderr, "USERNAME: ") {
			t.Errorf("status %d: %s", status, stderr)
		}
	})
}

func TestHelpIsOnStdoutWithStatusZero(t *testing.T) {
	for _, args := range [][]string{
		{"--help"}, {"serve", "--help"}, {"import", "--help"}, {"export", "--help"}, {"token", "--help"}, {"schema",
			"--help"}, {"explain", "--help"}, {"documents", "check", "--help"},
		{"tables", "--help"}, {"tables", "create", "--help"}, {"tables", "list", "--help"}, {"tables", "drop", "--help"},
		{"admin", "--help"}, {"admin", "grant", "--help"},
	} {
		t.Run("twibase "+strings.Join(args, " "), func(t *testing.T) {
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

func TestTokenIsValidForItsViewer(t *testing.T) {
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
		{"user", []string{"token", "小红", "--jwt-secret-file", secret}, auth.Viewer{Username: "小红"}},
		{"administrator", []string{"token", "LiLei", "--admin", "--jwt-secret-file", secret},
			auth.Viewer{Username: "LiLei", Admin: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, stdout, stderr := command(t, test.args...)
			if status != 0 || stderr != "" {
				t.Fatalf("status %d: %s", status, stderr)
			}
			viewer, _, rejection := tokens.Verify(t.Context(), strings.TrimSuffix(stdout, "\n"))
			if rejection != nil || viewer != test.want {
				t.Errorf("got %+v, %v", viewer, rejection)
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

func TestTablesAreCreatedListedAndDropped(t *testing.T) {
	var all []string
	for _, table := range tables.Definitions(1) {
		all = append(all, table.Name)
	}
	marksLast := append(slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name == "broadcasters" }),
		"broadcasters")
	number := strconv.Itoa(len(all))
	t.Setenv("TWIBASE_STORE", "embedded:"+t.TempDir())
	for _, step := range []struct {
		name   string
		args   []string
		stdout []string
		stderr string
	}{
		{"create", []string{"tables", "create", "--regions", "4"}, all, number + " tables created, 0 existed already\n"},
		{"list", []string{"tables", "list"}, all, ""},
		{"create again", []string{"tables", "create"}, nil, "0 tables created, " + number + " existed already\n"},
		{"drop", []string{"tables", "drop"}, marksLast, ""},
		{"and gone", []string{"tables", "list"}, nil,
			number + " tables are missing: create them with twibase tables create\n"},
		{"drop again", []string{"tables", "drop"}, nil, ""},
	} {
		t.Run(step.name, func(t *testing.T) {
			status, stdout, stderr := command(t, append(step.args, "--log-level", "warn")...)
			if diff := cmp.Diff(step.stdout, strings.Fields(stdout), emptyIsNil); diff != "" || status != 0 ||
				stderr != step.stderr {
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

type fullDisk struct{}

var errFullDisk = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFullDisk }

func TestFailedWritesToStdoutFailTheCommand(t *testing.T) {
	url, _ := started(t)
	t.Setenv("TWIBASE_LOG_LEVEL", "warn")
	data, out := t.TempDir(), t.TempDir()
	users := []byte("username,name\nLiLei,李雷\n")
	if err := os.WriteFile(filepath.Join(data, "users.csv"), users, 0o600); err != nil {
		t.Fatal(err)
	}
	store := " --store embedded:" + t.TempDir()
	query := document(t, "{viewer{name}}")
	for _, args := range []string{
		"token LiLei --jwt-secret-file " + secretFile(t),
		"schema",
		"explain " + query,
		"documents check " + query,
		"documents check --format json " + query,
		"documents check --format markdown " + query,
		"config check " + configured(t, "listen: :8080\n"),
		"health " + url + "/readyz",
		"tables create" + store,
		"tables list" + store,
		"import " + data + store,
		"export " + out + store,
		"admin grant LiLei" + store,
		"repair" + store,
		"tables drop" + store,
		"--help",
	} {
		t.Run(args, func(t *testing.T) {
			var stderr strings.Builder
			status := Run(t.Context(), strings.Fields(args), fullDisk{}, &stderr)
			want := "cannot write to standard output: "
			if strings.HasPrefix(args, "--") {
				want = "twibase: "
			}
			if status == statusOK || strings.Count(stderr.String(), want+errFullDisk.Error()) != 1 {
				t.Errorf("status %d: %s", status, stderr.String())
			}
		})
	}
	t.Run("other errors are reported, too", func(t *testing.T) {
		var stderr strings.Builder
		args := []string{"explain", document(t, "{ users(first: 100) { nodes { name } } }"), "--limit", "objects=10"}
		status := Run(t.Context(), args, fullDisk{}, &stderr)
		text := stderr.String()
		if status != statusFailed || !strings.Contains(text, "limited to 10") ||
			!strings.Contains(text, errFullDisk.Error()) {
			t.Errorf("status %d: %s", status, text)
		}
	})
}

func TestImportedRowsAreExported(t *testing.T) {
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

	t.Run("import creates the tables", func(t *testing.T) {
		status, stdout, stderr := command(t, "import", data)
		if status != 0 || stdout != "3 rows imported; skipped: 0 invalid rows, and 0 that name missing objects\n" {
			t.Errorf("status %d, stdout %q, stderr:\n%s", status, stdout, stderr)
		}
	})
	t.Run("export creates the folder", func(t *testing.T) {
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
	t.Run("an invalid row is reported with file and line", func(t *testing.T) {
		status, stdout, stderr := command(t, "import", filepath.Join(data, "users.csv"))
		const again = "; the import is incomplete: correct the file, and run the same import again\n"
		if status != statusFailed || stdout != "" || !strings.Contains(stderr, "users.csv:2") ||
			!strings.HasSuffix(stderr, again) {
			t.Errorf("status %d, stdout %q, stderr:\n%s", status, stdout, stderr)
		}
	})
	t.Run("an invalid row may be skipped", func(t *testing.T) {
		status, stdout, stderr := command(t, "import", "--skip-bad", filepath.Join(data, "users.csv"))
		if status != 0 || stdout != "1 rows imported; skipped: 1 invalid rows, and 0 that name missing objects\n" {
			t.Errorf("status %d, stdout %q, stderr:\n%s", status, stdout, stderr)
		}
	})
	write("follows.csv", "follower,followee\nLucy,nobody\n")
	t.Run("an import that skips rows of missing objects is complete", func(t *testing.T) {
		status, stdout, stderr := command(t, "import", filepath.Join(data, "follows.csv"))
		if status != statusFailed || stdout != "" || strings.Contains(stderr, "again") {
			t.Errorf("status %d, stdout %q, stderr:\n%s", status, stdout, stderr)
		}
	})
}

func TestImportOfMissingFilesCreatesNoStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	status, stdout, stderr := command(t, "import", filepath.Join(t.TempDir(), "users.csv"), "--store", "embedded:"+dir)
	if status != statusFailed || stdout != "" || !strings.HasSuffix(stderr, "users.csv: no such file or directory\n") {
		t.Errorf("status %d, stdout %q, stderr:\n%s", status, stdout, stderr)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got error %v of the store's folder, want %v", err, fs.ErrNotExist)
	}
}
