package main

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// tlsFlags say with what the server proves who it is.
type tlsFlags struct {
	TLSCert string `name:"tls-cert" placeholder:"FILE" help:"The certificate by which the server speaks TLS, in PEM, with those that lead to a root. Needs --tls-key; a change of both is seen within seconds."`
	TLSKey  string `name:"tls-key" placeholder:"FILE" help:"The key of --tls-cert, in PEM."`
}

// config is nil if the server speaks plainly.
func (f tlsFlags) config(log zerolog.Logger) (*tls.Config, error) {
	if f.TLSCert == "" {
		return nil, nil
	}
	c := &certificate{tlsFlags: f, log: log}
	if _, err := c.get(nil); err != nil {
		return nil, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", f.TLSCert, f.TLSKey, err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}, nil
}

// certificate follows the files of a certificate. It is safe for concurrent use.
type certificate struct {
	tlsFlags
	log zerolog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	looked  time.Time
	version string // of both files, when they were read
}

// followed is how often the files are looked at.
const followed = 2 * time.Second

// get is a [tls.Config.GetCertificate]. While new files can't be read, as when one has been replaced and the other is about to be, the old
// certificate is good.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); c.current == nil || now.Sub(c.looked) >= followed {
		c.looked = now
		if err := c.read(); err != nil {
			if c.current == nil {
				return nil, err
			}
			c.log.Warn().Err(err).Msg("the certificate can't be read; the last one is used")
		}
	}
	return c.current, nil
}

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
