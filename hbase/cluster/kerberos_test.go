package cluster_test

import (
	"testing"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/cluster/kerberos"
	"twibase/hbase/hbasetest"
	"twibase/hbase/hbasetest/minihbase"
)

func startKDC(t *testing.T) *minihbase.KDC {
	t.Helper()
	kdc, err := minihbase.StartKDC(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kdc.Kill)
	return kdc
}

func withKerberos(t *testing.T, config kerberos.Config) cluster.Option {
	t.Helper()
	login, err := kerberos.New(config, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	return cluster.WithKerberos(login)
}

func TestKerberos(t *testing.T) {
	minihbase.Slow(t)
	kdc := startKDC(t)
	for _, protection := range []string{"authentication", "integrity", "privacy"} {
		t.Run(protection, func(t *testing.T) {
			security, err := kdc.Security(protection)
			if err != nil {
				t.Fatal(err)
			}
			h, err := minihbase.StartSecured(t.Context(), t.TempDir(), security)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(h.Kill)
			hbasetest.Run(t, func(t *testing.T) hbase.Store {
				store, err := cluster.Open(t.Context(), h.URL(), zerolog.Nop(), withKerberos(t, kdc.Config()))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { store.Close() })
				return store
			})
		})
	}
}
