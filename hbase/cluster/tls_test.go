package cluster_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest"
	"twibase/hbase/hbasetest/minihbase"
)

func expired(c *x509.Certificate)   { c.NotAfter = time.Now().Add(-time.Minute) }
func future(c *x509.Certificate)    { c.NotBefore = time.Now().Add(time.Hour) }
func elsewhere(c *x509.Certificate) { c.DNSNames, c.IPAddresses = []string{"elsewhere.example"}, nil }

type secured struct {
	*minihbase.HBase
	authority, otherAuthority *minihbase.Authority
	good                      *tls.Config
}

func startSecured(t *testing.T) secured {
	authority, err := minihbase.NewAuthority(t.TempDir(), "authority")
	if err != nil {
		t.Fatal(err)
	}
	security, err := minihbase.MutualTLS(authority)
	if err != nil {
		t.Fatal(err)
	}
	otherAuthority, err := minihbase.NewAuthority(t.TempDir(), "other")
	if err != nil {
		t.Fatal(err)
	}
	h, err := minihbase.StartSecured(t.Context(), t.TempDir(), security)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	s := secured{HBase: h, authority: authority, otherAuthority: otherAuthority}
	s.good = s.client(t, authority, authority)
	return s
}

func (secured) client(
	t *testing.T, roots, signer *minihbase.Authority, changes ...func(*x509.Certificate),
) *tls.Config {
	if err := signer.Issue("other", changes...); err != nil {
		t.Fatal(err)
	}
	config, err := signer.ClientConfig("other")
	if err != nil {
		t.Fatal(err)
	}
	config.RootCAs = roots.Pool()
	return config
}

func withTLS(config *tls.Config) cluster.Option {
	return cluster.WithTLS(func() *tls.Config { return config })
}

func TestStoreConformsOverTLS(t *testing.T) {
	minihbase.Slow(t)
	h := startSecured(t)
	t.Run("conformance", func(t *testing.T) {
		hbasetest.Run(t, func(t *testing.T) hbase.Store {
			store, err := cluster.Open(t.Context(), h.URL(), zerolog.Nop(), withTLS(h.good))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			return store
		})
	})
	t.Run("an open store", func(t *testing.T) { testNewCertificates(t, h) })
	testDiagnosis(t, h)
}

func testDiagnosis(t *testing.T, h secured) {
	anonymous := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: h.authority.Pool()}
	for _, test := range []struct {
		name   string
		client *tls.Config
		server func(*x509.Certificate) // of HBase
		want   []string
	}{
		{"the CA does not sign the server's certificate", h.client(t, h.otherAuthority, h.authority), nil,
			[]string{"not signed by a CA of --hbase-ca", "CN=authority"}},
		{"the server expects TLS", nil, nil, []string{"it expects TLS: set --hbase-ca"}},
		{"the server wants a client certificate", anonymous, nil,
			[]string{"it wants a client certificate: set --hbase-cert and --hbase-key"}},
		{"the client's certificate has expired", h.client(t, h.authority, h.authority, expired), nil,
			[]string{"the certificate of --hbase-cert expired on", "renew it"}},
		{"the client's certificate is not valid yet", h.client(t, h.authority, h.authority, future), nil,
			[]string{"the certificate of --hbase-cert is not valid before", "correct the clock"}},
		{"the server does not know the CA of the client", h.client(t, h.authority, h.otherAuthority), nil,
			[]string{"it rejects the certificate of --hbase-cert", "CN=other", "its truststore must have that CA"}},
		{"the client's certificate names another machine", h.client(t, h.authority, h.authority, elsewhere), nil,
			[]string{"it rejects the certificate of --hbase-cert", "elsewhere.example", "must name this machine"}},
		{"the server's certificate has expired", h.good, expired, []string{"its certificate expired on"}},
		{"the server's certificate is not valid yet", h.good, future,
			[]string{"its certificate is not valid before", "correct the clock of this machine"}},
		{"the server's certificate has another name", h.good, elsewhere,
			[]string{"its certificate is for elsewhere.example, not for localhost"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var options []cluster.Option
			if test.client != nil {
				options = append(options, withTLS(test.client))
			}
			if test.server != nil {
				if err := h.authority.Issue("server", test.server); err != nil {
					t.Fatal(err)
				}
			}
			err := awaitDiagnosis(t, h.URL(), test.want[0], options...)
			for _, part := range append(test.want, "server localhost:") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("without %q: %v", part, err)
				}
			}
		})
	}
	t.Run("the server speaks no TLS", func(t *testing.T) {
		awaitDiagnosis(t, minihbase.ForTest(t), "it does not speak TLS", withTLS(h.good))
	})
}

// awaitDiagnosis retries until HBase has read a new certificate.
func awaitDiagnosis(t *testing.T, url, want string, options ...cluster.Option) error {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		opening := time.Now()
		store, err := cluster.Open(ctx, url, zerolog.Nop(), options...)
		cancel()
		if took := time.Since(opening); took > 5*time.Second {
			t.Errorf("Open took %v", took)
		}
		if err == nil {
			store.Close()
		} else if strings.Contains(err.Error(), want) {
			if !errors.Is(err, hbase.ErrUnavailable) || errors.Is(err, hbase.ErrUnresponsive) {
				t.Error(err)
			}
			return err
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("got %v, want %q", err, want)
		}
	}
}

type cutting struct {
	mu    sync.Mutex
	conns []net.Conn
}

func (c *cutting) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns = append(c.conns, conn)
	return conn, err
}

func (c *cutting) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		if conn != nil {
			conn.Close()
		}
	}
	c.conns = nil
}

func testNewCertificates(t *testing.T, h secured) {
	var mu sync.Mutex
	current := h.good
	use := func(config *tls.Config) {
		mu.Lock()
		defer mu.Unlock()
		current = config
	}
	conns, log := new(cutting), new(logBuffer)
	const callTimeout = 2 * time.Second
	store, err := cluster.OpenThrough(t.Context(), h.URL(), conns.dial, cluster.WithCallTimeout(callTimeout),
		cluster.WithTLS(func() *tls.Config {
			mu.Lock()
			defer mu.Unlock()
			return current
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	store.LogTo(zerolog.New(log))
	table := newTable(t, store)
	fill(t, store, table, []string{"r"})
	get := func() (time.Duration, error) {
		begun := time.Now()
		results, err := store.Get(t.Context(), []hbase.Get{{Table: table, Row: "r"}})
		if err != nil {
			t.Fatal(err)
		}
		return time.Since(begun), results[0].Err
	}
	t.Run("reads the next certificate when it connects again", func(t *testing.T) {
		use(h.client(t, h.authority, h.authority))
		conns.cut()
		if _, err := get(); err != nil {
			t.Error(err)
		}
	})
	t.Run("fails immediately when its certificate has expired", func(t *testing.T) {
		use(h.client(t, h.authority, h.authority, expired))
		conns.cut()
		_, first := get()
		took, second := get()
		for _, err := range []error{first, second} {
			if !errors.Is(err, hbase.ErrUnavailable) || errors.Is(err, hbase.ErrUnresponsive) ||
				!strings.Contains(err.Error(), "the certificate of --hbase-cert expired on") {
				t.Error(err)
			}
		}
		if took > callTimeout/2 {
			t.Errorf("the second call took %v", took)
		}
		lines := log.String()
		if n := strings.Count(lines, "refuses connections"); n != 1 || strings.Contains(lines, "does not answer") {
			t.Errorf("logged %d times: %s", n, lines)
		}
	})
	t.Run("answers after the certificate is renewed", func(t *testing.T) {
		use(h.good)
		renewed := time.Now()
		for {
			_, err := get()
			if err == nil {
				break
			}
			if time.Since(renewed) > 20*time.Second {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Logf("it answers %v after the renewal", time.Since(renewed))
		if !strings.Contains(log.String(), "accepts connections again") {
			t.Error(log.String())
		}
	})
}
