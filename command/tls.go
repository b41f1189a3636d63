package command

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// certificateInterval is the time between log lines about an unreadable certificate.
const certificateInterval = 2 * time.Second

type tlsFlags struct {
	TLSCert string `name:"tls-cert" placeholder:"FILE" help:"TLS certificate and intermediate certificates, in PEM. Needs --tls-key. Both files are reloaded."`
	TLSKey  string `name:"tls-key" placeholder:"FILE" help:"Private key of --tls-cert, in PEM."`
}

// config returns nil without TLS.
func (f tlsFlags) config(log zerolog.Logger) (*tls.Config, error) {
	if f.TLSCert == "" {
		return nil, nil
	}
	c := &certificate{tlsFlags: f, log: log.Sample(&zerolog.BurstSampler{Burst: 1, Period: certificateInterval})}
	if _, err := c.get(nil); err != nil {
		return nil, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", f.TLSCert, f.TLSKey, err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}, nil
}

// certificate reloads a certificate when its files change. It is safe for concurrent use.
type certificate struct {
	tlsFlags
	log zerolog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	version string
}

// get is a [tls.Config.GetCertificate]. It returns the last certificate if the files can't be read,
// as when only one was replaced.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.read()
	if err != nil && c.current != nil {
		c.log.Warn().Err(err).Msg("cannot read the TLS certificate; the last one stays in use")
		err = nil
	}
	return c.current, err
}

// read sets current, unless the files are unchanged.
func (c *certificate) read() error {
	version := ""
	for _, file := range []string{c.TLSCert, c.TLSKey} {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		version += fmt.Sprintln(info.ModTime().UnixNano(), info.Size())
	}
	if version == c.version {
		return nil
	}
	read, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return err
	}
	c.current, c.version = &read, version
	return nil
}
