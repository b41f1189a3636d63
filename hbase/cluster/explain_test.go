package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"strings"
	"testing"
	"time"
)

func TestExpiredCertificatesAreNamed(t *testing.T) {
	expired := x509.Certificate{Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Unix(0, 0)}
	authority := expired
	authority.IsCA = true
	for _, test := range []struct {
		certificate *x509.Certificate
		want        string
	}{
		{&expired, "its certificate expired on 1970-01-01T00:00:00Z: renew it"},
		{&authority, `the CA certificate "CN=authority" expired on 1970-01-01T00:00:00Z: renew it`},
	} {
		invalid := x509.CertificateInvalidError{Cert: test.certificate, Reason: x509.Expired}
		err := new(tlsConn).explain(&tls.CertificateVerificationError{Err: invalid})
		if !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("got %q, want %q", err, test.want)
		}
	}
}
