package kerberos

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/errorcode"
	"github.com/jcmturner/gokrb5/v8/messages"
)

// Refusal is an error that usually lasts until the configuration of the gateway, the KDC or the
// server changes. Its text says what to change.
type Refusal struct{ text string }

func (r *Refusal) Error() string { return r.text }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

var kdcCode = regexp.MustCompile(`KRB Error: \((\d+)\)`)

// gokrb5's errors have the KDC's code in their text only.
func codeOf(err error) int32 {
	found := kdcCode.FindStringSubmatch(err.Error())
	if found == nil {
		return 0
	}
	code, _ := strconv.Atoi(found[1])
	return int32(code)
}

const skew = "clock skew with KDC too large"

func (id *identity) explainLogIn(err error) error {
	if common := id.explainKDC(err, id.realm); common != nil {
		return common
	}
	switch code := codeOf(err); {
	case code == errorcode.KDC_ERR_C_PRINCIPAL_UNKNOWN:
		return refuse("the KDC of %s does not know the principal %s: create it there, or correct --hbase-principal",
			id.realm, id.principal())
	case code == errorcode.KDC_ERR_PREAUTH_FAILED, code == errorcode.KRB_AP_ERR_BAD_INTEGRITY,
		code == errorcode.KRB_AP_ERR_MODIFIED, code == 0 && strings.Contains(err.Error(), "keytab incorrect"):
		return refuse("the key of %s in --hbase-keytab %s is not the one that the KDC has, such as after a change of "+
			"the password, or the clock of this machine (%s) is wrong: export a new keytab, or correct the clock",
			id.principal(), id.Keytab, time.Now().UTC().Format(time.RFC3339))
	case code == errorcode.KDC_ERR_CLIENT_REVOKED, code == errorcode.KDC_ERR_KEY_EXPIRED,
		code == errorcode.KDC_ERR_NAME_EXP:
		return refuse("the KDC of %s has locked %s, or its password has expired (error %d): have it enabled there",
			id.realm, id.principal(), code)
	case code == errorcode.KDC_ERR_ETYPE_NOSUPP, strings.Contains(err.Error(), "matching key not found in keytab"):
		return refuse("--hbase-keytab %s has no key of %s with an encryption type that the KDC uses: export a new keytab",
			id.Keytab, id.principal())
	}
	return refuse("the KDC of %s does not log %s in: %v", id.realm, id.principal(), err)
}

func (id *identity) explainTicket(err error, principal, realm string) error {
	if common := id.explainKDC(err, realm); common != nil {
		return common
	}
	if codeOf(err) == errorcode.KDC_ERR_S_PRINCIPAL_UNKNOWN {
		return refuse("the KDC of %s does not know the service principal %s@%s: create it, have the server register with "+
			"the host of its principal, or correct [domain_realm] in --krb5-conf %s", realm, principal, realm, id.Conf)
	}
	return refuse("the KDC of %s gives no ticket for %s: %v", realm, principal, err)
}

// explainKDC explains the errors that every kind of request to a KDC may have. It returns nil for
// the rest.
func (id *identity) explainKDC(err error, realm string) error {
	text := err.Error()
	switch lookup := new(net.DNSError); {
	case errors.As(err, &lookup):
		return refuse("DNS names no KDC of %s: add a kdc to [realms] in --krb5-conf %s, or the SRV record that is missing (%v)",
			realm, id.Conf, lookup)
	case codeOf(err) == errorcode.KRB_AP_ERR_SKEW, strings.Contains(text, skew):
		return refuse("the clocks of this machine (%s) and of the KDC of %s differ by more than %v: correct them, such as "+
			"by NTP", time.Now().UTC().Format(time.RFC3339), realm, id.krb5.LibDefaults.Clockskew)
	case strings.Contains(text, "not have any defined KDCs"), strings.Contains(text, "no KDCs defined"),
		strings.Contains(text, "no KDC SRV records"):
		return refuse("--krb5-conf %s names no kdc of %s: add it to [realms], or set dns_lookup_kdc", id.Conf, realm)
	case unanswered(err):
		return id.unreachable(realm, err)
	}
	return nil
}

func (id *identity) unreachable(realm string, err error) error {
	var kdcs []string
	for _, r := range id.krb5.Realms {
		if r.Realm == realm {
			kdcs = r.KDC
		}
	}
	return refuse("the KDC of %s (%s) does not answer by TCP in time: correct it in --krb5-conf %s, or open its port (%v)",
		realm, strings.Join(kdcs, ", "), id.Conf, short(err))
}

const maxErrorText = 200

func short(err error) string {
	text := err.Error() // gokrb5's texts repeat themselves
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + " …"
	}
	return text
}

func (id *identity) explainHandshake(err error, host string) error {
	var (
		remote *RemoteError
		reason messages.KRBError
	)
	switch {
	case errors.Is(err, errNotSecured):
		return refuse("it does not use Kerberos: omit --hbase-keytab, or set hbase.security.authentication to kerberos there")
	case errors.As(err, &remote):
		return refuse("it does not accept the ticket for %s/%s (%s): its log has the reason. Often its keytab has an older "+
			"key of that principal, or its clock differs", service, host, remote.Message)
	case errors.As(err, &reason):
		return refuse("it does not accept the ticket for %s/%s: %v", service, host, reason)
	case errors.Is(err, errToken), errors.Is(err, errAnswer), errors.Is(err, errProtection):
		return refuse("the authentication of %s/%s failed: %v", service, host, err)
	}
	return fmt.Errorf("authenticating to %s/%s: %w", service, host, err)
}
