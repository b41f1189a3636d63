package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
)

// WithTLS encrypts connections to region servers and masters. It calls config for each connection,
// so certificates can change. A server's certificate must be valid for its registered host name.
func WithTLS(config func() *tls.Config) Option { return func(s *Store) { s.tls = config } }

func dialTLS(wire dialFunc, config func() *tls.Config) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := wire(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		c := newTLSConn(conn, config(), addr)
		if err := c.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, c.explain(err)
		}
		return c, nil
	}
}

// tlsConn explains errors of the handshake and of Read: in TLS 1.3, the first Read may return the
// rejection of a client certificate.
type tlsConn struct {
	*tls.Conn
	host  string
	asked bool              // for a client certificate
	own   *x509.Certificate // client certificate, or nil
}

func newTLSConn(conn net.Conn, config *tls.Config, addr string) *tlsConn {
	c := new(tlsConn)
	c.host, _, _ = net.SplitHostPort(addr)
	config = config.Clone()
	config.ServerName = c.host
	chosen := config.GetClientCertificate
	config.GetClientCertificate = func(request *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		c.asked = true
		if chosen == nil {
			return new(tls.Certificate), nil
		}
		certificate, err := chosen(request)
		if err == nil {
			c.own = certificate.Leaf
		}
		return certificate, err
	}
	c.Conn = tls.Client(conn, config)
	return c
}

func (c *tlsConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil {
		err = c.explain(err)
	}
	return n, err
}

// explain returns a [refusal] for a wrong configuration, and other errors unchanged.
func (c *tlsConn) explain(err error) error {
	var (
		noTLS     tls.RecordHeaderError
		untrusted *tls.CertificateVerificationError
	)
	alert, rejected := alertOf(err)
	switch {
	case errors.As(err, &noTLS):
		return refuse("it does not speak TLS: set hbase.server.netty.tls.enabled to true there, or omit --hbase-ca")
	case errors.As(err, &untrusted):
		return c.explainServer(untrusted)
	case rejected:
		return c.explainAlert(alert)
	}
	return err
}

func alertOf(err error) (alert string, ok bool) {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "remote error" {
		return strings.TrimPrefix(op.Err.Error(), "tls: "), true
	}
	return "", false
}

func (c *tlsConn) explainServer(err *tls.CertificateVerificationError) error {
	var (
		invalid x509.CertificateInvalidError
		name    x509.HostnameError
		unknown x509.UnknownAuthorityError
	)
	switch now := time.Now(); {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		what := "its certificate"
		if invalid.Cert.IsCA {
			what = fmt.Sprintf("the CA certificate %q", invalid.Cert.Subject)
		}
		return refuse("%s: renew it, or correct the clock of this machine", validity(what, invalid.Cert, now))
	case errors.As(err, &name):
		return refuse("its certificate is for %s, not for %s: add that name to the certificate, "+
			"or have the server register with a name of the certificate", names(name.Certificate), c.host)
	case errors.As(err, &unknown):
		return refuse("its certificate is not signed by a CA of --hbase-ca: add the certificate of %q to that file",
			unknown.Cert.Issuer)
	}
	return refuse("its certificate is not accepted: %w", err.Err)
}

func (c *tlsConn) explainAlert(alert string) error {
	switch now := time.Now(); {
	case c.asked && c.own == nil:
		return refuse("it wants a client certificate: set --hbase-cert and --hbase-key, "+
			"or hbase.server.netty.tls.client.auth.mode to WANT there (its alert: %s)", alert)
	case c.asked && !valid(c.own, now):
		return refuse("%s: renew it, or correct the clock of this machine", validity("the certificate of --hbase-cert", c.own, now))
	case c.asked:
		return refuse("it rejects the certificate of --hbase-cert, issued by %q for %s (its alert: %s): "+
			"its truststore must have that CA, and the certificate must name this machine, "+
			"unless hbase.server.netty.tls.verify.client.hostname is false there", c.own.Issuer, names(c.own), alert)
	}
	return refuse("it ends the TLS handshake (its alert: %s): compare hbase.rpc.tls.enabledProtocols and "+
		"hbase.rpc.tls.ciphersuites there with TLS 1.2 and 1.3", alert)
}

func valid(c *x509.Certificate, now time.Time) bool {
	return !now.Before(c.NotBefore) && !now.After(c.NotAfter)
}

func validity(what string, c *x509.Certificate, now time.Time) string {
	if now.Before(c.NotBefore) {
		return fmt.Sprintf("%s is not valid before %s", what, c.NotBefore.UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf("%s expired on %s", what, c.NotAfter.UTC().Format(time.RFC3339))
}

func names(c *x509.Certificate) string {
	all := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		all = append(all, ip.String())
	}
	if len(all) == 0 {
		return "no name"
	}
	return strings.Join(all, ", ")
}
