package kerberos

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
)

// A service may be in another realm than the principal.
func TestUnreachableKDCIsNamed(t *testing.T) {
	id := identify(t, []string{"kdc.example.com"})
	id.krb5.Realms = append(id.krb5.Realms, config.Realm{Realm: "OTHER.COM", KDC: []string{"kdc.other.com:88"}})
	const want = "the KDC of OTHER.COM (kdc.other.com:88) does not answer"
	t.Run("all KDCs fail", func(t *testing.T) {
		err := id.explainTicket(errors.New("communication error with KDC"), "hbase/rs1.other.com", "OTHER.COM")
		if !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	})
	t.Run("the caller's deadline is first", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := &Login{id: id, slot: make(chan struct{}, 1)}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := use(ctx, l, func() (string, error) {
				return ask(id, "OTHER.COM", func(*client.Client) (string, error) {
					time.Sleep(exchangeTimeout)
					return "", errors.New("communication error with KDC")
				})
			})
			if !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
			l.slot <- struct{}{} // after the exchange
		})
	})
}
