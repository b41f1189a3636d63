package command

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase/hbasetest/minihbase"
)

func TestCertificatesForHBaseAreReloaded(t *testing.T) {
	authority, err := minihbase.NewAuthority(t.TempDir(), "first")
	if err != nil {
		t.Fatal(err)
	}
	if err := authority.Issue("client"); err != nil {
		t.Fatal(err)
	}
	flags := hbaseTLSFlags{
		HBaseCA: authority.File("ca"), HBaseCert: authority.File("client"), HBaseKey: authority.File("client"),
	}
	log := new(strings.Builder)
	config, err := flags.readFiles(zerolog.New(log))
	if err != nil {
		t.Fatal(err)
	}
	serial := func() string {
		certificate, err := config.get().GetClientCertificate(new(tls.CertificateRequestInfo))
		if err != nil {
			t.Fatal(err)
		}
		return certificate.Leaf.SerialNumber.String()
	}
	first, roots := serial(), config.get().RootCAs
	if err := authority.Issue("client"); err != nil {
		t.Fatal(err)
	}
	second := serial()
	if second == first {
		t.Error("the client certificate is not reloaded")
	}
	if err := os.WriteFile(authority.File("client"), []byte("half of it"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := serial(); got != second || !strings.Contains(log.String(), "the last one stays in use") {
		t.Errorf("a broken file replaces the certificate; log: %s", log.String())
	}
	if err := authority.Issue("client"); err != nil {
		t.Fatal(err)
	}
	later, err := minihbase.NewAuthority(t.TempDir(), "second")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(later.File("ca"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(authority.File("ca"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(authority.File("ca"), time.Time{}, time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if config.get().RootCAs.Equal(roots) || !config.get().RootCAs.Equal(later.Pool()) {
		t.Error("the CA certificates are not reloaded")
	}
}

func TestTLSToHBaseCanTrustTheRootsOfTheSystem(t *testing.T) {
	config, err := (&hbaseTLSFlags{HBaseCA: systemRoots}).readFiles(zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if got := config.get(); got == nil || got.RootCAs != nil || got.InsecureSkipVerify {
		t.Errorf("got %+v", got)
	}
}

func TestInvalidHBaseTLSFlagsAreRejected(t *testing.T) {
	authority, err := minihbase.NewAuthority(t.TempDir(), "authority")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"client", "other"} {
		if err := authority.Issue(name); err != nil {
			t.Fatal(err)
		}
	}
	ca, client, other := authority.File("ca"), authority.File("client"), authority.File("other")
	dir := t.TempDir()
	empty, users := filepath.Join(dir, "empty.pem"), filepath.Join(dir, "users.csv")
	for _, name := range []string{empty, users} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"a key is missing", []string{"--hbase-ca", ca, "--hbase-cert", client}, statusUsage,
			"--hbase-cert and --hbase-key need each other"},
		{"TLS is not enabled", []string{"--hbase-cert", client, "--hbase-key", client}, statusUsage,
			"--hbase-cert needs --hbase-ca"},
		{"no CA file", []string{"--hbase-ca", empty + "-not"}, statusFailed, "--hbase-ca: open "},
		{"no CA in the file", []string{"--hbase-ca", empty}, statusFailed,
			"--hbase-ca " + empty + ": the file has no certificate"},
		{"the key of another certificate", []string{"--hbase-ca", "system", "--hbase-cert", client, "--hbase-key", other},
			statusFailed, "--hbase-cert " + client + ", --hbase-key " + other + ": tls: private key does not match"},
	} {
		for _, name := range []string{"serve --listen 127.0.0.1:0", "repair", "tables create", "tables list",
			"import " + users, "export " + t.TempDir()} {
			t.Run(test.name+": "+strings.Fields(name)[0], func(t *testing.T) {
				args := append(strings.Fields(name), "--store", "hbase://127.0.0.1:1")
				status, _, stderr := command(t, append(args, test.args...)...)
				if status != test.status || !strings.Contains(stderr, test.want) {
					t.Errorf("status %d: %s", status, stderr)
				}
			})
		}
	}
}
