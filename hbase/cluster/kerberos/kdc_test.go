package kerberos

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/keytab"
)

// exchangeTimeout is gokrb5's.
const exchangeTimeout = 5 * time.Second

func TestNextKDCIsAskedIfOneDoesNotRespond(t *testing.T) {
	var (
		errNetwork = errors.New("communication error with KDC via TCP: timeout")
		errKDC     = errors.New("KRB Error: (6) KDC_ERR_C_PRINCIPAL_UNKNOWN")
	)
	for _, test := range []struct {
		name  string
		kdcs  []string // silent ones fail after exchangeTimeout
		asked []string // by two exchanges
		took  time.Duration
		err   error
	}{
		{"the first answers", []string{"good", "good2"}, []string{"good", "good"}, 0, nil},
		{"the first is silent", []string{"silent", "good"}, []string{"silent", "good", "good"}, hedgeDelay, nil},
		{"the first refuses connections", []string{"refusing", "good"}, []string{"refusing", "good", "good"}, 0, nil},
		{"only the last answers", []string{"silent", "refusing", "silent2", "good"},
			[]string{"silent", "refusing", "silent2", "good", "good"}, 2 * hedgeDelay, nil},
		{"an error is an answer", []string{"rejecting", "good"}, []string{"rejecting", "rejecting"}, 0, errKDC},
		{"none answers", []string{"silent", "refusing"}, []string{"silent", "refusing", "silent", "refusing"},
			2 * exchangeTimeout, errNetwork},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				id := identify(t, test.kdcs)
				var (
					mu    sync.Mutex
					asked []string
				)
				exchange := func(c *client.Client) (string, error) {
					kdc := strings.TrimSuffix(c.Config.Realms[0].KDC[0], ":88")
					mu.Lock()
					asked = append(asked, kdc)
					mu.Unlock()
					switch {
					case strings.HasPrefix(kdc, "silent"):
						time.Sleep(exchangeTimeout)
						return "", errNetwork
					case kdc == "refusing":
						return "", errNetwork
					case kdc == "rejecting":
						return "", errKDC
					}
					return "ticket of " + kdc, nil
				}
				began := time.Now()
				for range 2 {
					result, err := ask(id, "EXAMPLE.COM", exchange)
					if !errors.Is(err, test.err) || err == nil && result != "ticket of good" {
						t.Errorf("got %q, %v", result, err)
					}
				}
				if took := time.Since(began); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				time.Sleep(exchangeTimeout) // for silent KDCs
				if diff := cmp.Diff(test.asked, asked); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestMalformedAnswerOfAKDCIsAnError(t *testing.T) {
	_, err := ask(identify(t, []string{"spoofed"}), "EXAMPLE.COM", func(*client.Client) (string, error) {
		panic("slice bounds out of range")
	})
	if !errors.Is(err, errMalformed) {
		t.Errorf("got %v", err)
	}
}

func identify(t *testing.T, kdcs []string) *identity {
	t.Helper()
	krb5, err := config.NewFromString("[realms]\nEXAMPLE.COM = {\nkdc = " + strings.Join(kdcs, "\nkdc = ") + "\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	return &identity{name: "twibase", realm: "EXAMPLE.COM", keytab: keytab.New(), krb5: krb5, answered: map[string]string{}}
}
