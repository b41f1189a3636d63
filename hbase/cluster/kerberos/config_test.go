package kerberos

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/keytab"
)

// The files are those of the distributions, plus a realm.
func TestConfFilesOfDistributionsAreRead(t *testing.T) {
	keys := keytab.New()
	const kind = etypeID.AES256_CTS_HMAC_SHA1_96
	if err := keys.AddEntry("twibase", "EXAMPLE.COM", "secret", time.Now(), 1, kind); err != nil {
		t.Fatal(err)
	}
	text, err := keys.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Keytab: filepath.Join(t.TempDir(), "keytab"), Principal: "twibase"}
	if err := os.WriteFile(c.Keytab, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, kdcs := range map[string][]string{
		"redhat": {"kdc1.example.com:88", "kdc2.example.com:88"}, "debian": {"kerberos.example.com:88"},
		"freeipa": {"ipa.example.com:88"},
	} {
		t.Run(name, func(t *testing.T) {
			c.Conf = filepath.Join("testdata", name+".conf")
			id, err := c.read()
			if err != nil {
				t.Fatal(err)
			}
			found, err := id.kdcs("EXAMPLE.COM")
			if diff := cmp.Diff(kdcs, found); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if realm := id.krb5.ResolveRealm("rs1.example.com"); id.realm != "EXAMPLE.COM" || realm != "EXAMPLE.COM" {
				t.Errorf("the realms are %q and %q", id.realm, realm)
			}
		})
	}
}
