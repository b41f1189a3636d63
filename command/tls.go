package command

import (
	"crypto/tls"
	"fmt"

	"github.com/rs/zerolog"
)

type tlsFlags struct {
	TLSCert string `name:"tls-cert" placeholder:"FILE" help:"TLS certificate and intermediate certificates, in PEM. Needs --tls-key. Both files are reloaded."`
	TLSKey  string `name:"tls-key" placeholder:"FILE" help:"Private key of --tls-cert, in PEM."`

	certificate *cachedFiles[*tls.Certificate] // nil without TLS
}

func (f *tlsFlags) config(log zerolog.Logger) (config *tls.Config, err error) {
	if f.TLSCert == "" {
		return nil, nil
	}
	f.certificate, err = readFiles("the TLS certificate", []string{f.TLSCert, f.TLSKey}, func() (*tls.Certificate, error) {
		read, err := tls.LoadX509KeyPair(f.TLSCert, f.TLSKey)
		return &read, err
	}, log)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", f.TLSCert, f.TLSKey, err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.certificate.get(), nil }}, nil
}
