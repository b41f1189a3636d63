package cluster_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/cluster/kerberos"
	"twibase/hbase/hbasetest"
	"twibase/hbase/hbasetest/minihbase"
)

var secure = flag.Bool("secure", false, "run the conformance suite in each protection of Kerberos, and with TLS")

type realm struct {
	*minihbase.KDC
	url     string
	options []cluster.Option // besides Kerberos
}

func startKDC(t *testing.T) *minihbase.KDC {
	t.Helper()
	kdc, err := minihbase.StartKDC(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kdc.Kill)
	return kdc
}

func start(t *testing.T, kdc *minihbase.KDC, protection string, others ...minihbase.Security) realm {
	t.Helper()
	security, err := kdc.Security(protection)
	if err != nil {
		t.Fatal(err)
	}
	r := realm{KDC: kdc}
	for _, other := range others {
		security = security.And(other)
		r.options = append(r.options, other.Options...)
	}
	h, err := minihbase.StartSecured(t.Context(), t.TempDir(), security)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	r.url = h.URL()
	return r
}

func withKerberos(t *testing.T, config kerberos.Config) cluster.Option {
	t.Helper()
	login, err := kerberos.New(config, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	return cluster.WithKerberos(login)
}

func TestStoreConformsOverKerberos(t *testing.T) {
	minihbase.Slow(t)
	kdc := startKDC(t)
	t.Run("a replaced keytab", realm{KDC: kdc}.replacedKeytab)
	for _, protection := range []string{"authentication", "integrity"} {
		t.Run(protection, func(t *testing.T) {
			r := start(t, kdc, protection)
			if *secure {
				r.conformance(t)
			}
		})
	}
	if *secure {
		t.Run("authentication with TLS", func(t *testing.T) {
			authority, err := minihbase.NewAuthority(t.TempDir(), "authority")
			if err != nil {
				t.Fatal(err)
			}
			security, err := minihbase.MutualTLS(authority)
			if err != nil {
				t.Fatal(err)
			}
			start(t, kdc, "authentication", security).conformance(t)
		})
	}
	t.Run("privacy", func(t *testing.T) {
		r := start(t, kdc, "privacy")
		r.conformance(t)
		r.diagnosis(t)
		r.renewal(t) // kills the KDC
	})
}

func (r realm) conformance(t *testing.T) {
	t.Run("conformance", func(t *testing.T) {
		hbasetest.Run(t, func(t *testing.T) hbase.Store {
			options := append(r.options, withKerberos(t, r.Config()))
			store, err := cluster.Open(t.Context(), r.url, zerolog.Nop(), options...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			return store
		})
	})
}

func (r realm) withKey(t *testing.T, principal, password string) kerberos.Config {
	t.Helper()
	keys := keytab.New()
	name := strings.TrimSuffix(principal, "@"+minihbase.Realm)
	for _, kind := range []int32{etypeID.AES256_CTS_HMAC_SHA1_96, etypeID.AES128_CTS_HMAC_SHA1_96} {
		if err := keys.AddEntry(name, minihbase.Realm, password, time.Now(), 1, kind); err != nil {
			t.Fatal(err)
		}
	}
	file, err := keys.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	config := r.Config()
	config.Principal, config.Keytab = principal, filepath.Join(t.TempDir(), "keytab")
	if err := os.WriteFile(config.Keytab, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return config
}

func (r realm) withKDC(t *testing.T, address string) kerberos.Config {
	return r.withConf(t, fmt.Sprintf("[libdefaults]\ndefault_realm = %[1]s\n[realms]\n%[1]s = {\nkdc = %[2]s\n}\n",
		minihbase.Realm, address))
}

func (r realm) withConf(t *testing.T, text string) kerberos.Config {
	t.Helper()
	config := r.Config()
	config.Conf = filepath.Join(t.TempDir(), "krb5.conf")
	if err := os.WriteFile(config.Conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return config
}

func (r realm) diagnosis(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, test := range []struct {
		name   string
		config kerberos.Config
		want   string
	}{
		{"the password has changed", r.withKey(t, minihbase.Principal, "old"),
			"the key of twibase@EXAMPLE.COM in --hbase-keytab"},
		{"the KDC does not know the principal", r.withKey(t, "nobody@EXAMPLE.COM", "secret"),
			"does not know the principal nobody@EXAMPLE.COM"},
		{"the KDC is down", r.withKDC(t, "127.0.0.1:1"), "the KDC of EXAMPLE.COM (127.0.0.1:1) does not answer"},
		{"the KDC is silent", r.withKDC(t, silent.Addr().String()), "does not answer by TCP"},
	} {
		t.Run(test.name, func(t *testing.T) {
			awaitDiagnosis(t, r.url, test.want, withKerberos(t, test.config))
		})
	}
	t.Run("only the last KDC answers", func(t *testing.T) { r.failover(t, silent.Addr().String(), "127.0.0.1:1") })
	t.Run("the server requires Kerberos", func(t *testing.T) {
		awaitDiagnosis(t, r.url, "it requires Kerberos: set --hbase-keytab")
	})
	t.Run("the server does not use Kerberos", func(t *testing.T) {
		awaitDiagnosis(t, minihbase.ForTest(t), "it does not use Kerberos", withKerberos(t, r.Config()))
	})
	t.Run("the clock is six minutes off", r.clock)
	t.Run("a service that the KDC does not know", func(t *testing.T) {
		r.service(t, "unknown.example", "does not know the service principal hbase/unknown.example@EXAMPLE.COM")
	})
	t.Run("a service whose key the server does not have", func(t *testing.T) {
		r.service(t, minihbase.Elsewhere, "it does not accept the ticket for hbase/"+minihbase.Elsewhere)
	})
}

func (r realm) failover(t *testing.T, others ...string) {
	conf, err := os.ReadFile(r.Conf)
	if err != nil {
		t.Fatal(err)
	}
	const first = "kdc = "
	text := strings.Replace(string(conf), first, first+strings.Join(others, "\n"+first)+"\n"+first, 1)
	openAt(t, r.url, withKerberos(t, r.withConf(t, text)))
}

// The KDC's error for a wrong clock is that of a wrong key.
func (r realm) clock(t *testing.T) {
	now := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now.Add(6 * time.Minute)))
		login, err := kerberos.New(r.Config(), zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		if _, err = login.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "the clock of this machine (") {
			t.Errorf("got %v", err)
		}
	})
}

// service pretends that a server has another host.
func (r realm) service(t *testing.T, host, want string) {
	t.Helper()
	var server string
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		server = address
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	store, err := cluster.OpenThrough(t.Context(), r.url, dial, withKerberos(t, r.Config()))
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
	login, err := kerberos.New(r.Config(), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if login, err = login.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer login.Close()
	conn, err := dial(t.Context(), "tcp", server)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = login.Secure(t.Context(), conn, host)
	if refused := new(kerberos.Refusal); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func (r realm) replacedKeytab(t *testing.T) {
	config := r.withKey(t, minihbase.Principal, "old")
	login, err := kerberos.New(config, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := login.Start(t.Context()); err == nil {
		t.Error("the KDC accepts the old key")
	}
	keys, err := os.ReadFile(r.Keytab)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config.Keytab, keys, 0o600); err != nil {
		t.Fatal(err)
	}
	started, err := login.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	started.Close()
}

func kerberosMetrics(t *testing.T, store *cluster.Store) (expiry, failures int64) {
	t.Helper()
	return int64(metric(t, store, "twibase_kerberos_ticket_expiry_timestamp_seconds", "")),
		int64(metric(t, store, "twibase_kerberos_login_failures_total", ""))
}

func (r realm) renewal(t *testing.T) {
	const lifetime = minihbase.TicketLifetime
	conns := new(cutting)
	store, err := cluster.OpenThrough(t.Context(), r.url, conns.dial, withKerberos(t, r.Config()))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	table := hbase.Table{Name: "renewal", Families: []hbase.FamilySchema{{Name: "f"}}}
	if err := store.CreateTable(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	get := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		ctx = hbase.WithStats(ctx, &hbase.Stats{Operation: func() string { return "Renewal" }})
		results, err := store.Get(ctx, []hbase.Get{{Table: "renewal", Row: "r"}})
		if err != nil {
			return err
		}
		return results[0].Err
	}
	if err := get(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	time.Sleep(lifetime * 5 / 4) // the first ticket has ended
	if expiry, failures := kerberosMetrics(t, store); expiry <= begun.Add(lifetime).Unix() || failures != 0 {
		t.Errorf("the ticket was renewed: the metrics are %d (began at %d) and %d", expiry, begun.Unix(), failures)
	}
	r.Kill()
	conns.cut()
	if err := get(); err != nil {
		t.Errorf("after the end of the first ticket: %v", err)
	}
	time.Sleep(lifetime) // the second has ended, without a KDC
	if err := get(); err != nil {
		t.Errorf("an open connection after the end of its ticket: %v", err)
	}
	if expiry, failures := kerberosMetrics(t, store); expiry > time.Now().Unix() || failures == 0 {
		t.Errorf("the ticket has ended: the metrics are %d and %d", expiry, failures)
	}
	conns.cut()
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		err := get()
		if err != nil && strings.Contains(err.Error(), "does not answer by TCP") {
			if !errors.Is(err, hbase.ErrUnavailable) || errors.Is(err, hbase.ErrUnresponsive) {
				t.Error(err)
			}
			return
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("without a KDC: got %v", err)
		}
	}
}
