package minihbase

import (
	"crypto/tls"
	"path/filepath"
	"slices"

	"twibase/hbase/cluster"
)

type Security struct {
	Settings []string         // of HBase
	JVM      []string         // options
	Options  []cluster.Option // of its clients
}

func (s Security) And(other Security) Security {
	return Security{
		Settings: slices.Concat(s.Settings, other.Settings),
		JVM:      slices.Concat(s.JVM, other.JVM),
		Options:  slices.Concat(s.Options, other.Options),
	}
}

// MutualTLS requires TLS and client certificates of the authority. It issues "server" for HBase and
// "client" for the client.
func MutualTLS(a *Authority) (Security, error) {
	for _, name := range []string{"server", "client"} {
		if err := a.Issue(name); err != nil {
			return Security{}, err
		}
	}
	config, err := a.ClientConfig("client")
	return Security{
		Settings: []string{
			"hbase.client.netty.tls.enabled=true",
			"hbase.server.netty.tls.enabled=true",
			"hbase.server.netty.tls.supportplaintext=false",
			"hbase.rpc.tls.keystore.location=" + a.File("server"),
			"hbase.rpc.tls.keystore.type=PEM",
			"hbase.rpc.tls.truststore.location=" + a.File("ca"),
			"hbase.rpc.tls.truststore.type=PEM",
			"hbase.rpc.tls.certReload=true",
			"hbase.rpc.tls.filepoll.interval.millis=500",
		},
		Options: []cluster.Option{cluster.WithTLS(func() *tls.Config { return config })},
	}, err
}

func (a *Authority) ClientConfig(name string) (*tls.Config, error) {
	certificate, err := tls.LoadX509KeyPair(a.File(name), a.File(name))
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		RootCAs:    a.Pool(),
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return &certificate, nil
		},
	}, err
}

// Environment makes twibase a client of [MutualTLS].
func (a *Authority) Environment() map[string]string {
	return map[string]string{
		"TWIBASE_HBASE_CA":   a.File("ca"),
		"TWIBASE_HBASE_CERT": a.File("client"),
		"TWIBASE_HBASE_KEY":  a.File("client"),
	}
}

// File returns the PEM file of a certificate and its key, without a key for "ca".
func (a *Authority) File(name string) string { return filepath.Join(a.dir, name+".pem") }
