package kerberos

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/keytab"
)

// Config is a principal with its keytab and KDC.
type Config struct {
	Keytab    string // file
	Principal string // NAME[/INSTANCE][@REALM], by default in Conf's realm
	Conf      string // krb5.conf
}

// identity is a Config whose files were read. Only the holder of a [Login]'s slot may change it.
type identity struct {
	Config
	name, realm string
	keytab      *keytab.Keytab
	krb5        *config.Config
	answered    map[string]string      // last KDC that answered, by realm
	asked       atomic.Pointer[string] // last realm whose KDC was asked
}

// encryptionTypes has the supported types, the preferred first. Older types have other Wrap tokens
// (RFC 4757).
var encryptionTypes = [...]int32{
	etypeID.AES256_CTS_HMAC_SHA1_96, etypeID.AES128_CTS_HMAC_SHA1_96,
	etypeID.AES256_CTS_HMAC_SHA384_192, etypeID.AES128_CTS_HMAC_SHA256_128,
}

func (c Config) read() (*identity, error) {
	id := &identity{Config: c, answered: map[string]string{}}
	text, err := os.ReadFile(c.Conf)
	if err != nil {
		return nil, fmt.Errorf("--krb5-conf: %w", err)
	}
	id.krb5, err = config.NewFromString(canonicalization.ReplaceAllString(string(text), ""))
	if err != nil && !unsupported(err) {
		return nil, fmt.Errorf("--krb5-conf %s: %w", c.Conf, err)
	}
	id.krb5.LibDefaults.UDPPreferenceLimit = 1 // TCP: gokrb5 waits five seconds for a lost datagram
	id.name, id.realm = c.Principal, id.krb5.LibDefaults.DefaultRealm
	if at := strings.LastIndexByte(c.Principal, '@'); at >= 0 {
		id.name, id.realm = c.Principal[:at], c.Principal[at+1:]
	}
	if id.name == "" || id.realm == "" {
		return nil, fmt.Errorf("--hbase-principal %q: write NAME@REALM, or set default_realm in --krb5-conf %s",
			c.Principal, c.Conf)
	}
	id.asked.Store(&id.realm)
	return id, id.readKeytab()
}

// canonicalization matches a setting that the gateway ignores: gokrb5 rejects the value "fallback",
// which Red Hat's krb5.conf has.
var canonicalization = regexp.MustCompile(`(?mi)^\s*dns_canonicalize_hostname\s*=.*$`)

// unsupported reports whether err only says that gokrb5 ignored lines, such as include.
func unsupported(err error) bool {
	_, ok := err.(config.UnsupportedDirective)
	return ok
}

func parseKeytab(file []byte) (k *keytab.Keytab, err error) {
	defer func() { // gokrb5 panics for a truncated file
		if recover() != nil {
			err = fmt.Errorf("it ends early")
		}
	}()
	k = keytab.New()
	if err := k.Unmarshal(file); err != nil {
		return nil, fmt.Errorf("it starts with other bytes, or ends early")
	}
	return k, nil
}

// readKeytab also restricts the encryption types to the supported ones, and those of the log-in to
// the types of the keytab.
func (id *identity) readKeytab() error {
	file, err := os.ReadFile(id.Keytab)
	if err != nil {
		return fmt.Errorf("--hbase-keytab: %w", err)
	}
	keys, err := parseKeytab(file)
	if err != nil {
		return fmt.Errorf("--hbase-keytab %s is no keytab: %w", id.Keytab, err)
	}
	var own []int32
	var others []string
	for _, entry := range keys.Entries {
		principal := strings.Join(entry.Principal.Components, "/") + "@" + entry.Principal.Realm
		if principal == id.principal() {
			own = append(own, entry.Key.KeyType)
		} else if !slices.Contains(others, principal) {
			others = append(others, principal)
		}
	}
	if len(own) == 0 {
		return fmt.Errorf("--hbase-keytab %s has no key of %s: set --hbase-principal to one of its principals (%s)",
			id.Keytab, id.principal(), strings.Join(others, ", "))
	}
	types := supported(own)
	if len(types) == 0 {
		return fmt.Errorf("--hbase-keytab %s has no AES key of %s: export one with an encryption type such as "+
			"aes256-cts-hmac-sha1-96", id.Keytab, id.principal())
	}
	id.keytab = keys
	defaults := &id.krb5.LibDefaults
	defaults.DefaultTktEnctypeIDs = types
	if defaults.DefaultTGSEnctypeIDs = supported(defaults.DefaultTGSEnctypeIDs); len(defaults.DefaultTGSEnctypeIDs) == 0 {
		defaults.DefaultTGSEnctypeIDs = encryptionTypes[:]
	}
	return nil
}

func supported(types []int32) (found []int32) {
	for _, t := range encryptionTypes {
		if slices.Contains(types, t) {
			found = append(found, t)
		}
	}
	return found
}

func (id *identity) principal() string { return id.name + "@" + id.realm }
