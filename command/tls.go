package command

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// certificateInterval is the least time between two log lines about a certificate that cannot be read.
const certificateInterval = 2 * time.Second

type tlsFlags struct {
	TLSCert string `name:"tls-cert" placeholder:"FILE" help:"TLS certificate of the server in PEM, followed by its intermediate certificates. Needs --tls-key. Changes of both files take effect at the next connection."`
	TLSKey  string `name:"tls-key" placeholder:"FILE" help:"Private key of --tls-cert, in PEM."`
}

// config returns nil if the server does not use TLS.
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

// certificate reads a certificate from its files, again when they have changed. It is safe for concurrent use.
type certificate struct {
	tlsFlags
	log zerolog.Logger // one line each certificateInterval

	mu      sync.Mutex
	current *tls.Certificate
	version string // times and sizes of both files when current was read
}

// get is a [tls.Config.GetCertificate]. If new files cannot be read, as when only one of the two has been
// replaced yet, it returns the last certificate.
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
