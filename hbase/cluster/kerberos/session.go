package kerberos

import (
	"strings"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

// session has the tickets of one log-in. It is not safe for concurrent use.
type session struct {
	id      *identity
	granted expiring            // ticket-granting
	others  map[string]expiring // by service principal
}

type expiring struct {
	ticket
	end time.Time
}

func newExpiring(t messages.Ticket, part messages.EncKDCRepPart) expiring {
	return expiring{ticket{t, part.Key}, part.EndTime}
}

func (e expiring) valid() bool { return time.Now().Before(e.end) }

// logIn reads the keytab again, because keys are replaced while the gateway runs.
func (id *identity) logIn() (*session, error) {
	if err := id.readKeytab(); err != nil {
		return nil, &Refusal{err.Error()}
	}
	reply, err := ask(id, id.realm, func(c *client.Client) (messages.ASRep, error) {
		request, err := messages.NewASReqForTGT(id.realm, c.Config, c.Credentials.CName())
		if err != nil {
			return messages.ASRep{}, err
		}
		return c.ASExchange(id.realm, request, 0)
	})
	if err != nil {
		return nil, id.explainLogIn(err)
	}
	return &session{id, newExpiring(reply.Ticket, reply.DecryptedEncPart), map[string]expiring{}}, nil
}

// renewOf gets tickets for an earlier session's services, so that connections need not wait.
func (s *session) renewOf(earlier *session) {
	for principal := range earlier.others {
		if host, ok := strings.CutPrefix(principal, service+"/"); ok {
			_, _ = s.service(service, host)
		}
	}
}

func (s *session) service(service, host string) (ticket, error) {
	realm, by := s.id.realm, s.granted
	if other := s.id.krb5.ResolveRealm(host); other != "" && other != realm {
		var err error
		if by, err = s.ticket("krbtgt/"+other, realm, by); err != nil {
			return ticket{}, err
		}
		realm = other
	}
	t, err := s.ticket(service+"/"+host, realm, by)
	return t.ticket, err
}

// by is the ticket-granting ticket for the realm's KDC.
func (s *session) ticket(principal, realm string, by expiring) (expiring, error) {
	if t, ok := s.others[principal]; ok && t.valid() {
		return t, nil
	}
	name := types.NewPrincipalName(nametype.KRB_NT_SRV_INST, principal)
	reply, err := ask(s.id, realm, func(c *client.Client) (messages.TGSRep, error) {
		_, reply, err := c.TGSREQGenerateAndExchange(name, realm, by.Ticket, by.key, false)
		return reply, err
	})
	if err != nil {
		return expiring{}, s.id.explainTicket(err, principal, realm)
	}
	t := newExpiring(reply.Ticket, reply.DecryptedEncPart)
	s.others[principal] = t
	return t, nil
}
