package kerberos

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
)

const hedgeDelay = time.Second

// ask asks a KDC of the realm. If it cannot be reached, its answer is malformed, or it does not
// answer within hedgeDelay, ask also asks the next, and returns the first answer. gokrb5 would ask
// in random order, and wait five seconds for each.
func ask[T any](id *identity, realm string, exchange func(*client.Client) (T, error)) (result T, err error) {
	id.asked.Store(&realm)
	kdcs, err := id.kdcs(realm)
	if err != nil {
		return result, err
	}
	type outcome struct {
		kdc    string
		result T
		err    error
	}
	outcomes := make(chan outcome, len(kdcs))
	var failures []error
	for asked := 0; len(failures) < len(kdcs); {
		var late <-chan time.Time
		if asked < len(kdcs) {
			kdc := kdcs[asked]
			c := id.client(realm, kdc)
			go func() {
				result, err := recovering(exchange, c)
				outcomes <- outcome{kdc, result, err}
			}()
			asked++
			late = time.After(hedgeDelay)
		}
		select {
		case o := <-outcomes:
			if o.err == nil || !unanswered(o.err) {
				id.answered[realm] = o.kdc
				return o.result, o.err
			}
			failures = append(failures, o.err)
		case <-late:
		}
	}
	return result, errors.Join(failures...)
}

var errMalformed = errors.New("the KDC's answer is malformed")

// recovering calls exchange. gokrb5 panics for a short ciphertext, which needs no key to send.
func recovering[T any](exchange func(*client.Client) (T, error), c *client.Client) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errMalformed, p)
		}
	}()
	return exchange(c)
}

// The KDC that answered last comes first.
func (id *identity) kdcs(realm string) (kdcs []string, err error) {
	for _, r := range id.krb5.Realms {
		if r.Realm == realm {
			kdcs = slices.Clone(r.KDC)
		}
	}
	if len(kdcs) == 0 {
		count, found, err := id.krb5.GetKDCs(realm, true)
		if err != nil {
			return nil, err
		}
		for i := 1; i <= count; i++ {
			kdcs = append(kdcs, found[i])
		}
	}
	if i := slices.Index(kdcs, id.answered[realm]); i > 0 {
		kdcs = slices.Insert(slices.Delete(kdcs, i, i+1), 0, id.answered[realm])
	}
	return kdcs, nil
}

// Each client has its own list of KDCs, because gokrb5 reorders it.
func (id *identity) client(realm, kdc string) *client.Client {
	krb5 := *id.krb5
	krb5.Realms = []config.Realm{{Realm: realm, KDC: []string{kdc}}}
	for _, r := range id.krb5.Realms {
		if r.Realm != realm {
			r.KDC = slices.Clone(r.KDC)
			krb5.Realms = append(krb5.Realms, r)
		}
	}
	// Active Directory does not answer the extension that DisablePAFXFAST omits.
	return client.NewWithKeytab(id.name, id.realm, id.keytab, &krb5, client.DisablePAFXFAST(true))
}

func unanswered(err error) bool {
	text := err.Error()
	return errors.Is(err, errMalformed) || codeOf(err) == 0 &&
		(strings.Contains(text, "communication error") || strings.Contains(text, "Networking_Error"))
}
