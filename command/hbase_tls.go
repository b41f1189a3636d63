package command

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/rs/zerolog"

	"twibase/hbase/cluster"
)

const systemRoots = "system"

type hbaseTLSFlags struct {
	HBaseCA   string `name:"hbase-ca" placeholder:"FILE" help:"Encrypt connections to HBase with TLS, and trust the CA certificates of this PEM file, or 'system' for those of the operating system. The files of --hbase-ca, --hbase-cert and --hbase-key are reloaded."`
	HBaseCert string `name:"hbase-cert" placeholder:"FILE" help:"Client certificate for HBase and intermediate certificates, in PEM. Needs --hbase-key."`
	HBaseKey  string `name:"hbase-key" placeholder:"FILE" help:"Private key of --hbase-cert, in PEM."`

	files *cachedFiles[*tls.Config] // nil without TLS
}

func (f *hbaseTLSFlags) Validate() error {
	return errors.Join(
		require((f.HBaseCert == "") == (f.HBaseKey == ""), "--hbase-cert and --hbase-key need each other"),
		require(f.HBaseCert == "" || f.HBaseCA != "", "--hbase-cert needs --hbase-ca: the CA certificates of HBase, or 'system'"),
	)
}

func (f *hbaseTLSFlags) options(log zerolog.Logger) (options []cluster.Option, err error) {
	if f.HBaseCA == "" {
		return nil, nil
	}
	if f.files, err = f.readFiles(log); err != nil {
		return nil, err
	}
	return []cluster.Option{cluster.WithTLS(f.files.get)}, nil
}

func (f *hbaseTLSFlags) readFiles(log zerolog.Logger) (*cachedFiles[*tls.Config], error) {
	if _, err := f.config(); err != nil {
		return nil, err
	}
	var files []string
	if f.HBaseCA != systemRoots {
		files = append(files, f.HBaseCA)
	}
	if f.HBaseCert != "" {
		files = append(files, f.HBaseCert, f.HBaseKey)
	}
	return readFiles("a certificate for HBase", files, f.config, log)
}

func (f *hbaseTLSFlags) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.HBaseCA != systemRoots {
		text, err := os.ReadFile(f.HBaseCA)
		if err != nil {
			return nil, fmt.Errorf("--hbase-ca: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--hbase-ca %s: the file has no certificate in PEM", f.HBaseCA)
		}
	}
	if f.HBaseCert != "" {
		certificate, err := tls.LoadX509KeyPair(f.HBaseCert, f.HBaseKey)
		if err != nil {
			return nil, fmt.Errorf("--hbase-cert %s, --hbase-key %s: %w", f.HBaseCert, f.HBaseKey, err)
		}
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &certificate, nil }
	}
	return config, nil
}
